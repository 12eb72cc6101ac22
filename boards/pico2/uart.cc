// See uart.h.
#include "pico2/uart.h"

#include "pico2/registers.h"

namespace wick::pico2 {
namespace {
constexpr uint32_t kData = kUart0, kFlags = kUart0 + 0x18;
constexpr uint32_t kBusy = 1u << 3, kInputEmpty = 1u << 4, kOutputFull = 1u << 5;
}  // namespace

void start_uart() {
  restart(kUart0Block);
  constexpr uint32_t kBaud = 115200;
  constexpr uint32_t kDivisor = (kClockHz * 4u + kBaud / 2) / kBaud;  // clock / (16 baud), in 64ths
  reg(kUart0 + 0x24) = kDivisor / 64;
  reg(kUart0 + 0x28) = kDivisor % 64;
  reg(kUart0 + 0x2C) = 3u << 5 | 1u << 4;  // 8 bits, FIFOs; takes over the divisors
  reg(kUart0 + 0x30) = 1u << 9 | 1u << 8 | 1u << 0;
  connect_pin(0, PinFunction::kUart);
  connect_pin(1, PinFunction::kUart);
}

void write_uart(const void* bytes, size_t count) {
  const uint8_t* from = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < count; ++i) {
    while ((reg(kFlags) & kOutputFull) != 0) {
    }
    reg(kData) = from[i];
  }
}

void drain_uart() {
  while ((reg(kFlags) & kBusy) != 0) {
  }
}

bool read_uart(uint8_t* byte) {
  if ((reg(kFlags) & kInputEmpty) != 0) return false;
  *byte = static_cast<uint8_t>(reg(kData));
  return true;
}

}  // namespace wick::pico2
