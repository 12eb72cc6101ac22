// Ticks on the board are cycles of the core that executes.
#pragma once

#include <cstdint>

#include "pico2/time.h"

namespace wick::platform {

[[gnu::always_inline]] inline void start_ticks(uint32_t* start) { *start = pico2::cycles(); }
[[gnu::always_inline]] inline void stop_ticks(uint32_t* stop) { *stop = pico2::cycles(); }

}  // namespace wick::platform
