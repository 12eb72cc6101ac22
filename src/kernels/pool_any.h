// Average and maximum over windows of an image, in any memory order and real dtype. Knows strides in elements; refuses
// to know what a tensor is.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

struct PoolAxis {
  int32_t in, out, kernel, stride, pad, dilation;
};

struct ImageSteps {
  int32_t batch, channel, row, column;  // elements
};

struct Pool {
  PoolAxis v, h;
  int32_t batch, channels;
  ImageSteps in_steps, out_steps, index_steps;
  DType dtype;
  bool adaptive = false;           // average: window o reaches from floor(o * in / out) to ceil((o + 1) * in / out)
  bool count_include_pad = false;  // average: the divisor counts the padding
  int64_t divisor = 0;             // average: divides whatever the window holds, when not 0
};

// Floating-point dtypes. A window without elements gives 0.
void average_pool(const Pool& c, const void* input, void* output);
// Any real dtype. The first of equal elements wins and NaN is larger than all, as in PyTorch; indices are
// y * in_w + x. A window without elements gives the smallest value.
void maximum_pool(const Pool& c, const void* input, void* output, int64_t* indices);

}  // namespace wick::kernels
