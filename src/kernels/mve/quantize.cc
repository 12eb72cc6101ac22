// Between float and INT8 or INT16 on Helium's float lanes. Those flush denormal numbers to zero: where that could
// change a result, and on cores without float lanes, scalar does the work.
#include "kernels/isa.h"
#include "kernels/mve/requantize.h"

namespace wick::kernels::mve {

#if defined(WICK_ISA_MVE_FLOAT)

namespace {

// The product of a denormal number and a factor up to here still rounds to 0; below the other bound, the factor
// itself is denormal.
constexpr float kLargestFactor = 0x1p125f, kSmallestFactor = 0x1p-126f;
bool is_normal_factor(float factor) { return factor >= kSmallestFactor && factor <= kLargestFactor; }

// VCVTN rounds halves to even, saturates and turns NaN into 0; scalar's rounding ends at 2^22.
inline int32x4_t quantized(float32x4_t x, float inverse_scale, int32_t zero_point, int32x4_t low, int32x4_t high) {
  const int32x4_t limit = vdupq_n_s32(1 << 22);
  const int32x4_t q = vcvtnq_s32_f32(vmulq_n_f32(x, inverse_scale));
  const int32x4_t bounded = vmaxq_s32(vminq_s32(q, limit), vnegq_s32(limit));
  return vminq_s32(vmaxq_s32(vaddq_n_s32(bounded, zero_point), low), high);
}

}  // namespace

void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t quant_min, int32_t quant_max) {
  if (!is_normal_factor(inverse_scale) || !is_word_aligned(input)) {
    return scalar::quantize_f32_s8(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
  }
  const int32x4_t low = vdupq_n_s32(quant_min), high = vdupq_n_s32(quant_max);
  for (; count >= 4; count -= 4, input += 4, output += 4) {
    vstrbq_s32(output, quantized(vldrwq_f32(input), inverse_scale, zero_point, low, high));
  }
  if (count == 0) return;
  const mve_pred16_t p = vctp32q(count);
  vstrbq_p_s32(output, quantized(vldrwq_z_f32(input, p), inverse_scale, zero_point, low, high), p);
}

void quantize_f32_s16(const float* input, int16_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                      int32_t quant_min, int32_t quant_max) {
  const bool halves = (reinterpret_cast<uintptr_t>(output) & 1) == 0;
  if (!is_normal_factor(inverse_scale) || !is_word_aligned(input) || !halves) {
    return scalar::quantize_f32_s16(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
  }
  const int32x4_t low = vdupq_n_s32(quant_min), high = vdupq_n_s32(quant_max);
  for (uint32_t i = 0; i < count; i += 4) {
    const mve_pred16_t p = vctp32q(count - i);
    vstrhq_p_s32(output + i, quantized(vldrwq_z_f32(input + i, p), inverse_scale, zero_point, low, high), p);
  }
}

void dequantize_s8_f32(const int8_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  if (!(scale >= kSmallestFactor) || !is_word_aligned(output)) {
    return scalar::dequantize_s8_f32(input, output, count, scale, zero_point);
  }
  for (; count >= 4; count -= 4, input += 4, output += 4) {
    vstrwq_f32(output, vmulq_n_f32(vcvtq_f32_s32(vsubq_n_s32(vldrbq_s32(input), zero_point)), scale));
  }
  if (count == 0) return;
  const mve_pred16_t p = vctp32q(count);
  vstrwq_p_f32(output, vmulq_n_f32(vcvtq_f32_s32(vsubq_n_s32(vldrbq_z_s32(input, p), zero_point)), scale), p);
}

void dequantize_s16_f32(const int16_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  const bool halves = (reinterpret_cast<uintptr_t>(input) & 1) == 0;
  if (!(scale >= kSmallestFactor) || !is_word_aligned(output) || !halves) {
    return scalar::dequantize_s16_f32(input, output, count, scale, zero_point);
  }
  for (uint32_t i = 0; i < count; i += 4) {
    const mve_pred16_t p = vctp32q(count - i);
    const int32x4_t q = vsubq_n_s32(vldrhq_z_s32(input + i, p), zero_point);
    vstrwq_p_f32(output + i, vmulq_n_f32(vcvtq_f32_s32(q), scale), p);
  }
}

#else

void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t quant_min, int32_t quant_max) {
  scalar::quantize_f32_s8(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}
void quantize_f32_s16(const float* input, int16_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                      int32_t quant_min, int32_t quant_max) {
  scalar::quantize_f32_s16(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}
void dequantize_s8_f32(const int8_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  scalar::dequantize_s8_f32(input, output, count, scale, zero_point);
}
void dequantize_s16_f32(const int16_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  scalar::dequantize_s16_f32(input, output, count, scale, zero_point);
}

#endif

}  // namespace wick::kernels::mve
