// See core.h: Unicorn's callbacks, counting, and what a stop of the emulation means. Exceptions are in
// core_exceptions.cc, counting in core_counting.cc, cycles in
// core_costs.cc. The callback before every instruction costs little (some 200 million a
// second) and makes the program counter exact in all others, which Unicorn 2.0 does not.
#include "sim/core.h"

#include <algorithm>
#include <utility>

#include "sim/costs.h"
#include "sim/refusal.h"

#if defined(__SANITIZE_ADDRESS__)
// Unicorn keeps some of its own memory to the end; what leaks here is ours alone. Asked for by LeakSanitizer.
extern "C" const char* __lsan_default_suppressions() { return "leak:libunicorn"; }
#endif

namespace wick::sim {
namespace {

// Where the simulator puts the few instructions that it needs itself, while it needs them: nothing of the chip is
// there.
constexpr uint32_t kScratchCode = 0x60000000;
// Numbers of Unicorn's (QEMU's) exceptions.
enum Trap {
  kTrapSvc = 2,
  kTrapPrefetch = 3,
  kTrapData = 4,
  kTrapBreakpoint = 7,
  kTrapReturn = 8,
  kTrapNoCp = 17,
  kTrapStack = 19
};

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) throw std::runtime_error(std::string("Unicorn: ") + what + ": " + uc_strerror(error));
}

template <typename Function>
void* callback(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

Core::Core(int index, CoreHost& host, Memory& memory, Bus& bus, XipCache& cache, CoreView view,
           const std::vector<Window>& windows)
    : index_(index), host_(host), memory_(memory), bus_(bus), cache_(cache), system_([&] {
        view.cycles = [this] { return counts_.cycles; };
        view.current_exception = [this] { return current_exception(); };
        view.exceptions_changed = [this] { attention_ = true; };
        return std::move(view);
      }()) {
  check(uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &uc_), "open");
  check(uc_ctl_set_cpu_model(uc_, UC_CPU_ARM_CORTEX_M33), "Cortex-M33");
  check(uc_mem_map_ptr(uc_, kSramBase, kSramBytes, UC_PROT_ALL, memory.sram()), "map SRAM");
  private_window_ = {0xE0000000, 0x10000, &system_, Kind::kPrivate};
  const auto map = [&](const Window& window) {
    ports_.push_back(std::make_unique<Port>(Port{this, &window}));
    check(uc_mmio_map(uc_, window.base, window.bytes, &Core::on_read, ports_.back().get(), &Core::on_write,
                      ports_.back().get()),
          "map peripheral");
  };
  for (const Window& window : windows) map(window);
  map(private_window_);
  uc_hook hook;
  const auto add = [&](int type, void* function) {
    check(uc_hook_add(uc_, &hook, type, function, this, 1, 0), "hook");
  };
  add(UC_HOOK_CODE, callback(&Core::on_code));
  add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, callback(&Core::on_memory));
  add(UC_HOOK_MEM_INVALID, callback(&Core::on_bad_memory));
  add(UC_HOOK_INTR, callback(&Core::on_interrupt));
  add(UC_HOOK_INSN_INVALID, callback(&Core::on_invalid));
  flash_code_.resize(kFlashBytes / kCodePageBytes);
  sram_code_.resize(kSramBytes / kCodePageBytes);
}

Core::~Core() { uc_close(uc_); }

void Core::map_flash(bool attached) {
  if (!attached) return;
  for (const uint32_t base : {kFlashBase, kFlashUncachedBase})
    check(uc_mem_map_ptr(uc_, base, kFlashBytes, UC_PROT_READ | UC_PROT_EXEC, memory_.flash()), "map flash");
}

uint32_t Core::get(int reg) const {
  uint32_t value = 0;
  uc_reg_read(uc_, reg, &value);
  return value;
}

void Core::set(int reg, uint32_t value) { uc_reg_write(uc_, reg, &value); }

// MSPLIM has no number in Unicorn's interface: an instruction writes it.
void Core::write_stack_limit(uint32_t limit) {
  constexpr uint16_t kCode[] = {0xF380, 0x880A};  // MSR MSPLIM, R0
  check(uc_mem_map(uc_, kScratchCode, kCodePageBytes, UC_PROT_ALL), "map scratch code");
  check(uc_mem_write(uc_, kScratchCode, kCode, sizeof(kCode)), "write scratch code");
  quiet_ = true;
  set(UC_ARM_REG_R0, limit);
  check(uc_emu_start(uc_, kScratchCode | 1, kScratchCode + sizeof(kCode), 0, 0), "scratch code");
  quiet_ = false;
  check(uc_mem_unmap(uc_, kScratchCode, kCodePageBytes), "unmap scratch code");
}

