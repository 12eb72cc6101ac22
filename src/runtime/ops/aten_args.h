// What several aten operators ask of their arguments. Knows argument shapes that PyTorch's signatures share; refuses to
// know any one operator.
#pragma once

#include <cstdint>

#include "kernels/element.h"
#include "runtime/op.h"

namespace wick::ops {

// Windows, strides and paddings beyond this are refused, which keeps index arithmetic in 32 bits.
inline constexpr int32_t kMaxExtent = 1 << 24;

// Two integers in [low, kMaxExtent] from a list of two, or of one that stands for both; `fallback` for an empty list.
struct Pair {
  int32_t v, h;
};
Pair pair(Prepare& p, uint32_t arg, const char* what, int32_t low, const Pair* fallback = nullptr);

void require_floating(Prepare& p, uint32_t arg, const Tensor& t);
void require_same_dtype(Prepare& p, uint32_t arg, const Tensor& t, const Tensor& like);
// A dimension of a tensor of the given rank, counted from the end when negative; 0 after an error.
uint32_t dimension(Prepare& p, uint32_t arg, uint32_t rank);
// The size of an image after a window of `kernel` has moved over it; fails when there is none.
int32_t window_count(Prepare& p, uint32_t arg, int32_t in, int32_t kernel, int32_t stride, int32_t pad,
                     int32_t dilation, bool ceil_mode);

}  // namespace wick::ops
