// What the INT8 operators' arguments have in common, judged once: zero points, factors, output ranges, images,
// per-channel tables. Knows nothing of any kernel.
#pragma once

#include <cstdint>

#include "runtime/op.h"

namespace wick::ops {

// How the sizes of an image tensor are written: as PyTorch does with memory in channels-last order, or in the order
// of memory ("_nhwc" operators: plain contiguous tensors).
enum class Layout : uint8_t { kLogicalNchw, kExplicitNhwc };

struct Image {
  int32_t n = 1, h = 1, w = 1, c = 1;
};

struct Pair {
  int32_t h = 1, w = 1;
};

struct Range {
  int32_t low = -128, high = 127;
};

// An INT8 image of rank 4 with its bytes in NHWC order, no dimension empty.
Image image_of(Prepare& p, uint32_t arg, const Tensor& t, Layout layout);
// Makes `output` an image of these sizes.
void resize_image(Prepare& p, uint32_t arg, Tensor* output, const Image& image, Layout layout);

// A list [h, w] with entries in [low, high].
Pair pair_of(Prepare& p, uint32_t arg, int32_t low, int32_t high);
// The largest padding, kernel, stride or dilation: with sizes below 2^31 elements no index leaves int32.
inline constexpr int32_t kMaxWindow = 1 << 20;

// floor((size + 2 * pad - extent) / stride) + 1, where extent = (kernel - 1) * dilation + 1. Fails unless the window
// fits and its reach stays below 2^30.
int32_t window_outputs(Prepare& p, uint32_t arg, int32_t size, int32_t kernel, int32_t stride, int32_t pad,
                       int32_t dilation);

// A zero point of INT8, and one that is handed over negated.
inline int32_t zero_point_of(Prepare& p, uint32_t arg) { return p.int32_in(arg, -128, 127); }
inline int32_t negated_zero_point_of(Prepare& p, uint32_t arg) { return p.int32_in(arg, -127, 128); }
inline int32_t multiplier_of(Prepare& p, uint32_t arg) { return p.int32_in(arg, 0, INT32_MAX); }
// A subtraction is an addition with a negated factor.
inline int32_t signed_multiplier_of(Prepare& p, uint32_t arg) { return p.int32_in(arg, -INT32_MAX, INT32_MAX); }
inline constexpr int32_t kMinShift = -31, kMaxShift = 30;
inline int32_t shift_of(Prepare& p, uint32_t arg) { return p.int32_in(arg, kMinShift, kMaxShift); }
Range activation_of(Prepare& p, uint32_t min_arg, uint32_t max_arg);
// A scale: positive, finite as a float and so is its inverse.
float scale_of(Prepare& p, uint32_t arg);

// A constant int32 tensor of `count` elements, each in [low, high].
const int32_t* table_of(Prepare& p, uint32_t arg, int32_t count, int32_t low, int32_t high);
// The same, or null for None.
const int32_t* optional_table_of(Prepare& p, uint32_t arg, int32_t count);
inline const int32_t* multipliers_of(Prepare& p, uint32_t arg, int32_t count) {
  return table_of(p, arg, count, 0, INT32_MAX);
}
inline const int32_t* shifts_of(Prepare& p, uint32_t arg, int32_t count) {
  return table_of(p, arg, count, kMinShift, kMaxShift);
}
// Constant INT8 weights of rank 4 in plain contiguous order.
const int8_t* weights_of(Prepare& p, uint32_t arg, const Tensor& t);

}  // namespace wick::ops
