// INT8 linear and batch matmul: each input vector is widened once and meets the weights two rows at a time
// (linear_core.S). Many vectors would be faster on the convolution's matrix core, by a quarter, for 6 KB more code in
// every image with a linear layer.
#include "core/quant.h"
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::dsp {

namespace {

// Read by the assembly: keep the order. The core works on bias[0], bias[second_row], then bias_step bytes further.
struct LinearArgs {
  int32_t row_bytes, pairs;
  const int32_t* bias;
  int32_t second_row;      // 1, or 0 when the pair is one row twice
  FastRow requantization;  // shift 0: bare int32 sums instead of bytes
  int32_t bias_step;
};

extern "C" {
using LinearCore = void(const int8_t* w, const int32_t* x, void* out, const LinearArgs* args);
LinearCore wick_dsp_linear_aligned, wick_dsp_linear_anywhere;
void wick_dsp_widen_doubled(int32_t* to, const int8_t* x, int32_t bytes, uint32_t offsets2);
}

enum Path : uint32_t { kScalar, kFast, kExact };  // kExact: the core gives sums, core/quant.h does the rest

// What the sums of the rows start from: one value each, or the same two for every pair.
struct Starts {
  const int32_t* at;
  bool each;
};

Starts starts_of(const LinearS8& c) {
  static constexpr int32_t kNone[2] = {0, 0};
  const int32_t* given = c.kernel_sum != nullptr ? c.kernel_sum : c.bias;
  return given != nullptr ? Starts{given, true} : Starts{kNone, false};
}

// What is added to the inputs as they are widened. A kernel_sum holds the offset already.
int32_t added_offset(const LinearS8& c) { return c.kernel_sum != nullptr ? 0 : c.input_offset; }

// Inputs with their offset, doubled or not, must fit a half.
bool fits_half(int64_t offset, int64_t scale) {
  return scale * (offset + 127) <= INT16_MAX && scale * (offset - 128) >= INT16_MIN;
}

uint32_t halves(int32_t value) { return 0x00010001u * static_cast<uint16_t>(value); }

bool requantizes_fast(const LinearS8& c) {
  if (!bounds_fit_s8(c.act_min, c.act_max) || !fits_half(added_offset(c), 2)) return false;
  const Starts starts = starts_of(c);
  uint32_t largest = 0;
  for (int32_t o = 0; starts.each && o < c.out_features; ++o) {
    const uint32_t bits = static_cast<uint32_t>(starts.at[o]);
    const uint32_t magnitude = starts.at[o] < 0 ? 0 - bits : bits;
    if (magnitude > largest) largest = magnitude;
  }
  return row_requantizes_fast(largest + largest_operand(added_offset(c)) * 128 * c.in_features, c.multiplier, c.shift,
                              c.output_offset);
}

// Four bytes at a time against zero by USADA8: b ^ 0x80 is b + 128 without sign.
int32_t sum_of(const int8_t* row, int32_t length) {
  uint32_t sum = 0;
  int32_t i = 0;
  for (; i + 4 <= length; i += 4) sum = __usada8(load4(row + i) ^ 0x80808080u, 0, sum);
  sum -= static_cast<uint32_t>(i) * 128;
  for (; i < length; ++i) sum += static_cast<uint32_t>(row[i]);
  return static_cast<int32_t>(sum);
}

uint32_t widened_bytes(int32_t length) { return (static_cast<uint32_t>(length) * 2 + 3) & ~3u; }

// x with an offset as the cores read it, not doubled.
void widen(int32_t* to, const int8_t* x, int32_t bytes, int32_t offset) {
  int32_t i = 0;
  for (; i + 4 <= bytes; i += 4) {
    const uint32_t word = load4(x + i);
    *to++ = static_cast<int32_t>(add_even(halves(offset), word));
    *to++ = static_cast<int32_t>(add_odd(halves(offset), word));
  }
  int16_t* rest = reinterpret_cast<int16_t*>(to);
  for (; i < bytes; ++i) *rest++ = static_cast<int16_t>(x[i] + offset);
}

// `rows` rows of weights from `first` on: bytes when args ask for requantization, else sums.
void run_rows(const LinearS8& c, const Starts& starts, const int32_t* x, int32_t first, int32_t rows, void* out,
              LinearArgs args) {
  const int8_t* w = c.weights + first * c.in_features;
  const bool aligned = ((reinterpret_cast<uintptr_t>(w) | static_cast<uintptr_t>(c.in_features)) & 3) == 0;
  LinearCore* const core =
      aligned && args.requantization.shift != 0 ? wick_dsp_linear_aligned : wick_dsp_linear_anywhere;
  const int32_t result_bytes = args.requantization.shift != 0 ? 1 : 4;
  for (int32_t r = 0; r < rows;) {
    args.second_row = r + 1 < rows ? 1 : 0;
    args.pairs = args.second_row != 0 ? rows / 2 : 1;
    args.bias = starts.each ? starts.at + first + r : starts.at;
    args.bias_step = starts.each ? 8 : 0;
    core(w + r * c.in_features, x, static_cast<int8_t*>(out) + r * result_bytes, &args);
    r += args.second_row != 0 ? 2 * args.pairs : 1;
  }
}

void run_vector(const LinearS8& c, const Starts& starts, const int8_t* input, int8_t* output, int32_t* x) {
  const int32_t offset = added_offset(c);
  LinearArgs args{c.in_features, 0, nullptr, 0, {0, 0, 0}, 0};
  if (c.path == kFast) {
    wick_dsp_widen_doubled(x, input, c.in_features, halves(2 * offset));
    args.requantization = fast_row(c.multiplier, c.shift, c.output_offset);
    run_rows(c, starts, x, 0, c.out_features, output, args);
    return;
  }
  constexpr int32_t kBatch = 16;
  int32_t sums[kBatch];
  widen(x, input, c.in_features, offset);
  for (int32_t first = 0; first < c.out_features; first += kBatch) {
    const int32_t rows = c.out_features - first < kBatch ? c.out_features - first : kBatch;
    run_rows(c, starts, x, first, rows, sums, args);
    for (int32_t r = 0; r < rows; ++r) {
      *output++ = scalar::requantized(sums[r], c.multiplier, c.shift, c.output_offset, c.act_min, c.act_max);
    }
  }
}

}  // namespace

KernelMemory linear_s8_plan(LinearS8& c) {
  if (c.filter_offset != 0 || c.rows < 1 || c.in_features < 1 || c.out_features < 1 || !fits_half(added_offset(c), 1)) {
    const KernelMemory memory = scalar::linear_s8_plan(c);
    c.path = kScalar;
    return memory;
  }
  c.path = requantizes_fast(c) ? kFast : kExact;
  return {0, widened_bytes(c.in_features)};
}

void linear_s8_prepare(LinearS8& c, void* prepared) {
  if (c.path == kScalar) scalar::linear_s8_prepare(c, prepared);
}

void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == kScalar) {
    scalar::linear_s8(c, input, output, scratch);
    return;
  }
  for (int32_t row = 0; row < c.rows; ++row) {
    run_vector(c, starts_of(c), input + row * c.in_features, output + row * c.out_features,
               static_cast<int32_t*>(scratch));
  }
  if (c.path == kFast) clamp_s8(output, c.rows * c.out_features, c.act_min, c.act_max);
}

