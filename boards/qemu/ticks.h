// Ticks under emulation: a marker instruction, which the emulator's plugin knows, has an ordinal. What stands between
// start_ticks() and stop_ticks() is counted exactly: their own instructions are outside.
#pragma once

#include <cstdint>

namespace wick::platform {

inline uint32_t next_marker = 0;

[[gnu::always_inline]] inline uint32_t start_ticks() {
  const uint32_t ordinal = next_marker++;
  __asm volatile("mov r10, r10" ::: "memory");
  return ordinal;
}

[[gnu::always_inline]] inline uint32_t stop_ticks() {
  __asm volatile("mov r10, r10" ::: "memory");
  return next_marker++;
}

}  // namespace wick::platform
