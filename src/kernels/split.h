// A kernel's job cut in two that can run at the same time, each half a job of its own kind on its own part of the
// output. Bit for bit the whole, as every output element is computed from the same inputs in both.
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels {

struct SplitAt {
  int32_t input = 0, output = 0;  // where the second half's memory starts, in elements
};

// By output rows; Conv is Conv2dS8 or DepthwiseConv2dS8. False when there is nothing to gain: the halves are untouched.
template <typename Conv>
bool split_rows(const Conv& c, Conv* first, Conv* second, SplitAt* at) {
  if (c.batch != 1 || c.out_h < 2) return false;
  // Some kernels make two rows at a time.
  const int32_t rows = c.out_h < 4 ? c.out_h / 2 : (c.out_h / 2 + 1) / 2 * 2;
  const int32_t top = rows * c.stride_h - c.pad_h;  // the input row that the second half starts to read at
  if (top >= c.in_h) return false;                  // it would read nothing
  *first = *second = c;
  first->out_h = rows;
  second->out_h = c.out_h - rows;
  if constexpr (requires { first->uncut_out_h; }) {
    // A border that is less than none keeps the whole input in view: a layer's memory is measured by it.
    second->pad_h = -top;
    first->uncut_out_h = second->uncut_out_h = c.out_h;
    *at = {0, rows * c.out_w * c.out_c};
  } else {
    // The fast depthwise kernels know borders of nothing or more.
    const int32_t skipped = top > 0 ? top : 0;
    second->pad_h = skipped - top;
    second->in_h = c.in_h - skipped;
    *at = {skipped * c.in_w * c.in_c, rows * c.out_w * c.out_c};
  }
  return true;
}

// By rows where there are several, by output features where there is one.
inline bool split_linear(const LinearS8& c, LinearS8* first, LinearS8* second, SplitAt* at) {
  *first = *second = c;
  if (c.rows > 1) {
    first->rows = c.rows / 2;
    second->rows = c.rows - first->rows;
    *at = {first->rows * c.in_features, first->rows * c.out_features};
    return true;
  }
  constexpr int32_t kWorthIt = 8;
  if (c.out_features < kWorthIt) return false;
  const int32_t features = (c.out_features / 2 + 3) / 4 * 4;
  first->out_features = features;
  second->out_features = c.out_features - features;
  second->weights += features * c.in_features;
  if (c.bias != nullptr) second->bias += features;
  if (c.kernel_sum != nullptr) second->kernel_sum += features;
  *at = {0, features};
  return true;
}

}  // namespace wick::kernels
