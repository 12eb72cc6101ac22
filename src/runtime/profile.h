// The hook through which a platform counts: instructions under emulation, cycles on a board, nanoseconds on a host.
#pragma once

#include <cstdint>

namespace wick {

// Called around every step when execute() is given one; nothing is called otherwise.
class Profiler {
 public:
  // `step` counts the method's steps from 0 (Method::step_name); for a method with jumps a step may come repeatedly.
  virtual void begin_step(uint32_t step) = 0;
  virtual void end_step(uint32_t step) = 0;

 protected:
  ~Profiler() = default;
};

}  // namespace wick
