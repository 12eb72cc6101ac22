// Pins: what IO_BANK0, PADS_BANK0 and SIO together drive on them. Knows when a pad is isolated or its output is off;
// refuses to know what is connected, but for what board.h-like callers tell it about inputs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "sim/bus.h"

namespace wick::sim {

inline constexpr unsigned kPins = 30;  // of the RP2350A on a Pico 2

enum class Function : uint32_t { kUart = 2, kSio = 5, kNone = 0x1F };

class Gpio {
 public:
  explicit Gpio(Chip& chip) : io_(*this), pads_(*this), chip_(chip) {}

  class Io final : public Block {
   public:
    explicit Io(Gpio& gpio) : Block("IO_BANK0"), gpio_(gpio) {}
    std::span<const RegisterName> registers() const override;
    bool read(const Access&, uint32_t offset, uint32_t& value) override;
    bool write(const Access&, uint32_t offset, const Write& write) override;
    void reset() override;

   private:
    Gpio& gpio_;
  };
  class Pads final : public Block {
   public:
    explicit Pads(Gpio& gpio) : Block("PADS_BANK0"), gpio_(gpio) {}
    std::span<const RegisterName> registers() const override;
    bool read(const Access&, uint32_t offset, uint32_t& value) override;
    bool write(const Access&, uint32_t offset, const Write& write) override;
    void reset() override;

   private:
    Gpio& gpio_;
  };

  Block& io() { return io_; }
  Block& pads() { return pads_; }

  // SIO's registers, for all pins at once.
  uint32_t out() const { return out_; }
  uint32_t enabled() const { return out_enable_; }
  void set_out(uint32_t out, uint32_t enabled);
  uint32_t in() const;

  // True when the pin is connected to a peripheral and the pad lets it out.
  bool reaches_pad(unsigned pin, Function function) const;
  // True when a peripheral can hear the pin.
  bool heard(unsigned pin, Function function) const;
  // Called when SIO begins or ends to drive a pin, or changes its level there.
  std::function<void(unsigned pin, bool driven, bool level)> on_change;
  // What others drive from outside.
  void set_outside(unsigned pin, bool level);

 private:
  static constexpr uint32_t kPadReset = 0x116, kIsolated = 0x100, kOutputOff = 0x80, kInputOn = 0x40;
  struct Pin {
    uint32_t control = 0x1F, pad = kPadReset;
    bool driven = false, level = false;
  };
  void update(unsigned pin);
  std::array<Pin, kPins> pins_;
  uint32_t voltage_ = 0;
  uint32_t out_ = 0, out_enable_ = 0, outside_ = 0, outside_driven_ = 0;
  Io io_;
  Pads pads_;
  Chip& chip_;
};

}  // namespace wick::sim
