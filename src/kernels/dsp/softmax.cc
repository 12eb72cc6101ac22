// INT8 softmax in fixed point, bit for bit scalar/softmax.cc's. The exponential of a difference between bytes takes one
// of 256 values: where a call needs many, they come from a table made at load; elsewhere each is computed once a call.
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// Read by the assembly: keep the order.
struct ExpArgs {
  int32_t largest, least_difference, shift;
  uint32_t multiplier_doubled;
};

extern "C" uint32_t wick_dsp_exp_row(const int8_t* x, int32_t count, const ExpArgs* args, int32_t* exps);

namespace {

enum Path : uint32_t { kScalar, kDirect, kTable };

// A table costs as much as 256 exponentials at load, and saves half of a call's time.
constexpr int32_t kManyElements = 128;
constexpr uint32_t kTableBytes = 256 * 4;

// (a * b + 2^30) >> 31 with one operand doubled; for a doubled operand that wrapped, `plus` is the other one.
inline int32_t high_mul(int32_t doubled, int32_t b, int32_t plus) {
  int32_t result;
  __asm("smmlar %0, %1, %2, %3" : "=r"(result) : "r"(doubled), "r"(b), "r"(plus));
  return result;
}

int32_t largest_of(const int8_t* x, int32_t count) {
  int32_t largest = -128;
  if (count >= 4) {
    uint32_t four = load4(x);
    for (; count >= 4; count -= 4, x += 4) four = max4(four, load4(x));
    four = max4(four, four >> 16);
    four = max4(four, four >> 8);
    largest = static_cast<int8_t>(four);
  }
  for (; count > 0; --count, ++x) largest = *x > largest ? *x : largest;
  return largest;
}

// 2^31 / sum with sum's leading bit at 2^31, by Newton's method in Q2.29.
int32_t reciprocal(uint32_t normalized_sum) {
  const int32_t half_doubled = static_cast<int32_t>(normalized_sum & ~1u);  // wrapped: it lies in [2^31, 2^32)
  constexpr int32_t k48Over17 = 1515870810, kMinus64Over17 = -2021161080;
  int32_t x = high_mul(kMinus64Over17, static_cast<int32_t>(normalized_sum >> 1), k48Over17);
  for (int32_t step = 0; step < 3; ++step) {
    const int32_t error = (1 << 29) - high_mul(half_doubled, x, x);
    x += high_mul(2 * error, x, 0) * 4;
  }
  return x >= 1 << 30 ? INT32_MAX : x * 2;
}

// Shares of the sum, in 1/256, from the exponentials exp_of(i).
template <typename ExpFn>
inline void write_shares(uint32_t sum, int32_t count, int8_t* output, ExpFn exp_of) {
  if (sum >= 1u << 28) {  // so many that each share rounds to 0
    for (int32_t i = 0; i < count; ++i) output[i] = -128;
    return;
  }
  const int32_t headroom = __builtin_clz(sum), bits = 35 - headroom;
  const int32_t scale = reciprocal(sum << headroom);
  const int32_t doubled = static_cast<int32_t>(static_cast<uint32_t>(scale) * 2);
  const int32_t wrapped = doubled >> 31;
  const uint32_t half = 1u << (bits - 1);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t e = exp_of(i);
    const uint32_t share = (static_cast<uint32_t>(high_mul(doubled, e, e & wrapped)) + half) >> bits;
    output[i] = static_cast<int8_t>(__ssat(static_cast<int32_t>(share) - 128, 8));
  }
}

ExpArgs exp_args(const SoftmaxS8& c) { return {0, c.diff_min, c.shift, static_cast<uint32_t>(c.multiplier) * 2}; }

void run_direct(const SoftmaxS8& c, const int8_t* input, int8_t* output, int32_t* exps) {
  ExpArgs args = exp_args(c);
  for (int32_t row = 0; row < c.rows; ++row, input += c.row_size, output += c.row_size) {
    args.largest = largest_of(input, c.row_size);
    const uint32_t sum = wick_dsp_exp_row(input, c.row_size, &args, exps);
    write_shares(sum, c.row_size, output, [exps](int32_t i) { return exps[i]; });
  }
}

void run_table(const SoftmaxS8& c, const int8_t* input, int8_t* output) {
  const int32_t* table = static_cast<const int32_t*>(c.prepared);
  for (int32_t row = 0; row < c.rows; ++row, input += c.row_size, output += c.row_size) {
    const int32_t largest = largest_of(input, c.row_size);
    uint32_t sum = 0;
    for (int32_t i = 0; i < c.row_size; ++i) sum += (static_cast<uint32_t>(table[largest - input[i]]) + 2048) >> 12;
    write_shares(sum, c.row_size, output, [=](int32_t i) { return table[largest - input[i]]; });
  }
}

// No difference that counts may wrap when it is shifted, and no sum of exponentials may wrap.
bool fits(const SoftmaxS8& c) {
  if (c.multiplier < 1 << 30 || c.shift < 1 || c.shift > 30 || c.diff_min > 0) return false;
  const int32_t widest = c.diff_min < -255 ? 255 : -c.diff_min;
  return widest <= INT32_MAX >> c.shift && c.row_size > 0 && c.row_size < 4096;
}

}  // namespace

KernelMemory softmax_s8_plan(SoftmaxS8& c) {
  c.path = kScalar;
  if (!fits(c)) return scalar::softmax_s8_plan(c);
  if (c.rows * c.row_size >= kManyElements) {
    c.path = kTable;
    return {kTableBytes, 0};
  }
  c.path = kDirect;
  return {0, static_cast<uint32_t>(c.row_size) * 4};
}

void softmax_s8_prepare(SoftmaxS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.path != kTable) return;
  ExpArgs args = exp_args(c);
  constexpr int32_t kAtOnce = 32;
  int8_t differences[kAtOnce];
  for (int32_t i = 0; i < kAtOnce; ++i) differences[i] = static_cast<int8_t>(-i);
  for (int32_t i = 0; i < 256; i += kAtOnce, args.largest += kAtOnce) {
    wick_dsp_exp_row(differences, kAtOnce, &args, static_cast<int32_t*>(prepared) + i);
  }
}

void softmax_s8(const SoftmaxS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == kTable) return run_table(c, input, output);
  if (c.path == kDirect) return run_direct(c, input, output, static_cast<int32_t*>(scratch));
  scalar::softmax_s8(c, input, output, scratch);
}

}  // namespace wick::kernels::dsp
