// Cycles of clk_sys and time, one from the other, while the clock's rate changes.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/chip.h"

namespace wick::sim {

class TimeBase {
 public:
  void set_hz(uint64_t cycle, uint64_t hz) {
    base_ps_ = ps(cycle);
    base_cycle_ = cycle;
    ps_per_cycle_ = 1e12 / static_cast<double>(hz);
  }
  uint64_t ps(uint64_t cycle) const {
    const int64_t since = static_cast<int64_t>(cycle - base_cycle_);
    return base_ps_ + static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>(since) * ps_per_cycle_));
  }
  // The first cycle that is not before the time.
  uint64_t cycle(uint64_t ps) const {
    if (ps == kNever) return kNever;
    if (ps <= base_ps_) return base_cycle_;
    return base_cycle_ + static_cast<uint64_t>(std::ceil(static_cast<double>(ps - base_ps_) / ps_per_cycle_));
  }

 private:
  uint64_t base_ps_ = 0, base_cycle_ = 0;
  double ps_per_cycle_ = 1e12 / 11e6;
};

}  // namespace wick::sim
