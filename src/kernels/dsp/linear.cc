// INT8 linear and batch matmul: each input vector is widened once and meets the weights two rows at a time
// (linear_core.S). Many vectors would be faster on the convolution's matrix core, by a quarter, for 6 KB more code in
// every image with a linear layer.
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/dsp/sums.h"
#include "kernels/kernels.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::dsp {

namespace {

// Read by the assembly: keep the order. The core works on bias[0], bias[second_row], then on the next pair.
struct LinearArgs {
  int32_t row_bytes, pairs;
  const int32_t* bias;
  int32_t second_row;      // 1, or 0 when the pair is one row twice
  FastRow requantization;  // shift 0: bare int32 sums instead of bytes
  int32_t unused;
};

extern "C" {
using LinearCore = void(const int8_t* w, const int32_t* x, void* out, const LinearArgs* args);
LinearCore wick_dsp_linear_aligned, wick_dsp_linear_anywhere;
void wick_dsp_widen_doubled(int32_t* to, const int8_t* x, int32_t bytes);
}

enum Path : uint32_t { kScalar, kFast, kExact };  // kExact: the core gives sums, core/quant.h does the rest

bool folds(const LinearS8& c) { return c.kernel_sum == nullptr && c.input_offset != 0; }

const int32_t* bias_of(const LinearS8& c) {
  if (c.kernel_sum != nullptr) return c.kernel_sum;
  return folds(c) ? static_cast<const int32_t*>(c.prepared) : c.bias;
}

bool requantizes_fast(const LinearS8& c) {
  if (!bounds_fit_s8(c.act_min, c.act_max)) return false;
  // A kernel_sum holds the offset already: bare bytes remain.
  const int32_t* start = c.kernel_sum != nullptr ? c.kernel_sum : c.bias;
  const int64_t operand = c.kernel_sum != nullptr ? 128 : largest_operand(c.input_offset);
  int64_t largest = 0;
  for (int32_t o = 0; start != nullptr && o < c.out_features; ++o) {
    const int64_t magnitude = start[o] < 0 ? -int64_t{start[o]} : start[o];
    if (magnitude > largest) largest = magnitude;
  }
  return row_requantizes_fast(largest + operand * 128 * c.in_features, c.multiplier, c.shift, c.output_offset);
}

uint32_t widened_bytes(int32_t length) { return (static_cast<uint32_t>(length) * 2 + 3) & ~3u; }

// x as the cores read it, not doubled.
void widen(int32_t* to, const int8_t* x, int32_t bytes) {
  int32_t i = 0;
  for (; i + 4 <= bytes; i += 4) {
    const uint32_t word = load4(x + i);
    *to++ = static_cast<int32_t>(add_even(0, word));
    *to++ = static_cast<int32_t>(add_odd(0, word));
  }
  int16_t* rest = reinterpret_cast<int16_t*>(to);
  for (; i < bytes; ++i) *rest++ = x[i];
}

// `rows` rows of weights from `first` on: bytes when args ask for requantization, else sums.
void run_rows(const LinearS8& c, const int32_t* x, int32_t first, int32_t rows, void* out, LinearArgs args) {
  static constexpr int32_t kNoBias[2] = {0, 0};
  const int8_t* w = c.weights + first * c.in_features;
  const bool aligned = ((reinterpret_cast<uintptr_t>(w) | static_cast<uintptr_t>(c.in_features)) & 3) == 0;
  LinearCore* const core =
      aligned && args.requantization.shift != 0 ? wick_dsp_linear_aligned : wick_dsp_linear_anywhere;
  const int32_t* bias = bias_of(c);
  const int32_t result_bytes = args.requantization.shift != 0 ? 1 : 4;
  for (int32_t r = 0; r < rows;) {
    args.second_row = r + 1 < rows ? 1 : 0;
    args.pairs = args.second_row != 0 && bias != nullptr ? rows / 2 : 1;
    args.bias = bias != nullptr ? bias + first + r : kNoBias;
    core(w + r * c.in_features, x, static_cast<int8_t*>(out) + r * result_bytes, &args);
    r += args.second_row != 0 ? 2 * args.pairs : 1;
  }
}

void run_vector(const LinearS8& c, const int8_t* input, int8_t* output, int32_t* x) {
  LinearArgs args{c.in_features, 0, nullptr, 0, {0, 0, 0}, 0};
  if (c.path == kFast) {
    wick_dsp_widen_doubled(x, input, c.in_features);
    args.requantization = fast_row(c.multiplier, c.shift, c.output_offset);
    run_rows(c, x, 0, c.out_features, output, args);
    return;
  }
  constexpr int32_t kBatch = 16;
  int32_t sums[kBatch];
  widen(x, input, c.in_features);
  for (int32_t first = 0; first < c.out_features; first += kBatch) {
    const int32_t rows = c.out_features - first < kBatch ? c.out_features - first : kBatch;
    run_rows(c, x, first, rows, sums, args);
    for (int32_t r = 0; r < rows; ++r) {
      *output++ = scalar::requantized(sums[r], c.multiplier, c.shift, c.output_offset, c.act_min, c.act_max);
    }
  }
}

}  // namespace

