// The two counters that everything is timed with: core cycles (DWT) and microseconds of the crystal (TIMER0).
#pragma once

#include <cstdint>

#include "pico2/registers.h"

namespace wick::pico2 {

void start_counters();

// Wraps after 28 seconds. The second core has a counter of its own.
[[gnu::always_inline]] inline uint32_t cycles() { return reg(0xE0001004); }
// Wraps after 71 minutes.
inline uint32_t microseconds() { return reg(kTimer0 + 0x28); }

inline void wait_microseconds(uint32_t count) {
  const uint32_t start = microseconds();
  while (microseconds() - start < count) {
  }
}

}  // namespace wick::pico2
