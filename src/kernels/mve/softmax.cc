// INT8 softmax on Helium, four exponentials at a time; they wait in scratch for their sum. Scalar's definition, whose
// rounding high product is VQRDMULH for every pair of signs.
#include "kernels/mve/requantize.h"

namespace wick::kernels::mve {

namespace {

// Up to this many the sum of exponentials stays below 2^28, where its reciprocal's shift is a legal one.
constexpr int32_t kMostInRow = 511;

// e^v for v <= 0 in Q5.26; the result in Q0.31.
inline int32x4_t exp_on_negative(int32x4_t v) {
  constexpr int32_t kQuarter = 1 << 24;
  // v = within - whole quarters; within lies in [-1/4, 0).
  const int32x4_t within = vsubq_n_s32(vandq_s32(v, vdupq_n_s32(kQuarter - 1)), kQuarter);
  const int32x4_t quarters = vsubq_s32(within, v);
  // Taylor around -1/8, up to the fourth power.
  const int32x4_t x = vaddq_n_s32(vshlq_n_s32(within, 5), 1 << 28);
  const int32x4_t x2 = vqrdmulhq_s32(x, x);
  const int32x4_t high = vaddq_s32(vrshrq_n_s32(vqrdmulhq_s32(x2, x2), 2), vqrdmulhq_s32(x2, x));
  constexpr int32_t kThird = 715827883;
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  const int32x4_t sum = vqrdmlahq_n_s32(x2, high, kThird);
  // |x| <= 1/8, so the square outweighs the rest: the sum is not negative, and its half rounds up.
  int32x4_t result =
      vqrdmlahq_n_s32(vdupq_n_s32(kExpOfMinusEighth), vaddq_s32(x, vrshrq_n_s32(sum, 1)), kExpOfMinusEighth);
  // e^-(2^(bit - 26)) where `quarters` has bit 24, 25, ...: brought to the sign.
  const auto factor = [&](int shift, int32_t value) {
    const mve_pred16_t p = vcmpltq_n_s32(vshlq_r_s32(quarters, shift), 0);
    result = vqrdmulhq_m_n_s32(result, result, value, p);
  };
  factor(7, 1672461947);
  factor(6, 1302514674);
  factor(5, 790015084);
  factor(4, 290630308);
  factor(3, 39332535);
  factor(2, 720401);
  factor(1, 242);
  return vdupq_m_n_s32(result, kInt32Max, vcmpeqq_n_s32(v, 0));
}

// The reciprocal, in Q0.31, of a sum that has been shifted until its highest bit is 1, by Newton's method.
int32_t reciprocal(uint32_t sum) {
  const int32_t half = static_cast<int32_t>(sum >> 1);
  int32x4_t x = vaddq_n_s32(vqrdmulhq_n_s32(vdupq_n_s32(-1010580540), half), 1515870810);
  for (int32_t step = 0; step < 3; ++step) {
    const int32x4_t error = vsubq_s32(vdupq_n_s32(1 << 29), vqrdmulhq_n_s32(x, half));
    x = vaddq_s32(x, vqshlq_n_s32(vqrdmulhq_s32(x, error), 2));
  }
  return vgetq_lane_s32(vqshlq_n_s32(x, 1), 0);
}

void run_row(const SoftmaxS8& c, const int8_t* input, int8_t* output, int32_t* exponentials) {
  int32_t largest = -128;
  for (int32_t i = 0; i < c.row_size; i += 16) {
    const mve_pred16_t p = lanes8(c.row_size - i);
    largest = vmaxvq_p_s8(static_cast<int8_t>(largest), vldrbq_z_s8(input + i, p), p);
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < c.row_size; i += 4) {
    const mve_pred16_t p = lanes32(c.row_size - i);
    const int32x4_t difference = vsubq_n_s32(vldrbq_z_s32(input + i, p), largest);
    int32x4_t e = exp_on_negative(vqrdmulhq_n_s32(vshlq_r_s32(difference, c.shift), c.multiplier));
    e = vpselq_s32(e, vdupq_n_s32(0), vcmpgeq_m_n_s32(difference, c.diff_min, p));
    vst1q_s32(exponentials + i, e);
    sum = vaddvaq_s32(sum, vrshrq_n_s32(e, 12));
  }
  const int32_t headroom = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t scale = reciprocal(static_cast<uint32_t>(sum) << headroom);
  const int32_t bits = 12 - headroom + 23;
  for (int32_t i = 0; i < c.row_size; i += 4) {
    const int32x4_t share = vrshlq_n_s32(vqrdmulhq_n_s32(vld1q_s32(exponentials + i), scale), -bits);
    vstrbq_p_s32(output + i, vminq_s32(vsubq_n_s32(share, 128), vdupq_n_s32(127)), lanes32(c.row_size - i));
  }
}

}  // namespace

KernelMemory softmax_s8_plan(SoftmaxS8& c) {
  // Within these, every difference scales to a value <= 0, and the largest element counts.
  const bool fast = c.row_size >= 1 && c.row_size <= kMostInRow && c.multiplier >= 0 && c.shift >= 0 && c.shift <= 23 &&
                    c.diff_min <= 0;
  if (!fast) {
    const KernelMemory memory = scalar::softmax_s8_plan(c);
    c.path = 0;
    return memory;
  }
  c.path = 1;
  return {0, static_cast<uint32_t>(c.row_size + 3) / 4 * 16};
}

void softmax_s8_prepare(SoftmaxS8& c, void* prepared) { c.prepared = prepared; }

void softmax_s8(const SoftmaxS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == 0) return scalar::softmax_s8(c, input, output, scratch);
  for (int32_t row = 0; row < c.rows; ++row, input += c.row_size, output += c.row_size) {
    run_row(c, input, output, static_cast<int32_t*>(scratch));
  }
}

}  // namespace wick::kernels::mve
