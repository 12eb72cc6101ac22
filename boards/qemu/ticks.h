// Ticks under emulation: a marker instruction, which the emulator's plugin knows, has an ordinal. What stands between
// start_ticks() and stop_ticks() is counted exactly: their own instructions are outside.
#pragma once

#include <cstdint>

namespace wick::platform {

inline uint32_t next_marker = 0;

// Nothing is left to do after the marker.
[[gnu::always_inline]] inline void start_ticks(uint32_t* start) {
  *start = next_marker++;
  __asm volatile("mov r10, r10" ::: "memory");
}

[[gnu::always_inline]] inline void stop_ticks(uint32_t* stop) {
  __asm volatile("mov r10, r10" ::: "memory");
  *stop = next_marker++;
}

}  // namespace wick::platform