void Core::start(const Entry& entry, uint64_t cycle) {
  write_stack_limit(entry.sp_limit);
  system_.reset();
  system_.vector_table = entry.vector_table;
  system_.coprocessors = 0xC000;
  for (int reg = UC_ARM_REG_R0; reg <= UC_ARM_REG_R12; ++reg) set(reg, 0);
  set(UC_ARM_REG_MSP, entry.sp);
  set(UC_ARM_REG_LR, 0xFFFFFFFF);
  pc_ = entry.pc & ~1u;
  counts_.cycles = std::max(counts_.cycles, cycle);
  counts_.stack_top = counts_.lowest_stack = entry.sp;
  powered_ = true;
  asleep_ = spinning_ = event_ = false;
  last_ = nullptr;
  it_end_ = 0;
}

void Core::hold() {
  powered_ = false;
  cut_short();
}

unsigned Core::current_exception() const { return get(UC_ARM_REG_IPSR) & 0x1FF; }

Masks Core::masks() const {
  return {(get(UC_ARM_REG_PRIMASK) & 1) != 0, (get(UC_ARM_REG_FAULTMASK) & 1) != 0, get(UC_ARM_REG_BASEPRI) & 0xFF};
}

void Core::signal_event() { event_ = true; }

void Core::set_interrupt(unsigned line, bool raised) {
  system_.exceptions.set_line(line, raised);
  if (raised) attention_ = true;
}

// --- access rules

bool Core::mpu_judges() const { return !executes_hard_fault_ || system_.mpu.on_in_hard_fault(); }

void Core::access(bool write, uint32_t address, uint32_t bytes) {
  if (quiet_) return;
  if (fault_.exception != kNoException) return take_back(write, address, bytes);
  if (address % bytes != 0 && (address & 3) + bytes > 4) counts_.cycles += costs::kUnalignedAccess;
  if (address - kSramBase >= kSramBytes) counts_.cycles += access_cycles(write, address);
  if (last_ != nullptr && last_->is(Instruction::kAligned) && (address & 3) != 0) {
    fault_ = {kUsageFault, kUnaligned, 0, pc_};
  } else if (system_.mpu.on() && mpu_judges() &&
             !system_.mpu.allows(write ? Mpu::Use::kWrite : Mpu::Use::kRead, address, bytes)) {
    fault_ = {kMemManage, kDaccViol | kMmarValid, address, pc_};
  } else {
    return;
  }
  take_back(write, address, bytes);
  uc_emu_stop(uc_);
}

// A write that faults will happen all the same: what was there comes back at the stop.
void Core::take_back(bool write, uint32_t address, uint32_t bytes) {
  if (!write || !memory_.in_sram(address, bytes)) return;
  Undo& undo = undo_.emplace_back();
  undo.address = address;
  undo.bytes = bytes;
  std::memcpy(undo.old, memory_.at(address, bytes), bytes);
}

// --- callbacks

void Core::on_code(uc_engine*, uint64_t address, uint32_t, void* self) {
  static_cast<Core*>(self)->instruction(static_cast<uint32_t>(address));
}

void Core::on_memory(uc_engine*, uc_mem_type type, uint64_t wide_address, int size, int64_t value, void* self) {
  Core& core = *static_cast<Core*>(self);
  const uint32_t address = static_cast<uint32_t>(wide_address), bytes = static_cast<uint32_t>(size);
  const bool write = type == UC_MEM_WRITE;
  if (write) core.memory_.note_write(address);
  if (write && !core.changed_) {
    const uint8_t* old = core.memory_.in_sram(address, bytes) ? core.memory_.at(address, bytes) : nullptr;
    core.changed_ = old == nullptr || std::memcmp(old, &value, bytes) != 0;
  }
  core.access(write, address, bytes);
}

bool Core::on_bad_memory(uc_engine*, uc_mem_type type, uint64_t wide_address, int size, int64_t, void* self) {
  Core& core = *static_cast<Core*>(self);
  if (core.fault_.exception != kNoException) return false;
  const uint32_t address = static_cast<uint32_t>(wide_address);
  const bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
  const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
  if (unmodelled_block(address) != nullptr && !(write && core.memory_.at(address) != nullptr)) {
    const char* what = fetch ? "execution at " : write ? "write to " : "read of ";
    core.host_.stop_core(
        core.index_, StopKind::kUnmodelled,
        what + core.bus_.describe(address) + " (" + std::to_string(size) + " bytes), which is not modelled");
  }
  core.fault_ = {kBusFault, fetch ? kIbusErr : kPrecisErr | kBfarValid, address, fetch ? address : core.pc_};
  return false;
}

void Core::on_interrupt(uc_engine* uc, uint32_t number, void* self) {
  static_cast<Core*>(self)->trap_ = static_cast<int>(number);
  uc_emu_stop(uc);
}

bool Core::on_invalid(uc_engine*, void* self) {
  static_cast<Core*>(self)->invalid_ = true;
  return true;
}

