// Matrix products: INT8 linear and batch matmul, and linear in float. Rows against rows, both read along memory.
#include "kernels/kernels.h"
#include "kernels/scalar/dot.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::scalar {

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
  const bool folded = c.path == 1 || c.kernel_sum != nullptr;
  const int32_t offset = folded ? 0 : c.input_offset;
  const int32_t* start = c.path == 1               ? static_cast<const int32_t*>(c.prepared)
                         : c.kernel_sum != nullptr ? c.kernel_sum
                                                   : c.bias;
  for (int32_t row = 0; row < c.rows; ++row, input += c.in_features) {
    const int8_t* weights = c.weights;
    for (int32_t o = 0; o < c.out_features; ++o, weights += c.in_features) {
      const int32_t first = start != nullptr ? start[o] : 0;
      const int32_t acc = offset == 0 && c.filter_offset == 0
                              ? dot(first, input, weights, c.in_features)
                              : dot_offsets(first, input, weights, c.in_features, offset, c.filter_offset);
      *output++ = requantized(acc, c.multiplier, c.shift, c.output_offset, c.act_min, c.act_max);
    }
  }
}

KernelMemory batch_matmul_s8_plan(BatchMatmulS8&) { return {}; }

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void*) {
  for (int32_t b = 0; b < c.batch; ++b, rhs += c.rhs_rows * c.depth) {
    for (int32_t m = 0; m < c.lhs_rows; ++m, lhs += c.depth) {
      for (int32_t n = 0; n < c.rhs_rows; ++n) {
        const int32_t acc = dot_offsets(0, lhs, rhs + n * c.depth, c.depth, c.lhs_offset, c.rhs_offset);
        *output++ = requantized(acc, c.multiplier, c.shift, c.output_zero_point, -128, 127);
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
