// Oscillators, PLLs and the clocks made of them. Knows the frequencies that follow from the registers, and refuses
// settings that leave the chip without a clock or outside a PLL's range; refuses to know who uses a clock.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/bus.h"

namespace wick::sim {

inline constexpr uint64_t kCrystalHz = 12'000'000;
inline constexpr uint64_t kRoscHz = 11'000'000;  // nominal; a chip's own may be 4.6 to 19.6 MHz

class Xosc final : public Block {
 public:
  explicit Xosc(Chip& chip) : Block("XOSC"), chip_(chip) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  uint64_t next_event_ps() const override { return enabled() && !stable() ? stable_at_ps_ : kNever; }
  bool stable() const { return enabled() && chip_.time_ps() >= stable_at_ps_; }

 private:
  bool enabled() const { return ((control_ >> 12) & 0xFFF) == 0xFAB && (control_ & 0xFFF) == 0xAA0; }
  Chip& chip_;
  uint32_t control_ = 0xAA0, startup_ = 0xC4;
  uint64_t stable_at_ps_ = kNever;
};

class Pll final : public Block {
 public:
  Pll(const char* name, Chip& chip, const Xosc& xosc) : Block(name), chip_(chip), xosc_(xosc) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  void reset() override;
  uint64_t next_event_ps() const override { return running() && !locked() ? locked_at_ps_ : kNever; }
  uint64_t hz() const;  // of the output: 0 while it gives none
  std::function<void()> on_change;

 private:
  bool running() const;
  bool locked() const { return running() && chip_.time_ps() >= locked_at_ps_; }
  uint64_t vco_hz() const;
  Chip& chip_;
  const Xosc& xosc_;
  uint32_t cs_ = 1, power_ = 0x2D, feedback_ = 0, prim_ = 0x77000;
  uint64_t locked_at_ps_ = 0;
};

class Clocks final : public Block {
 public:
  Clocks(Chip& chip, const Xosc& xosc, const Pll& sys, const Pll& usb)
      : Block("CLOCKS"), chip_(chip), xosc_(xosc), pll_sys_(sys), pll_usb_(usb) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;

  uint64_t ref_hz() const;
  uint64_t sys_hz() const;
  uint64_t peri_hz() const;  // 0 while not enabled
  uint64_t usb_hz() const;   // 0 while not enabled
  // Called whenever a register of clocks or PLLs was written: who drives time looks at sys_hz().
  std::function<void()> on_change;
  // For on_change: stops the run when clk_ref or clk_sys has no source.
  void check_alive();

 private:
  uint64_t aux_hz(uint32_t source) const;  // the list that SYS and PERI share from 1 on
  Chip& chip_;
  const Xosc& xosc_;
  const Pll& pll_sys_;
  const Pll& pll_usb_;
  uint32_t ref_ctrl_ = 0, ref_div_ = 1 << 16;
  uint32_t sys_ctrl_ = 0, sys_div_ = 1 << 16;
  uint32_t peri_ctrl_ = 0, peri_div_ = 1 << 16;
  uint32_t usb_ctrl_ = 0, usb_div_ = 1 << 16;
  uint32_t resus_ctrl_ = 0xFF;
};

}  // namespace wick::sim
