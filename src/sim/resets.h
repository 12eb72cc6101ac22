// Which blocks are held in reset, the power-up state machine of core 1, the watchdog's registers and the chip's
// identity: small blocks that start-up code goes through. Knows no block behind a reset bit.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/bus.h"

namespace wick::sim {

class Resets final : public Block {
 public:
  explicit Resets(Bus& bus) : Block("RESETS"), bus_(bus) { bus.set_held(kAtEntry); }
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;

 private:
  static constexpr uint32_t kAll = 0x1FFFFFFF;
  static constexpr uint32_t kAtEntry = 0x0D7DF93F;  // as the boot ROM leaves it
  Bus& bus_;
  uint32_t watchdog_select_ = 0;
};

class Psm final : public Block {
 public:
  Psm() : Block("PSM") {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  std::function<void(bool held)> on_core1;  // called when core 1 goes into reset or comes out of it

 private:
  static constexpr uint32_t kAll = 0x1FFFFFF, kProc1 = 1u << 24;
  uint32_t force_on_ = 0, force_off_ = 0, watchdog_select_ = 0;
};

class Watchdog final : public Block {
 public:
  explicit Watchdog(Chip& chip) : Block("WATCHDOG"), chip_(chip) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  uint64_t next_event_ps() const override { return deadline_ps_; }
  void advance(uint64_t time_ps) override;

 private:
  static constexpr uint32_t kEnable = 1u << 30, kTrigger = 1u << 31;
  void feed();
  Chip& chip_;
  uint32_t control_ = 0, load_ = 0;
  uint32_t scratch_[8] = {};
  uint64_t deadline_ps_ = kNever;
};

class SysInfo final : public Block {
 public:
  SysInfo() : Block("SYSINFO") {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t, const Write&) override { return false; }
};

// Registers that only keep what is written: the flash interface that the boot ROM has set up.
class Storage final : public Block {
 public:
  struct Register {
    RegisterName name;
    uint32_t value;
  };
  Storage(const char* name, std::vector<Register> registers);
  std::span<const RegisterName> registers() const override { return names_; }
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  uint32_t value(uint32_t offset);
  std::function<void()> on_write;

 private:
  std::vector<Register> registers_;
  std::vector<RegisterName> names_;
};

}  // namespace wick::sim
