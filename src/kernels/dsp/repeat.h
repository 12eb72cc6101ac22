// Feeds cores that step through both operands with operands that stay at one value: the value is repeated in a short
// buffer, and the run cut to its length.
#pragma once

#include "kernels/binary_runs.h"

namespace wick::kernels::dsp {

// Calls core(a, b, out, count) until the run is done; both pointers then step by 1.
template <typename CoreFn>
inline void stepping_run(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* out, CoreFn core) {
  if (shape.a_step != 0 && shape.b_step != 0) return core(a, b, out, shape.inner);
  constexpr uint32_t kRepeated = 64;
  int8_t repeated_a[kRepeated], repeated_b[kRepeated];
  for (uint32_t i = 0; i < kRepeated && i < shape.inner; ++i) {
    repeated_a[i] = *a;
    repeated_b[i] = *b;
  }
  for (uint32_t done = 0; done < shape.inner; done += kRepeated) {
    const uint32_t left = shape.inner - done;
    core(shape.a_step != 0 ? a + done : repeated_a, shape.b_step != 0 ? b + done : repeated_b, out + done,
         left < kRepeated ? left : kRepeated);
  }
}

template <typename CoreFn>
inline void for_each_stepping_run(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output,
                                  CoreFn core) {
  if (shape.inner == 0) return;
  for_each_run(shape, a, b, output,
               [&](const int8_t* x, const int8_t* y, int8_t* out) { stepping_run(shape, x, y, out, core); });
}

}  // namespace wick::kernels::dsp
