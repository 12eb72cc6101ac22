// From accumulators to bytes in vectors, the parameter blocks of the assembly cores, and when those are exact. All
// arithmetic is core/quant.h's, bit for bit.
#pragma once

#include <arm_mve.h>

#include "core/quant.h"
#include "kernels/kernels.h"

namespace wick::kernels::mve {

inline bool is_word_aligned(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 3) == 0; }

inline mve_pred16_t lanes8(int32_t count) { return vctp8q(static_cast<uint32_t>(count)); }
inline mve_pred16_t lanes16(int32_t count) { return vctp16q(static_cast<uint32_t>(count)); }
inline mve_pred16_t lanes32(int32_t count) { return vctp32q(static_cast<uint32_t>(count)); }

// With shifts to the right by one bit or more, multipliers that keep signs and offsets that 16 bits hold, three
// instructions requantize four values exactly.
inline bool is_right_shift(int32_t multiplier, int32_t shift) { return multiplier >= 0 && shift <= -1; }
inline bool are_bytes(int32_t offset, int32_t act_min, int32_t act_max) {
  return offset >= -128 && offset <= 127 && act_min >= -128 && act_max <= 127;
}
// Both want word-aligned arrays and say no when they are not.
bool are_right_shifts(const int32_t* multiplier, const int32_t* shift, int32_t count);
bool are_positive(const int32_t* multiplier, int32_t count);

// For is_right_shift(): VRSHL rounds half up; one less where v is negative makes that half away from zero.
inline int32x4_t requantize_right(int32x4_t v, int32_t multiplier, int32_t shift) {
  return vrshlq_n_s32(vqrdmlahq_n_s32(vshrq_n_s32(v, 31), v, multiplier), shift);
}

// For every shift in [-31, 30] and multipliers from 0 on.
struct Requantize {
  int32_t multiplier, left, right;  // right <= 0
  Requantize(int32_t multiplier, int32_t shift)
      : multiplier(multiplier), left(shift > 0 ? shift : 0), right(shift > 0 ? 0 : shift) {}
  int32x4_t operator()(int32x4_t v) const {
    const int32x4_t scaled = vqrdmulhq_n_s32(vshlq_r_s32(v, left), multiplier);
    // -1 where the value is negative and a shift follows.
    const int32x4_t fix = vshrq_n_s32(vandq_s32(scaled, vdupq_n_s32(right)), 31);
    return vrshlq_n_s32(vqaddq_s32(scaled, fix), right);
  }
};

// The same with a multiplier and a shift per lane.
inline int32x4_t requantize_lanes(int32x4_t v, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t none = vdupq_n_s32(0), right = vminq_s32(shift, none);
  const int32x4_t scaled = vqrdmulhq_s32(vshlq_s32(v, vmaxq_s32(shift, none)), multiplier);
  return vrshlq_s32(vqaddq_s32(scaled, vshrq_n_s32(vandq_s32(scaled, right), 31)), right);
}

// Writes the cores' parameter blocks (tile.inc) of 4 * quads channels. `bias` and the other arrays are word-aligned.
void write_quad_parameters(int32_t* parameters, const int32_t* bias, const int32_t* multiplier, const int32_t* shift,
                           int32_t quads);

int32_t sum_of(const int8_t* x, int32_t count);

// bias (or 0) + input_offset * sum of each row's `taps` weights.
void fold_bias(int32_t* folded, const int32_t* bias, const int8_t* weights, int32_t rows, int32_t taps,
               int32_t input_offset);

// What is left of an activation range when bytes have already been saturated.
void clamp_in_place(int8_t* data, uint32_t count, int32_t act_min, int32_t act_max);

void fill(int8_t* to, int32_t count, int32_t value);

inline void copy_bytes(int8_t* to, const int8_t* from, int32_t count) {
  for (int32_t n = count >> 5; n > 0; --n, from += 32, to += 32) {
    const int8x16_t a = vldrbq_s8(from), b = vldrbq_s8(from + 16);
    vstrbq_s8(to, a);
    vstrbq_s8(to + 16, b);
  }
  for (int32_t left = count & 31; left > 0; left -= 16, from += 16, to += 16) {
    const mve_pred16_t p = lanes8(left);
    vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
  }
}

}  // namespace wick::kernels::mve
