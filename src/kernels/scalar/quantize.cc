// Between float and INT8 or INT16. The product is rounded to float before it is rounded to an integer, as the
// operator's definition has it, so nothing here may be fused.
#include <cstring>

#include "core/quant.h"
#include "kernels/kernels.h"

namespace wick::kernels::scalar {

namespace {

// To the nearest integer, halves to even; NaN gives 0. Saturates at 2^22, far outside every integer type used here.
int32_t round_half_even(float value) {
  constexpr float kLimit = 4194304.0f;
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: a sum with it has no fraction bits, so the addition rounds
  constexpr int32_t kMagicBits = 0x4B400000;
  if (!(value == value)) return 0;
  if (value >= kLimit) return 1 << 22;
  if (value <= -kLimit) return -(1 << 22);
  const float sum = value + kMagic;
  int32_t bits;
  memcpy(&bits, &sum, sizeof(bits));
  return bits - kMagicBits;
}

template <typename T>
void quantize(const float* input, T* output, uint32_t count, float inverse_scale, int32_t zero_point, int32_t low,
              int32_t high) {
  for (uint32_t i = 0; i < count; ++i) {
    output[i] = static_cast<T>(clamp(wrap_add(zero_point, round_half_even(input[i] * inverse_scale)), low, high));
  }
}

template <typename T>
void dequantize(const T* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  for (uint32_t i = 0; i < count; ++i) output[i] = static_cast<float>(input[i] - zero_point) * scale;
}

}  // namespace

void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t quant_min, int32_t quant_max) {
  quantize(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}

void quantize_f32_s16(const float* input, int16_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                      int32_t quant_min, int32_t quant_max) {
  quantize(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}

void dequantize_s8_f32(const int8_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  dequantize(input, output, count, scale, zero_point);
}

void dequantize_s16_f32(const int16_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  dequantize(input, output, count, scale, zero_point);
}

}  // namespace wick::kernels::scalar
