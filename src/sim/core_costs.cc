// What an instruction costs where it stands: the table of costs.h put to use. Knows the instruction before, and the
// cache; of values only those of a division.
#include <bit>

#include "sim/core.h"
#include "sim/costs.h"

namespace wick::sim {

uint32_t Core::fp_stall(const Instruction& now) {
  uint32_t stall = 0;
  if (counts_.cycles < fp_free_cycle_) stall = static_cast<uint32_t>(fp_free_cycle_ - counts_.cycles);
  if (fp_late_ & now.fp_reads) {
    const bool multiplies = now.fp == Instruction::Fp::kMac || now.fp == Instruction::Fp::kMultiply;
    if (!fp_late_from_mac_) stall += costs::kFpLateResult;
    if (fp_late_from_mac_ && multiplies) stall += costs::kFpMacToMultiplier;
  }
  const bool mac = now.fp == Instruction::Fp::kMac;
  if (mac) fp_free_cycle_ = counts_.cycles + stall + costs::kFpMacBusy;
  fp_late_ = now.fp_result;
  fp_late_from_mac_ = mac;
  return stall;
}

uint32_t Core::core_register(uint32_t number) const {
  if (number == 13) return get(UC_ARM_REG_SP);
  return get(number == 14 ? static_cast<int>(UC_ARM_REG_LR) : UC_ARM_REG_R0 + static_cast<int>(number));
}

bool Core::divides_by_zero(const Instruction& now) const { return core_register(now.raw >> 16 & 15) == 0; }

uint32_t Core::division_cycles(const Instruction& now) const {
  const auto length = [&](uint32_t number) {
    const uint32_t value = core_register(number);
    return std::bit_width(now.is(Instruction::kSigned) && (value >> 31) ? 0 - value : value);
  };
  const int dividend = length(now.raw & 15), divisor = length(now.raw >> 16 & 15);
  if (divisor == 0 || dividend < divisor) return costs::kDivideShort;
  return costs::kDivideBase + static_cast<uint32_t>(dividend - divisor) / 4;
}

// Cycles from when this instruction could start to when the next one could.
uint32_t Core::cost(uint32_t pc, const Instruction& now) {
  uint32_t cycles = now.is(Instruction::kDivide) ? division_cycles(now) : now.cycles;
  const uint32_t line = pc / costs::kCacheLineBytes;
  if (line != fetched_line_) {
    fetched_line_ = line;
    if (pc >= kFlashBase && pc < kFlashUncachedBase) cycles += cache_.access(pc - kFlashBase, index_, counts_.cycles);
  }
  if (late_ != 0) {
    using Late = Instruction::Late;
    uint16_t wanted = now.reads;
    if (late_kind_ == Late::kAlu) wanted |= now.accumulators;
    if (late_kind_ != Late::kLoad) wanted |= now.stored;
    if (late_ & wanted) cycles += costs::kLateResult;
  }
  late_ = now.late;
  late_kind_ = now.late_kind;
  if (now.fp != Instruction::Fp::kNone) {
    cycles += fp_stall(now);
  } else {
    fp_late_ = 0;
  }
  constexpr uint16_t kAlsoFolds = Instruction::kFolds;
  const bool folds =
      now.is(kAlsoFolds) && (before_flags_ & Instruction::kNarrow) && !(before_flags_ & kAlsoFolds) &&
      !(now.is(Instruction::kOnFlags) && !now.is(Instruction::kIt) && (before_flags_ & Instruction::kSetsFlags));
  if (folds) cycles -= costs::kFolded;
  before_flags_ = now.flags;
  return cycles;
}

// Outside SRAM, on top of the instruction's own cycles.
uint32_t Core::access_cycles(bool write, uint32_t address) {
  if (address >> 28 == 1 && !write) {
    return address < kFlashUncachedBase ? cache_.access(address - kFlashBase, index_, counts_.cycles)
                                        : cache_.line_cycles();
  }
  if (address >> 28 == 4) return write ? costs::kPeripheralWrite : costs::kPeripheralRead;
  return 0;
}

}  // namespace wick::sim
