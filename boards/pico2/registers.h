// Addresses and bits of the RP2350 that this board's code touches, and how registers are written. Knows no order of
// doing things.
#pragma once

#include <cstdint>

namespace wick::pico2 {

inline volatile uint32_t& reg(uint32_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
// Atomic aliases, which every APB and AHB register has.
inline void set_bits(uint32_t address, uint32_t bits) { reg(address + 0x2000) = bits; }
inline void clear_bits(uint32_t address, uint32_t bits) { reg(address + 0x3000) = bits; }

inline constexpr uint32_t kClockHz = 150'000'000;  // core and peripherals
inline constexpr uint32_t kCrystalHz = 12'000'000;

inline constexpr uint32_t kClocks = 0x40010000;
inline constexpr uint32_t kPsm = 0x40018000;
inline constexpr uint32_t kResets = 0x40020000;
inline constexpr uint32_t kIoBank0 = 0x40028000;
inline constexpr uint32_t kPadsBank0 = 0x40038000;
inline constexpr uint32_t kXosc = 0x40048000;
inline constexpr uint32_t kPllSys = 0x40050000;
inline constexpr uint32_t kPllUsb = 0x40058000;
inline constexpr uint32_t kUart0 = 0x40070000;
inline constexpr uint32_t kTimer0 = 0x400B0000;
inline constexpr uint32_t kWatchdog = 0x400D8000;
inline constexpr uint32_t kTicks = 0x40108000;
inline constexpr uint32_t kUsbRam = 0x50100000;
inline constexpr uint32_t kUsb = 0x50110000;
inline constexpr uint32_t kSio = 0xD0000000;

// Bits of RESETS.
enum Block : uint32_t {
  kIoBank0Block = 1u << 6,
  kPadsBank0Block = 1u << 9,
  kPllSysBlock = 1u << 14,
  kPllUsbBlock = 1u << 15,
  kTimer0Block = 1u << 23,
  kUart0Block = 1u << 26,
  kUsbBlock = 1u << 28,
};

// False when the hardware does not get there within far more time than it ever takes.
inline bool wait_until(uint32_t address, uint32_t mask, uint32_t value) {
  for (uint32_t tries = 0; tries < 1'000'000; ++tries) {
    if ((reg(address) & mask) == value) return true;
  }
  return false;
}

inline bool take_out_of_reset(uint32_t blocks) {
  clear_bits(kResets, blocks);
  return wait_until(kResets + 8, blocks, blocks);
}
inline bool restart(uint32_t blocks) {
  set_bits(kResets, blocks);
  return take_out_of_reset(blocks);
}

// FUNCSEL of a pin.
enum class PinFunction : uint32_t { kUart = 2, kSio = 5 };

// The pad is cut off (ISO) until everything else about the pin is set.
inline void connect_pin(uint32_t pin, PinFunction function) {
  const uint32_t pad = kPadsBank0 + 4 + 4 * pin;
  constexpr uint32_t kIsolate = 1u << 8, kOutputDisable = 1u << 7, kInputEnable = 1u << 6;
  set_bits(pad, kInputEnable);
  clear_bits(pad, kOutputDisable);
  reg(kIoBank0 + 8 * pin + 4) = static_cast<uint32_t>(function);
  clear_bits(pad, kIsolate);
}

}  // namespace wick::pico2
