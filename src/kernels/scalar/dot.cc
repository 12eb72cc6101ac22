// The inner loops of every matrix kernel, for one and two rows of weights.
#include "kernels/scalar/dot.h"

namespace wick::kernels::scalar {

template <>
void dot<1>(uint32_t (&acc)[1], const int8_t* x, const int8_t* w, int32_t, int32_t count) {
  uint32_t sum = acc[0];
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(x[i] * w[i]);
  acc[0] = sum;
}

template <>
void dot<2>(uint32_t (&acc)[2], const int8_t* x, const int8_t* w, int32_t row, int32_t count) {
  uint32_t sum0 = acc[0], sum1 = acc[1];
  const int8_t* w1 = w + row;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t value = x[i];
    sum0 += static_cast<uint32_t>(value * w[i]);
    sum1 += static_cast<uint32_t>(value * w1[i]);
  }
  acc[0] = sum0;
  acc[1] = sum1;
}

template <>
void dot_offsets<1>(uint32_t (&acc)[1], const int8_t* x, const int8_t* w, int32_t, int32_t count, int32_t x_offset,
                    int32_t w_offset) {
  uint32_t sum = acc[0];
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>((x[i] + x_offset) * (w[i] + w_offset));
  acc[0] = sum;
}

template <>
void dot_offsets<2>(uint32_t (&acc)[2], const int8_t* x, const int8_t* w, int32_t row, int32_t count, int32_t x_offset,
                    int32_t w_offset) {
  uint32_t sum0 = acc[0], sum1 = acc[1];
  const int8_t* w1 = w + row;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t value = x[i] + x_offset;
    sum0 += static_cast<uint32_t>(value * (w[i] + w_offset));
    sum1 += static_cast<uint32_t>(value * (w1[i] + w_offset));
  }
  acc[0] = sum0;
  acc[1] = sum1;
}

}  // namespace wick::kernels::scalar
