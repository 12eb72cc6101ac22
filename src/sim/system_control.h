// The private peripherals of one core: system control block, NVIC, SysTick, MPU, FPU access, and the cycle counter.
// Knows their registers; the core that owns them asks for what they decide.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/bus.h"
#include "sim/exceptions.h"
#include "sim/mpu.h"

namespace wick::sim {

// Bits of the configurable fault status.
enum FaultBits : uint32_t {
  kIaccViol = 1u << 0,
  kDaccViol = 1u << 1,
  kMunstkErr = 1u << 3,
  kMstkErr = 1u << 4,
  kMmarValid = 1u << 7,
  kIbusErr = 1u << 8,
  kPrecisErr = 1u << 9,
  kStkErr = 1u << 12,
  kBfarValid = 1u << 15,
  kUndefInstr = 1u << 16,
  kInvState = 1u << 17,
  kInvPc = 1u << 18,
  kNoCp = 1u << 19,
  kStkOf = 1u << 20,
  kUnaligned = 1u << 24,
  kDivByZero = 1u << 25,
};
// "DACCVIOL MMARVALID" and so on.
std::string fault_names(uint32_t bits);

// What the registers need to know of their core.
struct CoreView {
  std::function<uint64_t()> cycles;
  std::function<unsigned()> current_exception;
  std::function<void()> exceptions_changed;
  std::function<void()> reset_requested;
  std::function<double()> systick_reference_hz;  // of the PROC tick
  std::function<uint64_t()> sys_hz;
  std::function<void(uint32_t cycle_count)> cycle_count_read;
};

class SystemControl final : public Block {
 public:
  explicit SystemControl(CoreView view) : Block("PPB"), view_(std::move(view)) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access& access, uint32_t offset, const Write& write) override;
  void reset() override;

  Exceptions exceptions;
  Mpu mpu;
  uint32_t vector_table = 0;
  uint32_t coprocessors = 0;  // CPACR
  bool fpu_enabled() const { return (coprocessors >> 20 & 0xF) == 0xF; }
  bool automatic_fp_stacking() const { return fp_context_ >> 31 != 0; }
  bool traps_divide_by_zero() const { return configuration_ & 0x10; }
  void record_fault(uint32_t bits, uint32_t address);
  void record_escalation() { hard_fault_ |= 1u << 30; }

  // SysTick in cycles of the core: when it next reaches zero, and letting it.
  uint64_t next_systick_cycle() const { return systick_at_; }
  void advance(uint64_t cycle) override;

 private:
  bool read_systick(uint32_t offset, uint32_t& value);
  bool write_systick(uint32_t offset, uint32_t value);
  bool read_scb(uint32_t offset, uint32_t& value);
  bool write_scb(uint32_t offset, uint32_t value);
  bool write_scs(const Access& access, uint32_t offset, uint32_t value);
  double systick_period() const;  // cycles per step

  CoreView view_;
  uint32_t configuration_ = 0x201, fault_status_ = 0, hard_fault_ = 0, memory_address_ = 0, bus_address_ = 0;
  uint32_t sleep_ = 0;
  uint32_t fp_context_ = 0xC0000004, fp_context_address_ = 0, fp_default_ = 0;
  uint32_t debug_control_ = 0, dwt_control_ = 0x40000000;
  uint64_t cycle_base_ = 0;
  uint32_t cycle_count_ = 0;  // while it stands
  uint32_t tick_control_ = 0, tick_reload_ = 0;
  uint64_t systick_at_ = kNever;
};

}  // namespace wick::sim