// One row of lhs at a time: a linear layer whose weights are rhs. What their offset adds is a bias:
//   sum (l + lo)(r + ro) = sum (l + lo) * r + ro * (depth * lo + sum l)
KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c) {
  c.path = kScalar;
  if (c.batch < 1 || c.lhs_rows < 1 || c.rhs_rows < 1 || c.depth < 1 || !fits_half(c.lhs_offset, 1)) {
    return scalar::batch_matmul_s8_plan(c);
  }
  const int64_t lhs = largest_operand(c.lhs_offset), rhs = largest_operand(c.rhs_offset);
  const bool small = fits_half(c.lhs_offset, 2) && rhs < 0x8000;  // their product with a depth fits 64 bits
  const bool fast = small && row_requantizes_fast(lhs * rhs * c.depth, c.multiplier, c.shift, c.output_zero_point);
  c.path = fast ? kFast : kExact;
  return {0, widened_bytes(c.depth)};
}

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch) {
  if (c.path == kScalar) {
    scalar::batch_matmul_s8(c, lhs, rhs, output, scratch);
    return;
  }
  int32_t* x = static_cast<int32_t*>(scratch);
  LinearS8 row{1,   c.depth, c.rhs_rows, c.lhs_offset, 0,     c.output_zero_point, -128, 127, c.multiplier, c.shift,
               rhs, nullptr, nullptr,    nullptr,      c.path};
  const int32_t constant = wrap_mul(c.depth, wrap_mul(c.lhs_offset, c.rhs_offset));
  for (int32_t b = 0; b < c.batch; ++b, row.weights += c.rhs_rows * c.depth) {
    for (int32_t m = 0; m < c.lhs_rows; ++m, lhs += c.depth, output += c.rhs_rows) {
      const int32_t sum = c.rhs_offset != 0 ? wrap_mul(c.rhs_offset, sum_of(lhs, c.depth)) : 0;
      const int32_t start[2] = {wrap_add(sum, constant), wrap_add(sum, constant)};
      run_vector(row, {start, false}, lhs, output, x);
    }
  }
}

}  // namespace wick::kernels::dsp
