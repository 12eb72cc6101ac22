// Floating-point convolution in two dimensions, plain and transposed, grouped and dilated, in any memory order. Knows
// strides in elements; refuses to know what a tensor is.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

// One of the two spatial axes.
struct ConvAxis {
  int32_t in, out, kernel, stride, pad, dilation;
  int32_t in_step, out_step, w_step;  // elements from one position to the next
};

// Plain:      out[o] = bias[o] + sum of x[i, o * stride - pad + k * dilation] * w[o, i, k]
// Transposed: out[o] = bias[o] + sum over k, x with x * stride - pad + k * dilation == o of x[i, x] * w[i, o, k]
struct ConvFloat {
  ConvAxis v, h;
  int32_t batch, groups, in_per_group, out_per_group;
  int32_t in_batch, in_channel, out_batch, out_channel;  // element steps
  int32_t w_group, w_out, w_in;                          // element steps
  bool transposed;
  DType dtype, bias_dtype;  // floating-point types
};

// Chooses which axis runs innermost and fuses axes that are one in memory. Once per load.
void conv_float_plan(ConvFloat& c);
// bias may be null.
void conv_float(const ConvFloat& c, const void* input, const void* weights, const void* bias, void* output);

}  // namespace wick::kernels
