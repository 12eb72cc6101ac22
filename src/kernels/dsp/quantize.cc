// FP32 to INT8/INT16 and back, on the FPU. Knows that VCVTR rounds to nearest even, saturates, and gives 0 for NaN;
// refuses to know shapes.
#include <arm_acle.h>

#include "core/quant.h"
#include "kernels/kernels.h"

extern "C" void wick_dsp_quantize8(const float* x, int8_t* out, uint32_t groups, int32_t zero_point,
                                   float inverse_scale);

namespace wick::kernels::dsp {
namespace {

inline int32_t round_half_even(float value) {
  __asm("vcvtr.s32.f32 %0, %0" : "+t"(value));
  return __builtin_bit_cast(int32_t, value);
}

template <typename Out>
inline void quantize(const float* input, Out* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t low, int32_t high) {
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t q = __qadd(round_half_even(input[i] * inverse_scale), zero_point);
    output[i] = static_cast<Out>(clamp(q, low, high));
  }
}

template <typename In>
inline void dequantize(const In* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const float a = static_cast<float>(input[i] - zero_point), b = static_cast<float>(input[i + 1] - zero_point);
    const float c = static_cast<float>(input[i + 2] - zero_point), d = static_cast<float>(input[i + 3] - zero_point);
    output[i] = a * scale;
    output[i + 1] = b * scale;
    output[i + 2] = c * scale;
    output[i + 3] = d * scale;
  }
  for (; i < count; ++i) output[i] = static_cast<float>(input[i] - zero_point) * scale;
}

}  // namespace

void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t quant_min, int32_t quant_max) {
  if (quant_min == -128 && quant_max == 127 && count >= 8) {
    wick_dsp_quantize8(input, output, count / 8, zero_point, inverse_scale);
    input += count & ~7u;
    output += count & ~7u;
    count &= 7;
  }
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

}  // namespace wick::kernels::dsp
