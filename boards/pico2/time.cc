// See time.h.
#include "pico2/time.h"

namespace wick::pico2 {

void start_counters() {
  constexpr uint32_t kTimer0Ticks = kTicks + 0x18, kCrystalCyclesPerMicrosecond = kCrystalHz / 1'000'000;
  reg(kTimer0Ticks) = 0;
  reg(kTimer0Ticks + 4) = kCrystalCyclesPerMicrosecond;
  reg(kTimer0Ticks) = 1;
  take_out_of_reset(kTimer0Block);
  reg(0xE000EDFC) |= 1u << 24;  // DEMCR.TRCENA: the counter has power
  reg(0xE0001004) = 0;
  reg(0xE0001000) |= 1;
}

}  // namespace wick::pico2
