// Inner products of bytes, modulo 2^32: what an accumulator of 32 bits holds whatever the length.
#pragma once

#include <cstdint>

namespace wick::kernels::scalar {

// acc + sum of x * w
inline int32_t dot(int32_t acc, const int8_t* x, const int8_t* w, int32_t count) {
  uint32_t sum = static_cast<uint32_t>(acc);
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(x[i] * w[i]);
  return static_cast<int32_t>(sum);
}

// acc + sum of (x + x_offset) * w
inline int32_t dot_offset(int32_t acc, const int8_t* x, const int8_t* w, int32_t count, int32_t x_offset) {
  uint32_t sum = static_cast<uint32_t>(acc);
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>((x[i] + x_offset) * w[i]);
  return static_cast<int32_t>(sum);
}

// acc + sum of (x + x_offset) * (w + w_offset)
inline int32_t dot_offsets(int32_t acc, const int8_t* x, const int8_t* w, int32_t count, int32_t x_offset,
                           int32_t w_offset) {
  uint32_t sum = static_cast<uint32_t>(acc);
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>((x[i] + x_offset) * (w[i] + w_offset));
  return static_cast<int32_t>(sum);
}

inline int32_t sum_of(const int8_t* w, int32_t count) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(w[i]);
  return static_cast<int32_t>(sum);
}

}  // namespace wick::kernels::scalar
