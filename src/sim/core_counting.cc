// What every instruction passes through: it is decoded once, counted, and what the last one left open is settled; and
// how time goes on without instructions when an image only waits. Knows Unicorn's habits in IT blocks.
#include <algorithm>

#include "sim/core.h"
#include "sim/costs.h"

namespace wick::sim {

const Instruction& Core::decode_at(uint32_t pc) {
  static const Instruction kElsewhere = [] {
    Instruction i;
    i.bytes = 2;
    return i;
  }();
  std::vector<Instruction>* page = nullptr;
  const uint32_t in_sram = pc - kSramBase;
  const uint32_t in_flash = pc & (kFlashBytes - 1);
  if (in_sram < kSramBytes) {
    page = &sram_code_[in_sram / kCodePageBytes];
  } else if (pc >= kFlashBase && pc < kSramBase) {
    page = &flash_code_[in_flash / kCodePageBytes];
  } else {
    return kElsewhere;
  }
  if (page->empty()) page->resize(kCodePageBytes / 2);
  if (in_sram >= kSramBytes) {
    code_ = page->data();
    code_base_ = pc & ~(kCodePageBytes - 1);
  }
  Instruction& entry = (*page)[pc % kCodePageBytes / 2];
  const uint8_t* code = in_sram < kSramBytes ? memory_.sram() + in_sram : memory_.flash() + in_flash;
  // Code in SRAM may have been written over since.
  if (entry.bytes != 0 && (in_sram >= kSramBytes || std::memcmp(code, &entry.raw, entry.bytes) == 0)) return entry;
  uint16_t halves[2] = {};
  std::memcpy(&halves[0], code, 2);
  if (memory_.at(pc + 2, 2) != nullptr) std::memcpy(&halves[1], code + 2, 2);
  entry = decode(halves[0], halves[1]);
  return entry;
}

// What is known about the last instruction only when the next one starts.
void Core::settle_previous(uint32_t pc, const Instruction& now) {
  const Instruction& last = *last_;
  last_ = nullptr;
  spinning_ = false;
  // Instructions of an IT block whose condition failed are executed, too, but Unicorn does not report them.
  if (it_end_ != 0) {
    while (expected_ != pc && expected_ < it_end_) {
      const Instruction& skipped = decoded(expected_);
      ++counts_.instructions;
      ++counts_.cycles;
      expected_ += skipped.bytes;
    }
    if (pc >= it_end_) it_end_ = 0;
  }
  constexpr uint16_t kLeavesMore =
      Instruction::kBranch | Instruction::kStack | Instruction::kSystem | Instruction::kSendEvent;
  if (!last.is(kLeavesMore)) return;
  if (last.is(Instruction::kBranch) && pc != expected_) {
    counts_.cycles += costs::kTaken;
    if (now.bytes == 4 && (pc & 2)) counts_.cycles += costs::kUnalignedTarget;
  }
  if (last.is(Instruction::kStack)) {
    const bool moved = last.is(Instruction::kSystem) || last.raw >> 8 == 0x46;  // MSR or MOV, not a decrement
    note_stack(get(UC_ARM_REG_SP), moved);
  }
  if (last.is(Instruction::kSystem) && system_.exceptions.any_pending()) attention_ = true;
  if (last.is(Instruction::kSendEvent)) host_.event_sent(index_);
  spinning_ = last.is(Instruction::kSelf) && pc == last_pc_;
}

// A stack pointer that is moved far below (to the stack of a fault handler, say) tells nothing about this stack.
void Core::note_stack(uint32_t sp, bool moved) {
  constexpr uint32_t kFar = 4096;
  if (sp + kFar >= counts_.lowest_stack && sp <= counts_.stack_top) {
    elsewhere_ = false;
  } else if (moved) {
    elsewhere_ = true;
  }
  if (!elsewhere_ && sp < counts_.lowest_stack) counts_.lowest_stack = sp;
}

void Core::instruction(uint32_t pc) {
  if (quiet_) return;
  if (fault_.exception != kNoException) return;  // the rest of an IT block, in which Unicorn cannot stop
  const Instruction& now = decoded(pc);
  if (last_ != nullptr) settle_previous(pc, now);
  if (it_end_ == 0) {  // inside an IT block Unicorn cannot stop
    if (spinning_ && counts_.cycles < limit_) counts_.cycles = limit_;
    if (counts_.cycles >= limit_ || attention_) {
      stopped_by_us_ = true;
      pc_ = pc;
      uc_emu_stop(uc_);
      return;
    }
  }
  pc_ = pc;
  if (now.is(Instruction::kFp)) changed_ = true;  // its registers are not looked at
  if (now.is(Instruction::kFp) && !system_.fpu_enabled()) {
    fault_ = {kUsageFault, kNoCp, 0, pc};
    uc_emu_stop(uc_);
    return;
  }
  if (now.is(Instruction::kDivide) && system_.traps_divide_by_zero() && divides_by_zero(now)) {
    fault_ = {kUsageFault, kDivByZero, 0, pc};
    uc_emu_stop(uc_);
    return;
  }
  if (pc / kGranuleBytes != allowed_granule_) {
    if (system_.mpu.on() && mpu_judges() && !system_.mpu.allows(Mpu::Use::kExecute, pc, now.bytes)) {
      fault_ = {kMemManage, kIaccViol, 0, pc};
      uc_emu_stop(uc_);
      return;
    }
    allowed_granule_ = pc / kGranuleBytes;
  }
  ++counts_.instructions;
  counts_.cycles += cost(pc, now);
  last_ = &now;
  last_pc_ = pc;
  expected_ = pc + now.bytes;
  if (now.is(Instruction::kIt)) {
    it_end_ = expected_;
    for (unsigned i = 0; i < now.block; ++i) it_end_ += decoded(it_end_).bytes;
  }
}

void Core::skip(uint64_t cycles) {
  if (counts_.cycles >= limit_) return;
  const uint64_t skipped = std::min(cycles, limit_ - counts_.cycles);
  counts_.cycles += skipped;
  counts_.sleeping_cycles += skipped;
}

// A loop that only looks whether something has happened comes back to the same read with the same registers, after the
// same reads with the same results, and has changed nothing on the way. It would do so for ever, so time can go on to
// what is due next.
void Core::note_peripheral_read(uint32_t address, uint32_t value) {
  constexpr uint64_t kLongestLoop = 256, kPrime = 0x100000001B3;
  Loop& l = loop_;
  l.reads = (((l.reads ^ pc_) * kPrime ^ address) * kPrime ^ value) * kPrime;
  if (pc_ != l.pc) {
    if (counts_.instructions - l.instructions > kLongestLoop) {
      l.pc = pc_;
      l.instructions = counts_.instructions;
      changed_ = true;
    }
    return;
  }
  const bool same = !changed_ && l.reads == l.last_reads;
  const uint64_t registers = same || l.candidate ? hash_of_registers() : 0;
  polling_ = same && l.candidate && registers == l.registers;
  if (polling_) skip(kNever);
  l.candidate = same;
  l.registers = registers;
  l.last_reads = l.reads;
  l.reads = 0;
  l.instructions = counts_.instructions;
  changed_ = false;
}

uint64_t Core::hash_of_registers() const {
  uint64_t hash = 0;
  for (int reg = UC_ARM_REG_R0; reg <= UC_ARM_REG_R12; ++reg) hash = (hash ^ get(reg)) * 0x100000001B3;
  for (int reg : {UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_XPSR, UC_ARM_REG_PRIMASK, UC_ARM_REG_BASEPRI})
    hash = (hash ^ get(reg)) * 0x100000001B3;
  return hash;
}

}  // namespace wick::sim
