// One Cortex-M33: Unicorn executes, this class adds what Unicorn leaves out: counting, exceptions and faults, sleeping,
// the FPU's and MPU's access rules. Knows the CPU; refuses to know what any peripheral does.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/boot.h"
#include "sim/bus.h"
#include "sim/memory.h"
#include "sim/system_control.h"
#include "sim/thumb.h"
#include "sim/xip_cache.h"

namespace wick::sim {

// What a core needs from the machine around it.
class CoreHost {
 public:
  virtual uint32_t bus_read(int core, const Window& window, uint32_t offset, uint32_t bytes) = 0;
  virtual void bus_write(int core, const Window& window, uint32_t offset, uint32_t bytes, uint32_t value) = 0;
  // The core is about to take a fault: true ends the run there instead.
  virtual bool fault_taken(int core, const std::string& what) = 0;
  virtual void stop_core(int core, StopKind kind, const std::string& why) = 0;
  virtual void event_sent(int core) = 0;
  virtual void trace_exception(int core, const std::string& what) = 0;

 protected:
  ~CoreHost() = default;
};

struct CoreCounts {
  uint64_t instructions = 0;
  uint64_t cycles = 0;  // estimated, asleep or awake
  uint64_t sleeping_cycles = 0;
  uint32_t stack_top = 0;
  uint32_t lowest_stack = 0;  // lowest value that the stack pointer had
};

class Core {
 public:
  Core(int index, CoreHost& host, Memory& memory, Bus& bus, XipCache& cache, CoreView view,
       const std::vector<Window>& windows);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void map_flash(bool attached);
  void start(const Entry& entry, uint64_t cycle);
  void hold();

  bool powered() const { return powered_; }
  // Asleep, spinning on one instruction, or in a loop that waits for a peripheral.
  bool idle() const { return asleep_ || spinning_ || polling_; }

  // Executes until `cycle`, or earlier when cut short.
  void run_until(uint64_t cycle);
  // From callbacks: look around after this instruction.
  void cut_short() { limit_ = slice_end_ = 0; }
  // Lets time pass without instructions, but not over what is due in this slice.
  void skip(uint64_t cycles);
  // For loops that wait by reading a peripheral: see core.cc.
  void note_peripheral_read(uint32_t address, uint32_t value);
  void note_change() {
    changed_ = true;
    allowed_granule_ = kNoGranule;  // it may have been the MPU
  }
  void signal_event();
  void set_interrupt(unsigned line, bool raised);

  uint64_t cycles() const { return counts_.cycles; }
  const CoreCounts& counts() const { return counts_; }
  uint32_t pc() const { return pc_; }
  unsigned current_exception() const;
  SystemControl& system() { return system_; }
  const SystemControl& system() const { return system_; }
  std::string registers_text() const;

 private:
  static constexpr uint32_t kCodePageBytes = 4096;
  struct PendingFault {
    unsigned exception = kNoException;
    uint32_t bits = 0;
    uint32_t address = 0;
    uint32_t pc = 0;
  };
  struct Undo {
    uint32_t address = 0, bytes = 0;
    uint8_t old[8] = {};
  };
  struct Port {
    Core* core;
    const Window* window;
  };

  // Unicorn's callbacks.
  static void on_code(uc_engine*, uint64_t address, uint32_t size, void* self);
  static void on_memory(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t value, void* self);
  static bool on_bad_memory(uc_engine*, uc_mem_type type, uint64_t address, int size, int64_t value, void* self);
  static void on_interrupt(uc_engine*, uint32_t number, void* self);
  static bool on_invalid(uc_engine*, void* self);
  static uint64_t on_read(uc_engine*, uint64_t offset, unsigned size, void* port);
  static void on_write(uc_engine*, uint64_t offset, unsigned size, uint64_t value, void* port);

