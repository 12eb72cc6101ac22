// Exceptions of a core: frames pushed and popped, faults raised and escalated. The FPU's registers are stacked at once
// where the chip would put it off; the frame is the same.
#include "sim/core.h"
#include "sim/costs.h"
#include "sim/refusal.h"

namespace wick::sim {
namespace {

constexpr uint32_t kFrameBytes = 32, kFpFrameBytes = 72;
constexpr uint32_t kPadded = 1u << 9;  // in a stacked xPSR: the frame was aligned
constexpr uint32_t kControlStack = 2, kControlFp = 4;
// EXC_RETURN.
constexpr uint32_t kReturnBase = 0xFFFFFFE1;  // Secure stack, all registers by the callee's rules, Secure exception
constexpr uint32_t kReturnNoFp = 0x10, kReturnThread = 8, kReturnProcess = 4;
constexpr int kFrameRegisters[] = {UC_ARM_REG_R0, UC_ARM_REG_R1,  UC_ARM_REG_R2,
                                   UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};

const char* exception_name(unsigned exception) {
  switch (exception) {
    case kNmi:
      return "NMI";
    case kHardFault:
      return "HardFault";
    case kMemManage:
      return "MemManage";
    case kBusFault:
      return "BusFault";
    case kUsageFault:
      return "UsageFault";
    case kSvCall:
      return "SVCall";
    case kPendSv:
      return "PendSV";
    case kSysTick:
      return "SysTick";
    default:
      return "interrupt";
  }
}

std::string describe(unsigned exception) {
  const std::string name = exception_name(exception);
  return exception >= kFirstInterrupt ? name + " " + std::to_string(exception - kFirstInterrupt) : name;
}

}  // namespace

bool Core::fp_active() const {
  return system_.automatic_fp_stacking() && system_.fpu_enabled() && (get(UC_ARM_REG_CONTROL) & kControlFp) != 0;
}

// Unicorn keeps a digest of the state that its translations depend on; writing the flags makes it anew.
void Core::refresh() { set(UC_ARM_REG_APSR_NZCV, get(UC_ARM_REG_XPSR)); }

bool Core::push_frame(uint32_t return_pc, uint32_t* exc_return) {
  const uint32_t sp = get(UC_ARM_REG_SP), control = get(UC_ARM_REG_CONTROL);
  const bool fp = fp_active(), thread = current_exception() == 0;
  const uint32_t frame = ((sp - kFrameBytes - (fp ? kFpFrameBytes : 0)) & ~7u);
  *exc_return = kReturnBase | (fp ? 0 : kReturnNoFp) | (thread ? kReturnThread : 0) |
                (thread && (control & kControlStack) ? kReturnProcess : 0);
  bool ok = true;
  const auto store = [&](uint32_t offset, uint32_t value) {
    if (system_.mpu.on() && mpu_judges() && !system_.mpu.allows(Mpu::Use::kWrite, frame + offset, 4)) ok = false;
    ok = ok && memory_.store_word(frame + offset, value);
  };
  for (uint32_t i = 0; i < 6; ++i) store(4 * i, get(kFrameRegisters[i]));
  store(24, return_pc);
  store(28, (get(UC_ARM_REG_XPSR) & ~kPadded) | (sp & 4 ? kPadded : 0));
  if (fp) {
    for (uint32_t i = 0; i < 16; ++i) store(kFrameBytes + 4 * i, get(UC_ARM_REG_S0 + static_cast<int>(i)));
    store(kFrameBytes + 64, get(UC_ARM_REG_FPSCR));
    counts_.cycles += costs::kExceptionFpFrame;
  }
  set(UC_ARM_REG_SP, frame);
  note_stack(frame, false);
  set(UC_ARM_REG_CONTROL, control & ~(kControlFp | 8));
  return ok;
}

// The frame did not fit. The fault of that goes first, with the frame as far as it came, and the exception waits; a
// HardFault is entered all the same.
unsigned Core::stacking_failed(unsigned exception) {
  system_.record_fault(kMstkErr, 0);
  if (exception == kHardFault) return exception;
  system_.exceptions.pend(exception);
  if (system_.exceptions.fault_enabled(kMemManage) && system_.exceptions.can_take(kMemManage, masks()))
    return kMemManage;
  system_.record_escalation();
  return kHardFault;
}

void Core::enter(unsigned exception, uint32_t return_pc) {
  uint32_t exc_return = 0;
  if (!push_frame(return_pc, &exc_return)) exception = stacking_failed(exception);
  system_.exceptions.enter(exception);
  set(UC_ARM_REG_XPSR_NZCVQG, (get(UC_ARM_REG_XPSR) & 0xF80F0000) | 1u << 24 | exception);
  refresh();
  set(UC_ARM_REG_LR, exc_return);
  counts_.cycles += costs::kExceptionEntry;
  executes_hard_fault_ = system_.exceptions.execution_priority({}) < 0;
  allowed_granule_ = kNoGranule;
  event_ = true;
  asleep_ = polling_ = false;
  const uint32_t slot = system_.vector_table + 4 * exception;
  const uint32_t vector = memory_.word(slot);
  host_.trace_exception(
      index_, "enters " + describe(exception) + " at " + hex(vector & ~1u) + ", returns to " + hex(return_pc));
  if (memory_.at(slot, 4) == nullptr || memory_.at(vector & ~1u, 2) == nullptr) {
    host_.stop_core(index_, StopKind::kLockup,
                    "the vector of " + describe(exception) + " at " + hex(slot) + " leads to " + hex(vector) +
                        ", where no code is");
    return;
  }
  pc_ = vector & ~1u;
  if ((vector & 1) == 0) raise(kUsageFault, kInvState, 0, pc_);
}

void Core::take_pending() {
  if (!system_.exceptions.any_pending()) return;
  const unsigned exception = system_.exceptions.next(masks());
  if (exception != kNoException) enter(exception, pc_);
}

void Core::raise(unsigned exception, uint32_t bits, uint32_t address, uint32_t pc) {
  pc_ = pc;
  system_.record_fault(bits, address);
  unsigned taken = exception;
  if (exception != kHardFault &&
      (!system_.exceptions.fault_enabled(exception) || !system_.exceptions.can_take(exception, masks()))) {
    taken = kHardFault;
    system_.record_escalation();
  }
  std::string what = describe(exception);
  if (bits != 0) what += " (" + fault_names(bits) + ")";
  if (bits & (kMmarValid | kBfarValid)) what += " by an access to " + bus_.describe(address);
  what += " at PC " + hex(pc);
  if (taken == kHardFault && !system_.exceptions.can_take(kHardFault, masks())) {
    host_.stop_core(index_, StopKind::kLockup, what + " while a HardFault is handled: the core locks up");
    return;
  }
  if (host_.fault_taken(index_, what)) return;
  enter(taken, pc);
}

bool Core::pop_frame(uint32_t exc_return) {
  const bool process = (exc_return & (kReturnThread | kReturnProcess)) == (kReturnThread | kReturnProcess);
  const bool fp = (exc_return & kReturnNoFp) == 0;
  const uint32_t frame = get(process ? UC_ARM_REG_PSP : UC_ARM_REG_MSP);
  const uint32_t bytes = kFrameBytes + (fp ? kFpFrameBytes : 0);
  if (!memory_.in_sram(frame, bytes)) return false;
  const uint32_t xpsr = memory_.word(frame + 28);
  pc_ = memory_.word(frame + 24) & ~1u;
  uint32_t control = get(UC_ARM_REG_CONTROL) & ~(kControlFp | 8);
  if (exc_return & kReturnThread) control = (control & ~kControlStack) | (process ? kControlStack : 0);
  set(UC_ARM_REG_CONTROL, control);
  set(UC_ARM_REG_XPSR_NZCVQG, xpsr & ~kPadded);
  set(process ? UC_ARM_REG_PSP : UC_ARM_REG_MSP, frame + bytes + (xpsr & kPadded ? 4 : 0));
  for (uint32_t i = 0; i < 6; ++i) set(kFrameRegisters[i], memory_.word(frame + 4 * i));
  if (fp) {
    for (uint32_t i = 0; i < 16; ++i)
      set(UC_ARM_REG_S0 + static_cast<int>(i), memory_.word(frame + kFrameBytes + 4 * i));
    set(UC_ARM_REG_FPSCR, memory_.word(frame + kFrameBytes + 64));
    set(UC_ARM_REG_CONTROL, control | kControlFp | 8);
    counts_.cycles += costs::kExceptionFpFrame;
  }
  refresh();
  return true;
}

void Core::leave(uint32_t exc_return) {
  const unsigned exception = current_exception();
  if (exception == 0 || !system_.exceptions.active(exception)) {
    raise(kUsageFault, kInvPc, 0, pc_);
    return;
  }
  system_.exceptions.leave(exception);
  if (exception != kNmi) set(UC_ARM_REG_FAULTMASK, 0);
  if (!pop_frame(exc_return)) {
    raise(kMemManage, kMunstkErr, 0, pc_);
    return;
  }
  counts_.cycles += costs::kExceptionReturn;
  executes_hard_fault_ = system_.exceptions.execution_priority({}) < 0;
  allowed_granule_ = kNoGranule;
  event_ = true;
  attention_ = true;
  host_.trace_exception(index_, "returns from " + describe(exception) + " to " + hex(pc_));
}

}  // namespace wick::sim
