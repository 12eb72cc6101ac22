// What a Thumb instruction costs and what to look out for around it. Knows encodings, as far as time and the
// simulator's checks depend on them; refuses to know values: the CPU emulator executes.
#pragma once

#include <cstdint>

namespace wick::sim {

struct Instruction {
  enum Flags : uint16_t {
    kBranch = 1 << 0,     // may go elsewhere
    kIt = 1 << 1,         // opens an IT block
    kFp = 1 << 2,         // needs the FPU
    kSystem = 1 << 3,     // changes masks or special registers
    kStack = 1 << 4,      // may lower the stack pointer
    kAligned = 1 << 5,    // faults on an address that is no multiple of 4
    kWait = 1 << 6,       // WFI or WFE
    kForEvent = 1 << 7,   // it is WFE
    kSendEvent = 1 << 8,  // SEV
    kSelf = 1 << 9,       // branch to itself
    kDivide = 1 << 10,
    kSigned = 1 << 11,   // of a division
    kNarrow = 1 << 12,   // 16-bit
    kFolds = 1 << 13,    // 16-bit branch, IT or NOP
    kOnFlags = 1 << 14,  // depends on the flags
    kSetsFlags = 1 << 15,
  };
  enum class Late : uint8_t { kNothing, kLoad, kProduct, kAlu };
  enum class Fp : uint8_t { kNone, kMove, kSimple, kMac, kMultiply, kDivide };

  uint32_t raw = 0;  // both halfwords, the first one low
  uint16_t flags = 0;
  uint8_t bytes = 0;  // 0: not decoded yet
  uint8_t cycles = 1;
  uint8_t block = 0;  // of an IT: instructions under it
  Late late_kind = Late::kNothing;
  Fp fp = Fp::kNone;
  // Core registers as bits: what comes late, what is wanted early, and what is wanted later than that.
  uint16_t late = 0, reads = 0, accumulators = 0, stored = 0;
  // Single-precision registers as bits.
  uint32_t fp_result = 0, fp_reads = 0;

  bool is(uint16_t flag) const { return (flags & flag) != 0; }
};

Instruction decode(uint16_t first, uint16_t second);

// Length alone.
inline uint32_t instruction_bytes(uint16_t first) { return first >= 0xE800 ? 4 : 2; }

// For decode(): the 32-bit encodings.
void decode_wide(uint32_t first, uint32_t second, Instruction& i);

}  // namespace wick::sim
