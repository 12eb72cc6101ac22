// Elementwise INT8 kernels on Helium. Runs of neighbouring elements go 16, 8 or 4 at a time, the last ones under a
// predicate; an operand that stands still is spread over the lanes.
#include "kernels/binary_runs.h"
#include "kernels/mve/requantize.h"

namespace wick::kernels::mve {

// The order of the members is the assembly's contract (add.S).
struct AddWords {
  int32_t half_offset, other_offset, other_multiplier, multiplier, shift, offset, other_shift;
};
extern "C" {
using WickMveAdd = void(const int8_t* half, const int8_t* other, int8_t* out, const AddWords* words, int32_t steps);
WickMveAdd wick_mve_add, wick_mve_add_shifted;
}

namespace {

enum AddPath : uint32_t { kScalar, kAny, kHalfA, kHalfB };

bool is_byte(int32_t value) { return value >= -128 && value <= 127; }

bool is_half(int32_t multiplier, int32_t shift) { return multiplier == 1 << 30 && shift == 0; }

inline int8x16_t load16(const int8_t* x, uint32_t step, uint32_t i, mve_pred16_t p) {
  return step == 0 ? vdupq_n_s8(*x) : vldrbq_z_s8(x + i, p);
}
inline int16x8_t load8(const int8_t* x, uint32_t step, uint32_t i, mve_pred16_t p) {
  return step == 0 ? vdupq_n_s16(*x) : vldrbq_z_s16(x + i, p);
}
inline int32x4_t load4(const int8_t* x, uint32_t step, uint32_t i, mve_pred16_t p) {
  return step == 0 ? vdupq_n_s32(*x) : vldrbq_z_s32(x + i, p);
}

// Elements [begin, inner) of one run, whatever the factors.
void add_run(const AddS8& c, const BinaryShape& shape, uint32_t begin, const int8_t* a, const int8_t* b, int8_t* out) {
  const Requantize scale_a(c.a_multiplier, c.a_shift), scale_b(c.b_multiplier, c.b_shift);
  const Requantize scale(c.multiplier, c.shift);
  for (uint32_t i = begin; i < shape.inner; i += 4) {
    const mve_pred16_t p = vctp32q(shape.inner - i);
    const int32x4_t x = vshlq_n_s32(vsubq_n_s32(load4(a, shape.a_step, i, p), c.a_zero_point), 20);
    const int32x4_t y = vshlq_n_s32(vsubq_n_s32(load4(b, shape.b_step, i, p), c.b_zero_point), 20);
    const int32x4_t sum = vaddq_n_s32(scale(vaddq_s32(scale_a(x), scale_b(y))), c.zero_point);
    vstrbq_p_s32(out + i, vminq_s32(vmaxq_s32(sum, vdupq_n_s32(c.act_min)), vdupq_n_s32(c.act_max)), p);
  }
}

// One run where `half` has the factor 1/2.
void add_half_run(const AddWords& words, uint32_t steps, const int8_t* half, const int8_t* other, int8_t* out) {
  const auto add = words.other_shift == 0 ? wick_mve_add : wick_mve_add_shifted;
  add(half, other, out, &words, static_cast<int32_t>(steps));
}

}  // namespace

KernelMemory add_s8_plan(AddS8& c, const BinaryShape& shape) {
  c.path = kScalar;
  if (c.multiplier < 0 || c.a_multiplier < 0 || c.b_multiplier < 0) return {};
  c.path = kAny;
  const bool bytes =
      is_byte(c.a_zero_point) && is_byte(c.b_zero_point) && are_bytes(c.zero_point, c.act_min, c.act_max);
  if (!bytes || c.shift > -1 || shape.a_step != 1 || shape.b_step != 1 || shape.inner < 16) return {};
  if (is_half(c.a_multiplier, c.a_shift) && c.b_shift <= 0) {
    c.path = kHalfA;
  } else if (is_half(c.b_multiplier, c.b_shift) && c.a_shift <= 0) {
    c.path = kHalfB;
  }
  return {};
}

void add_s8(const AddS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::add_s8(c, shape, a, b, output, scratch);
  if (c.path == kAny) {
    return for_each_run(shape, a, b, output,
                        [&](const int8_t* x, const int8_t* y, int8_t* out) { add_run(c, shape, 0, x, y, out); });
  }
  const bool swapped = c.path == kHalfB;
  const AddWords words = {-8 * (swapped ? c.b_zero_point : c.a_zero_point),
                          -16 * (swapped ? c.a_zero_point : c.b_zero_point),
                          swapped ? c.a_multiplier : c.b_multiplier,
                          c.multiplier,
                          c.shift,
                          c.zero_point,
                          swapped ? c.a_shift : c.b_shift};
  const uint32_t steps = shape.inner / 16;
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    add_half_run(words, steps, swapped ? y : x, swapped ? x : y, out);
    clamp_in_place(out, 16 * steps, c.act_min, c.act_max);
    add_run(c, shape, 16 * steps, x, y, out);
  });
}

