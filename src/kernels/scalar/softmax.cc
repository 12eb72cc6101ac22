// INT8 softmax in fixed point: exponentials by a cubic around a quarter and factors for the whole quarters, the
// reciprocal of their sum by Newton's method. Output scale 1/256, zero point -128.
#include "core/quant.h"
#include "kernels/kernels.h"

namespace wick::kernels::scalar {

namespace {

constexpr int32_t kSumBits = 12;  // integer bits of the sum of exponentials
// From here on (512 times the largest exponential) each share of the sum rounds to 0: `bits` passes 31.
constexpr int32_t kSumOfTooMany = 1 << 28;

int32_t leading_zeros(uint32_t value) { return value == 0 ? 32 : __builtin_clz(value); }

// value << exponent, saturating.
int32_t saturating_shl(int32_t value, int32_t exponent) {
  const int32_t limit = kInt32Max >> exponent;
  if (value > limit) return kInt32Max;
  if (value < -limit) return kInt32Min;
  return wrap_shl(value, exponent);
}

// e^value, value <= 0 in Q5.26; the result in Q0.31.
int32_t exp_on_negative(int32_t value) {
  if (value == 0) return kInt32Max;
  constexpr int32_t kQuarter = 1 << 24;
  // value = within - whole quarters; within lies in [-1/4, 0).
  const int32_t within = (value & (kQuarter - 1)) - kQuarter;
  const uint32_t quarters = static_cast<uint32_t>(within) - static_cast<uint32_t>(value);
  // Taylor around -1/8, up to the fourth power.
  const int32_t x = wrap_add(wrap_shl(within, 5), 1 << 28);
  const int32_t x2 = doubling_high_mul_sat(x, x);
  const int32_t x3 = doubling_high_mul_sat(x2, x);
  const int32_t x4 = doubling_high_mul_sat(x2, x2);
  constexpr int32_t kThird = 715827883;
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  const int32_t high = doubling_high_mul_sat(wrap_add(divide_by_power_of_two(x4, 2), x3), kThird);
  const int32_t terms = wrap_add(x, divide_by_power_of_two(wrap_add(high, x2), 1));
  int32_t result = wrap_add(kExpOfMinusEighth, doubling_high_mul_sat(kExpOfMinusEighth, terms));
  // e^-(2^(bit - 26)) for the bits of `quarters`.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (uint32_t i = 0; i < sizeof(kFactors) / sizeof(kFactors[0]); ++i) {
    if ((quarters >> (24 + i)) & 1) result = doubling_high_mul_sat(result, kFactors[i]);
  }
  return result;
}

// 1 / (1 + value), value in Q0.31.
int32_t one_over_one_plus(int32_t value) {
  const int64_t sum = static_cast<int64_t>(value) + kInt32Max;
  const int32_t half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  constexpr int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540;  // Q2.29
  int32_t x = wrap_add(k48Over17, doubling_high_mul_sat(half, kMinus32Over17));
  for (int32_t step = 0; step < 3; ++step) {
    const int32_t error = wrap_add(1 << 29, -doubling_high_mul_sat(half, x));
    x = wrap_add(x, saturating_shl(doubling_high_mul_sat(x, error), 2));
  }
  return saturating_shl(x, 1);
}

// e^(difference to the row's largest value).
int32_t exp_of(const SoftmaxS8& c, int32_t difference) {
  return exp_on_negative(doubling_high_mul_sat(wrap_shl(difference, c.shift), c.multiplier));
}

void run_row(const SoftmaxS8& c, const int8_t* input, int8_t* output) {
  int32_t largest = -128;
  for (int32_t i = 0; i < c.row_size; ++i) largest = input[i] > largest ? input[i] : largest;
  int32_t sum = 0;
  for (int32_t i = 0; i < c.row_size && sum < kSumOfTooMany; ++i) {
    const int32_t difference = input[i] - largest;
    if (difference >= c.diff_min) sum = wrap_add(sum, divide_by_power_of_two(exp_of(c, difference), kSumBits));
  }
  const int32_t headroom = leading_zeros(static_cast<uint32_t>(sum));
  const int32_t scale = one_over_one_plus(wrap_add(sum > 0 ? wrap_shl(sum, headroom) : 0, kInt32Min));
  const int32_t bits = kSumBits - headroom + 23;
  for (int32_t i = 0; i < c.row_size; ++i) {
    const int32_t difference = input[i] - largest;
    int32_t out = 0;
    if (difference >= c.diff_min && bits >= 0 && bits <= 31) {
      out = divide_by_power_of_two(doubling_high_mul_sat(scale, exp_of(c, difference)), bits);
    }
    output[i] = static_cast<int8_t>(clamp(out < 256 ? out - 128 : 127, -128, 127));
  }
}

}  // namespace

KernelMemory softmax_s8_plan(SoftmaxS8&) { return {}; }

void softmax_s8_prepare(SoftmaxS8& c, void* prepared) { c.prepared = prepared; }

void softmax_s8(const SoftmaxS8& c, const int8_t* input, int8_t* output, void*) {
  for (int32_t row = 0; row < c.rows; ++row) {
    run_row(c, input, output);
    input += c.row_size;
    output += c.row_size;
  }
}

}  // namespace wick::kernels::scalar
