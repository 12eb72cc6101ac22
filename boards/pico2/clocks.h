// From whatever the boot ROM left running to the crystal, 150 MHz for the core and 48 MHz for USB.
#pragma once

namespace wick::pico2 {

// Null, or what did not come up.
const char* start_clocks();
// Compares core cycles with the crystal's microseconds: null, or what is wrong. Needs start_clocks() and the counters.
const char* check_clocks();

}  // namespace wick::pico2
