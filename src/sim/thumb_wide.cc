// The 32-bit encodings for thumb.h. `a` is the first halfword, `b` the second.
#include <bit>

#include "sim/costs.h"
#include "sim/thumb.h"

namespace wick::sim {
namespace {

using I = Instruction;

uint16_t bit(uint32_t reg) { return static_cast<uint16_t>((reg & 15) == 15 ? 0 : 1u << (reg & 15)); }
uint32_t destination(uint32_t b) { return b >> 8 & 15; }

void late(I& i, I::Late kind, uint16_t mask) {
  i.late_kind = kind;
  i.late |= mask;
}

// LDM, STM, LDRD, STRD, exclusive accesses, table branches.
void decode_multiple(uint32_t a, uint32_t b, I& i) {
  const bool load = a & 0x10;
  i.reads = bit(a);
  if ((a & 0x40) == 0) {
    i.flags |= I::kAligned;
    i.cycles = static_cast<uint8_t>(std::popcount(b) * costs::kPerRegister);
    if (load && (b & 0x8000)) i.flags |= I::kBranch;
    if (load && b != 0) late(i, I::Late::kLoad, bit(31 - static_cast<uint32_t>(std::countl_zero(b))));  // the last one
    if (!load && (a & 0xF) == 13) i.flags |= I::kStack;
    return;
  }
  const bool exclusive = (a & 0xFE0) == 0x840 || (a & 0xFE0) == 0x8C0;
  if (exclusive) {
    if ((a & 0xFFF0) == 0xE8D0 && (b & 0xF0) <= 0x10) {
      i.flags |= I::kBranch;  // TBB, TBH
      i.reads |= bit(b);
    } else if (load) {
      late(i, I::Late::kLoad, bit(b >> 12));
    } else {
      i.stored = bit(b >> 12);
    }
    return;
  }
  i.flags |= I::kAligned;
  i.cycles = 2 * costs::kPerRegister;
  if (load) {
    late(i, I::Late::kLoad, bit(b >> 8));  // the first one has had its cycle
  } else {
    i.stored = bit(b >> 12) | bit(b >> 8);
  }
  if ((a & 0xF) == 13 && (a & 0x20)) i.flags |= I::kStack;
}

void decode_shifted_register(uint32_t a, uint32_t b, I& i) {
  const uint32_t amount = (b >> 10 & 0x1C) | (b >> 6 & 3), kind = b >> 4 & 3;
  i.reads = bit(a) | bit(b);
  if (kind != 0 || amount > 3) late(i, I::Late::kAlu, bit(destination(b)));
  if (destination(b) == 13) i.flags |= I::kStack;
}

void decode_constant(uint32_t a, uint32_t b, I& i) {
  const bool modified = (a & 0x200) == 0;
  if (modified || (a & 0x1F0) != 0x040) i.reads = bit(a);  // MOVW and MOVT read no other register
  const bool rotated = (a & 0x400) || (b & 0x4000);
  if (modified && rotated) late(i, I::Late::kAlu, bit(destination(b)));
  if ((a & 0x2F0) == 0x2C0) i.reads |= bit(destination(b));  // MOVT, BFI
  if (destination(b) == 13) i.flags |= I::kStack;
}

void decode_branch_or_control(uint32_t a, uint32_t b, I& i) {
  if ((b & 0x5000) != 0) {  // B, BL
    i.flags |= I::kBranch;
    if ((b & 0x5000) == 0x1000 && ((a & 0xFFFF) == 0xF7FF) && b == 0xBFFE) i.flags |= I::kSelf;
    return;
  }
  if ((a >> 7 & 7) != 7) i.flags |= I::kBranch | I::kOnFlags;
  if ((a & 0xFFE0) == 0xF380) i.flags |= I::kSystem | I::kStack;  // MSR
  if (a == 0xF3AF && (b & 0xFF) == 2) i.flags |= I::kWait | I::kForEvent;
  if (a == 0xF3AF && (b & 0xFF) == 3) i.flags |= I::kWait;
  if (a == 0xF3AF && (b & 0xFF) == 4) i.flags |= I::kSendEvent;
}

void decode_load_store(uint32_t a, uint32_t b, I& i) {
  i.reads = bit(a);
  const bool by_register = (a & 0x80) == 0 && (b & 0xFC0) == 0 && (a & 15) != 15;
  if (by_register) i.reads |= bit(b);
  if (a & 0x10) {
    if (b >> 12 == 15 && (a & 0x60) == 0x40) i.flags |= I::kBranch;  // LDR PC
    late(i, I::Late::kLoad, bit(b >> 12));
  } else {
    i.stored = bit(b >> 12);
  }
  if ((a & 0x8F) == 0x0D && (b & 0x900) == 0x900) i.flags |= I::kStack;  // [SP, #n]!
}

void decode_multiply(uint32_t a, uint32_t b, I& i) {
  i.reads = bit(a) | bit(b);
  if ((a & 0x80) == 0) {
    i.accumulators = bit(b >> 12);
    late(i, I::Late::kProduct, bit(destination(b)));
    return;
  }
  if ((a & 0x50) == 0x10 && (b & 0xF0) == 0xF0) {
    i.flags |= I::kDivide | ((a & 0x20) == 0 ? I::kSigned : 0);
    late(i, I::Late::kAlu, bit(destination(b)));
    return;
  }
  const uint16_t both = bit(b >> 12) | bit(b >> 8);
  if (a & 0x40) i.accumulators = both;
  late(i, I::Late::kProduct, both);
}

uint32_t fp_destination(uint32_t a, uint32_t b) { return (b >> 11 & 0x1E) | (a >> 6 & 1); }
uint32_t fp_first(uint32_t a, uint32_t b) { return (a << 1 & 0x1E) | (b >> 7 & 1); }
uint32_t fp_second(uint32_t b) { return (b << 1 & 0x1E) | (b >> 5 & 1); }

void decode_fp_memory(uint32_t a, uint32_t b, I& i) {
  i.fp = I::Fp::kMove;
  if ((a & 0x1E0) == 0x40) return;  // VMOV of two registers
  i.reads = bit(a);
  if ((a & 0x120) == 0x100) {  // VLDR, VSTR
    if (!(a & 0x10)) i.fp_reads = 1u << fp_destination(a, b);
    return;
  }
  i.flags |= I::kAligned;
  i.cycles = static_cast<uint8_t>((b & 0xFF) * costs::kPerRegister);
  if ((a & 0x2F) == 0x2D) i.flags |= I::kStack;  // VPUSH
}

void decode_fp_arithmetic(uint32_t a, uint32_t b, I& i) {
  i.fp_result = 1u << fp_destination(a, b);
  i.fp_reads = 1u << fp_first(a, b) | 1u << fp_second(b);
  switch (a & 0xB0) {
    case 0x00:
    case 0x10:
    case 0x90:
    case 0xA0:
      i.fp = I::Fp::kMac;
      return;
    case 0x20:
      i.fp = I::Fp::kMultiply;
      return;
    case 0x80:
      i.fp = I::Fp::kDivide;
      i.cycles = costs::kFpDivide;
      return;
    case 0xB0:
      i.fp_reads = 1u << fp_second(b);
      if ((a & 15) == 1 && (b & 0xC0) == 0xC0) {
        i.fp = I::Fp::kDivide;
        i.cycles = costs::kFpDivide;
        return;
      }
      break;
    default:
      break;
  }
  i.fp = I::Fp::kSimple;
}

void decode_coprocessor(uint32_t a, uint32_t b, I& i) {
  const uint32_t coprocessor = b >> 8 & 15;
  if (coprocessor != 10 && coprocessor != 11) return;
  i.flags |= I::kFp;
  if ((a & 0xEE00) == 0xEC00) return decode_fp_memory(a, b, i);
  if ((b & 0x10) == 0) return decode_fp_arithmetic(a, b, i);
  i.fp = I::Fp::kMove;  // to or from a core register
  if (!(a & 0x10)) i.reads = bit(b >> 12);
}

}  // namespace

void decode_wide(uint32_t a, uint32_t b, Instruction& i) {
  if ((a & 0xFE00) == 0xE800) return decode_multiple(a, b, i);
  if ((a & 0xFE00) == 0xEA00) return decode_shifted_register(a, b, i);
  if ((a & 0xEC00) == 0xEC00) return decode_coprocessor(a, b, i);
  if ((a & 0xF800) == 0xF000) return b & 0x8000 ? decode_branch_or_control(a, b, i) : decode_constant(a, b, i);
  if ((a & 0xFE00) == 0xF800) return decode_load_store(a, b, i);
  if ((a & 0xFF00) == 0xFB00) return decode_multiply(a, b, i);
  i.reads = bit(a) | bit(b);  // shifts by a register, extends, parallel arithmetic
  if ((a & 0xFF80) == 0xFA00 && (b & 0xF0) == 0) late(i, I::Late::kAlu, bit(destination(b)));
}

}  // namespace wick::sim
