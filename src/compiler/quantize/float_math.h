// The float arithmetic of calibration for operators that sum. Convolutions: fused multiply-adds in float32, channel by
// channel, the bias last; products of matrices: in double, rounded once. PyTorch's own sums depend on its library and
// the CPU; of the orders that were tried, these agree best with what made ExecuTorch's goldens. They are the same on
// every machine. Pure functions on dense arrays in logical order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "files/array.h"

namespace wick::compiler {

// Up to three spatial dimensions; missing ones are leading 1s.
struct ConvShape {
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
};

// input [N, C, spatial], weight [O, C/groups, kernel], bias [O] or empty -> out [N, O, spatial].
void convolve(const ConvShape& shape, const float* input, const float* weight, const float* bias, float* out);
// weight [C, O/groups, kernel].
void convolve_transposed(const ConvShape& shape, const float* input, const float* weight, const float* bias,
                         float* out);
// out[b][i][j] = sum_k left[b][i][k] * right[b][k][j]; strides in elements say where k and j step in `right`.
struct MatmulShape {
  int64_t rows = 1, inner = 1, columns = 1;
  int64_t right_k_stride = 1, right_j_stride = 1;
};
void multiply(const MatmulShape& shape, const float* left, const float* right, const float* bias, float* out);

}  // namespace wick::compiler
