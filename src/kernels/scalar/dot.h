// Inner products of bytes, modulo 2^32: what an accumulator of 32 bits holds whatever the length. N rows of weights
// share each input byte, which is loaded once. Called, not inlined: a core with eight usable registers needs them all.
#pragma once

#include <cstdint>

namespace wick::kernels::scalar {

// acc[n] += sum of x[i] * w[n * row + i]
template <int32_t N>
void dot(uint32_t (&acc)[N], const int8_t* x, const int8_t* w, int32_t row, int32_t count);

// acc[n] += sum of (x[i] + x_offset) * (w[n * row + i] + w_offset)
template <int32_t N>
void dot_offsets(uint32_t (&acc)[N], const int8_t* x, const int8_t* w, int32_t row, int32_t count, int32_t x_offset,
                 int32_t w_offset);

inline int32_t sum_of(const int8_t* w, int32_t count) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(w[i]);
  return static_cast<int32_t>(sum);
}

}  // namespace wick::kernels::scalar
