// See led.h.
#include "pico2/led.h"

#include "pico2/registers.h"
#include "pico2/time.h"

namespace wick::pico2 {
namespace {
constexpr uint32_t kPins[] = {25, 22, 23};
constexpr uint32_t kMask = 1u << 25 | 1u << 22 | 1u << 23;
constexpr uint32_t kOutSet = kSio + 0x18, kOutClear = kSio + 0x20, kEnableSet = kSio + 0x38;
}  // namespace

void start_led() {
  set_led(false);
  reg(kEnableSet) = kMask;
  for (const uint32_t pin : kPins) connect_pin(pin, PinFunction::kSio);
}

void set_led(bool on) { reg(on ? kOutSet : kOutClear) = kMask; }

void blink_result(bool success) {
  const uint32_t microseconds = success ? 500'000 : 100'000;
  for (int i = 0; i < 20; ++i) {
    set_led(i % 2 == 0);
    wait_microseconds(microseconds);
  }
}

void blink_without_clocks() {
  for (bool on = true;; on = !on) {
    set_led(on);
    for (uint32_t i = 0; i < 300'000; ++i) __asm volatile("");
  }
}

}  // namespace wick::pico2