void mul_s8(const MulS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  if (c.multiplier < 0 || !is_byte(c.a_zero_point) || !is_byte(c.b_zero_point)) {
    return scalar::mul_s8(c, shape, a, b, output);
  }
  const Requantize scale(c.multiplier, c.shift);
  const bool fast = is_right_shift(c.multiplier, c.shift) && is_byte(c.zero_point);
  const int16_t a_zero = static_cast<int16_t>(c.a_zero_point), b_zero = static_cast<int16_t>(c.b_zero_point);
  for_each_run(shape, a, b, output, [&](const int8_t* run_a, const int8_t* run_b, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; i += 8) {
      const mve_pred16_t p = vctp16q(shape.inner - i);
      const int16x8_t x = vsubq_n_s16(load8(run_a, shape.a_step, i, p), a_zero);
      const int16x8_t y = vsubq_n_s16(load8(run_b, shape.b_step, i, p), b_zero);
      int32x4_t even = vmullbq_int_s16(x, y), odd = vmulltq_int_s16(x, y);
      int16x8_t sum;
      if (fast) {
        sum = vqmovnbq_s32(vdupq_n_s16(0), requantize_right(even, c.multiplier, c.shift));
        sum = vqmovntq_s32(sum, requantize_right(odd, c.multiplier, c.shift));
        sum = vqaddq_n_s16(sum, static_cast<int16_t>(c.zero_point));
      } else {
        sum = vqmovnbq_s32(vdupq_n_s16(0), vaddq_n_s32(scale(even), c.zero_point));
        sum = vqmovntq_s32(sum, vaddq_n_s32(scale(odd), c.zero_point));
      }
      vstrbq_p_s16(out + i, vminq_s16(vmaxq_s16(sum, vdupq_n_s16(-128)), vdupq_n_s16(127)), p);
    }
  });
}

void minimum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; i += 16) {
      const mve_pred16_t p = vctp8q(shape.inner - i);
      vstrbq_p_s8(out + i, vminq_s8(load16(x, shape.a_step, i, p), load16(y, shape.b_step, i, p)), p);
    }
  });
}

void maximum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; i += 16) {
      const mve_pred16_t p = vctp8q(shape.inner - i);
      vstrbq_p_s8(out + i, vmaxq_s8(load16(x, shape.a_step, i, p), load16(y, shape.b_step, i, p)), p);
    }
  });
}

void lut_s8(const int8_t* lut, const int8_t* input, int8_t* output, uint32_t count) {
  const uint8x16_t half = vdupq_n_u8(128);
  for (uint32_t i = 0; i < count; i += 16) {
    const mve_pred16_t p = vctp8q(count - i);
    const uint8x16_t index = veorq_u8(vreinterpretq_u8_s8(vldrbq_z_s8(input + i, p)), half);
    vstrbq_p_s8(output + i, vldrbq_gather_offset_z_s8(lut, index, p), p);
  }
}

}  // namespace wick::kernels::mve