  void instruction(uint32_t pc);
  const Instruction& decoded(uint32_t pc) {
    const uint32_t offset = pc - code_base_;
    if (offset < kCodePageBytes && code_[offset / 2].bytes != 0) return code_[offset / 2];
    return decode_at(pc);
  }
  const Instruction& decode_at(uint32_t pc);
  void settle_previous(uint32_t pc, const Instruction& now);
  uint32_t cost(uint32_t pc, const Instruction& now);
  uint32_t fp_stall(const Instruction& now);
  uint32_t division_cycles(const Instruction& now) const;
  uint32_t core_register(uint32_t number) const;
  bool divides_by_zero(const Instruction& now) const;
  void note_stack(uint32_t sp, bool moved);
  void access(bool write, uint32_t address, uint32_t bytes);
  void take_back(bool write, uint32_t address, uint32_t bytes);
  uint32_t access_cycles(bool write, uint32_t address);

  uint64_t hash_of_registers() const;
  void write_stack_limit(uint32_t limit);
  uint32_t get(int reg) const;
  void set(int reg, uint32_t value);
  Masks masks() const;
  bool fp_active() const;
  void refresh();

  bool mpu_judges() const;
  bool wakes();
  void handle_stop(uc_err error);
  void handle_trap();
  void raise(unsigned exception, uint32_t bits, uint32_t address, uint32_t pc);
  void take_pending();
  unsigned stacking_failed(unsigned exception);
  bool push_frame(uint32_t return_pc, uint32_t* exc_return);
  bool pop_frame(uint32_t exc_return);
  void enter(unsigned exception, uint32_t return_pc);
  void leave(uint32_t exc_return);
  void sleep_or_pass(bool for_event);

  const int index_;
  CoreHost& host_;
  Memory& memory_;
  Bus& bus_;
  XipCache& cache_;
  SystemControl system_;
  uc_engine* uc_ = nullptr;
  Window private_window_{};
  std::vector<std::unique_ptr<Port>> ports_;
  const Instruction* code_ = nullptr;                             // of the page of flash that was executed last
  uint32_t code_base_ = 0xFFFFF000;                               // where that is: no code is here
  std::vector<std::vector<Instruction>> flash_code_, sram_code_;  // by page, made when first executed

  bool powered_ = false, asleep_ = false, sleep_for_event_ = false, event_ = false, spinning_ = false;
  bool elsewhere_ = false;  // the stack pointer is not in the stack that is watched
  bool quiet_ = false;      // executing on the simulator's own behalf: nothing counts
  CoreCounts counts_;
  uint64_t slice_end_ = 0, limit_ = 0;
  bool attention_ = false;  // exceptions are to be looked at before the next instruction
  bool executes_hard_fault_ = false;
  static constexpr uint32_t kGranuleBytes = 32, kNoGranule = ~0u;  // the MPU decides for so many bytes at once
  uint32_t allowed_granule_ = kNoGranule;                          // where executing is known to be allowed
  uint32_t pc_ = 0;
  const Instruction* last_ = nullptr;
  // What the next instruction's cost depends on.
  uint16_t late_ = 0, before_flags_ = 0;
  Instruction::Late late_kind_ = Instruction::Late::kNothing;
  uint32_t fp_late_ = 0, fetched_line_ = 0;
  bool fp_late_from_mac_ = false;
  uint64_t fp_free_cycle_ = 0;
  uint32_t last_pc_ = 0, expected_ = 0, it_end_ = 0;
  bool stopped_by_us_ = false;
  int trap_ = -1;  // number that on_interrupt saw
  bool invalid_ = false;
  PendingFault fault_;
  std::vector<Undo> undo_;

  // What is known of the loop that ends in a peripheral's register.
  struct Loop {
    uint32_t pc = 0;
    uint64_t instructions = 0;  // when it last came by
    uint64_t reads = 0, last_reads = 0, registers = 0;
    bool candidate = false;
  } loop_;
  bool changed_ = true;   // since then
  bool polling_ = false;  // the loop waits
};

}  // namespace wick::sim