KernelMemory linear_s8_plan(LinearS8& c) {
  if (c.filter_offset != 0 || c.rows < 1 || c.in_features < 1 || c.out_features < 1) {
    const KernelMemory memory = scalar::linear_s8_plan(c);
    c.path = kScalar;
    return memory;
  }
  const bool fast = requantizes_fast(c);
  const uint32_t prepared = folds(c) ? static_cast<uint32_t>(c.out_features) * 4 : 0;
  c.path = fast ? kFast : kExact;
  return {prepared, widened_bytes(c.in_features)};
}

void linear_s8_prepare(LinearS8& c, void* prepared) {
  if (c.path == kScalar) {
    scalar::linear_s8_prepare(c, prepared);
    return;
  }
  c.prepared = prepared;
  if (!folds(c)) return;
  fold_row_sums(c.weights, c.out_features, c.in_features, c.bias, c.input_offset, static_cast<int32_t*>(prepared));
}

void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == kScalar) {
    scalar::linear_s8(c, input, output, scratch);
    return;
  }
  for (int32_t row = 0; row < c.rows; ++row) {
    run_vector(c, input + row * c.in_features, output + row * c.out_features, static_cast<int32_t*>(scratch));
  }
  if (c.path == kFast) clamp_s8(output, c.rows * c.out_features, c.act_min, c.act_max);
}

// One row of lhs at a time: a linear layer whose weights are rhs. What the offsets add is a bias:
//   sum (l + lo)(r + ro) = sum l * r + lo * sum r + depth * lo * ro + ro * sum l,   the last one the row's own.
KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c) {
  c.path = kScalar;
  if (c.batch < 1 || c.lhs_rows < 1 || c.rhs_rows < 1 || c.depth < 1) return scalar::batch_matmul_s8_plan(c);
  const int64_t lhs = largest_operand(c.lhs_offset), rhs = largest_operand(c.rhs_offset);
  const bool small = lhs < 0x10000 && rhs < 0x8000;  // their product with a depth fits 64 bits
  const bool fast = small && row_requantizes_fast(lhs * rhs * c.depth, c.multiplier, c.shift, c.output_zero_point);
  c.path = fast ? kFast : kExact;
  return {0, widened_bytes(c.depth) + 8 * static_cast<uint32_t>(c.rhs_rows)};
}

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch) {
  if (c.path == kScalar) {
    scalar::batch_matmul_s8(c, lhs, rhs, output, scratch);
    return;
  }
  int32_t* x = static_cast<int32_t*>(scratch);
  int32_t* shared = x + widened_bytes(c.depth) / 4;
  int32_t* own = shared + c.rhs_rows;
  LinearS8 row{1,   c.depth, c.rhs_rows, 0,       0,     c.output_zero_point, -128, 127, c.multiplier, c.shift,
               rhs, nullptr, own,        nullptr, c.path};
  const int32_t constant = wrap_mul(c.depth, wrap_mul(c.lhs_offset, c.rhs_offset));
  for (int32_t b = 0; b < c.batch; ++b, row.weights += c.rhs_rows * c.depth) {
    fold_row_sums(row.weights, c.rhs_rows, c.depth, nullptr, c.lhs_offset, shared);
    for (int32_t m = 0; m < c.lhs_rows; ++m, lhs += c.depth, output += c.rhs_rows) {
      int32_t added = 0;
      if (c.rhs_offset != 0) fold_row_sums(lhs, 1, c.depth, nullptr, c.rhs_offset, &added);
      added = wrap_add(added, constant);
      for (int32_t n = 0; n < c.rhs_rows; ++n) own[n] = wrap_add(shared[n], added);
      run_vector(row, lhs, output, x);
    }
  }
}

}  // namespace wick::kernels::dsp