uint64_t Core::on_read(uc_engine*, uint64_t offset, unsigned size, void* port) {
  const Port& p = *static_cast<Port*>(port);
  if (p.core->fault_.exception != kNoException) return 0;
  return p.core->host_.bus_read(p.core->index_, *p.window, static_cast<uint32_t>(offset), size);
}

void Core::on_write(uc_engine*, uint64_t offset, unsigned size, uint64_t value, void* port) {
  const Port& p = *static_cast<Port*>(port);
  if (p.core->fault_.exception != kNoException) return;
  p.core->host_.bus_write(p.core->index_, *p.window, static_cast<uint32_t>(offset), size, static_cast<uint32_t>(value));
}

// --- running

void Core::run_until(uint64_t cycle) {
  slice_end_ = cycle;
  while (powered_ && counts_.cycles < slice_end_) {
    system_.advance(counts_.cycles);
    limit_ = std::min(slice_end_, system_.next_systick_cycle());
    if (asleep_ && !wakes()) {
      counts_.sleeping_cycles += limit_ - counts_.cycles;
      counts_.cycles = limit_;
      continue;
    }
    asleep_ = false;
    attention_ = false;
    take_pending();
    if (slice_end_ == 0) return;
    stopped_by_us_ = invalid_ = false;
    trap_ = -1;
    const uc_err error = uc_emu_start(uc_, pc_ | 1, 0, 0, 0);
    handle_stop(error);
  }
}

bool Core::wakes() {
  if (!sleep_for_event_) return system_.exceptions.any_pending();
  if (event_) {
    event_ = false;
    return true;
  }
  return system_.exceptions.next(masks()) != kNoException;
}

void Core::sleep_or_pass(bool for_event) {
  pc_ = get(UC_ARM_REG_PC);
  if (for_event && event_) {
    event_ = false;
    return;
  }
  asleep_ = true;
  sleep_for_event_ = for_event;
}

void Core::handle_stop(uc_err error) {
  const Instruction* const last = last_;
  if (stopped_by_us_ && fault_.exception == kNoException) return;
  // An instruction that did not come to its end is not settled by a successor.
  last_ = nullptr;
  it_end_ = 0;
  if (fault_.exception != kNoException) {
    for (; !undo_.empty(); undo_.pop_back())
      std::memcpy(memory_.at(undo_.back().address, undo_.back().bytes), undo_.back().old, undo_.back().bytes);
    const PendingFault fault = std::exchange(fault_, {});
    raise(fault.exception, fault.bits, fault.address, fault.pc);
    return;
  }
  const bool waits = last != nullptr && last->is(Instruction::kWait);
  const bool yields = last != nullptr && last->raw == 0xBF10;
  if (trap_ >= 0) {
    handle_trap();
  } else if (waits) {
    sleep_or_pass(last->is(Instruction::kForEvent));
  } else if (yields) {
    pc_ = get(UC_ARM_REG_PC);
  } else if (error == UC_ERR_EXCEPTION) {
    raise(kUsageFault, kInvState, 0, get(UC_ARM_REG_PC));
  } else if (invalid_) {
    raise(kUsageFault, kUndefInstr, 0, pc_);
  } else if (error != UC_ERR_OK) {
    host_.stop_core(index_, StopKind::kUnmodelled, std::string("Unicorn gave up: ") + uc_strerror(error));
  } else {
    // A peripheral's callback ended the run in the middle of an instruction.
    pc_ = get(UC_ARM_REG_PC);
  }
}

void Core::handle_trap() {
  switch (trap_) {
    case kTrapSvc:
      pc_ = get(UC_ARM_REG_PC);
      system_.exceptions.pend(kSvCall);
      if (!system_.exceptions.can_take(kSvCall, masks())) {
        system_.exceptions.unpend(kSvCall);
        raise(kHardFault, 0, 0, pc_ - 2);
      }
      return;
    case kTrapReturn:
      leave(get(UC_ARM_REG_PC) | 1);
      return;
    case kTrapStack:
      raise(kUsageFault, kStkOf, 0, pc_);
      return;
    case kTrapPrefetch:
      raise(kMemManage, kIaccViol, 0, get(UC_ARM_REG_PC));
      return;
    case kTrapNoCp:
      raise(kUsageFault, kNoCp, 0, pc_);
      return;
    case kTrapBreakpoint:
      raise(kHardFault, 0, 0, pc_);
      return;
    default:
      raise(kUsageFault, kUndefInstr, 0, pc_);
  }
}

std::string Core::registers_text() const {
  std::string text;
  constexpr const char* kNames[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12"};
  for (int i = 0; i <= 12; ++i) text += std::string(kNames[i]) + "=" + hex(get(UC_ARM_REG_R0 + i)) + " ";
  return text + "sp=" + hex(get(UC_ARM_REG_SP)) + " lr=" + hex(get(UC_ARM_REG_LR)) + " pc=" + hex(pc_) +
         " xpsr=" + hex(get(UC_ARM_REG_XPSR));
}

}  // namespace wick::sim
