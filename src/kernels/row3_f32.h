// A row of float outputs, each the sum of two or three rows of three taps: a 3x3 depthwise convolution. Knows strides;
// refuses to know about channels.
#pragma once

#include <cstdint>

namespace wick::kernels {

// Steps in elements: from row to row, from tap to tap, from output to output.
struct Row3 {
  int32_t x_row, x_tap, x_output;
  int32_t w_row, w_tap;
  int32_t out_output;
};

// rows is 2 or 3, count at least 1. A first output that is cut has no first tap, a last one no last tap; x is where the
// first output's first tap would be. An only output is not cut at both ends.
void row3_f32(const Row3& r, int32_t rows, const float* x, const float* w, float bias, float* out, int32_t count,
              bool first_cut, bool last_cut);

}  // namespace wick::kernels
