// Matrix products: INT8 linear and batch matmul, and linear in float. Rows against rows, both read along memory.
#include "kernels/kernels.h"
#include "kernels/scalar/dot.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::scalar {

namespace {

// What every row of a linear layer shares.
struct Start {
  const int32_t* bias;  // or null
  int32_t offset;       // 0 when it is folded into the bias
};

// N outputs from `o` for one row.
template <int32_t N>
void run_outputs(const LinearS8& c, const Start& start, const int8_t* input, int32_t o, int8_t* output) {
  const int8_t* weights = c.weights + o * c.in_features;
  uint32_t acc[N];
  for (int32_t n = 0; n < N; ++n) acc[n] = start.bias != nullptr ? static_cast<uint32_t>(start.bias[o + n]) : 0;
  if (start.offset == 0 && c.filter_offset == 0) {
    dot(acc, input, weights, c.in_features, c.in_features);
  } else {
    dot_offsets(acc, input, weights, c.in_features, c.in_features, start.offset, c.filter_offset);
  }
  for (int32_t n = 0; n < N; ++n) {
    output[o + n] =
        requantized(static_cast<int32_t>(acc[n]), c.multiplier, c.shift, c.output_offset, c.act_min, c.act_max);
  }
}

}  // namespace

KernelMemory linear_s8_plan(LinearS8& c) {
  // With bare bytes on both sides the inner loop is a plain product; a kernel_sum already holds what is folded in.
  const bool folds = c.kernel_sum == nullptr && c.input_offset != 0 && c.filter_offset == 0;
  c.path = folds ? 1 : 0;
  return {folds ? static_cast<uint32_t>(c.out_features) * 4 : 0, 0};
}

void linear_s8_prepare(LinearS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.path == 0) return;
  int32_t* folded = static_cast<int32_t*>(prepared);
  for (int32_t o = 0; o < c.out_features; ++o) {
    const int32_t sum = sum_of(c.weights + o * c.in_features, c.in_features);
    folded[o] = wrap_add(c.bias != nullptr ? c.bias[o] : 0, wrap_mul(c.input_offset, sum));
  }
}

void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void*) {
  Start start = {c.bias, c.input_offset};
  if (c.path == 1) start = {static_cast<const int32_t*>(c.prepared), 0};
  if (c.kernel_sum != nullptr) start = {c.kernel_sum, 0};
  for (int32_t row = 0; row < c.rows; ++row, input += c.in_features, output += c.out_features) {
    int32_t o = 0;
    for (; o + 2 <= c.out_features; o += 2) run_outputs<2>(c, start, input, o, output);
    if (o < c.out_features) run_outputs<1>(c, start, input, o, output);
  }
}

KernelMemory batch_matmul_s8_plan(BatchMatmulS8&) { return {}; }

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void*) {
  for (int32_t b = 0; b < c.batch; ++b, rhs += c.rhs_rows * c.depth) {
    for (int32_t m = 0; m < c.lhs_rows; ++m, lhs += c.depth) {
      for (int32_t n = 0; n < c.rhs_rows; ++n) {
        uint32_t acc[1] = {0};
        dot_offsets(acc, lhs, rhs + n * c.depth, 0, c.depth, c.lhs_offset, c.rhs_offset);
        *output++ = requantized(static_cast<int32_t>(acc[0]), c.multiplier, c.shift, c.output_zero_point, -128, 127);
      }
    }
  }
}

void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  for (uint32_t r = 0; r < rows; ++r, x += depth) {
    const float* weights = w;
    for (uint32_t n = 0; n < outputs; ++n, weights += depth) {
      float acc = bias != nullptr ? bias[n] : 0.0f;
      for (uint32_t k = 0; k < depth; ++k) acc += x[k] * weights[k];
      *y++ = acc;
    }
  }
}

}  // namespace wick::kernels::scalar
