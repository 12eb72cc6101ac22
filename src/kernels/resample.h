// Images in another size: nearest and bilinear, and sampling at given places. Any memory order. Knows strides in
// elements; refuses to know what a tensor is.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/pool_any.h"

namespace wick::kernels {

struct Resample {
  int32_t batch, channels, in_h, in_w, out_h, out_w;
  ImageSteps in_steps, out_steps;
  float scale_h, scale_w;  // input positions per output position
  bool align_corners = false;
  DType dtype;
};

// Any dtype: source = min(floor(o * scale), in - 1).
void resample_nearest(const Resample& r, const void* input, void* output);
// Floating-point dtypes: source = (o + 0.5) * scale - 0.5, not below 0; or o * scale when corners are aligned.
void resample_bilinear(const Resample& r, const void* input, void* output);

// output[n, c, y, x] = input[n, c] at the place that grid[n, y, x] = (x, y) names, -1 to 1 across the image: between
// the outer pixels' centers when corners are aligned, else between the image's edges. Formulas: PyTorch's grid_sample.
struct GridSample {
  enum class Mode : uint8_t { kBilinear, kNearest, kBicubic };
  enum class Outside : uint8_t { kZeros, kBorder, kReflection };
  int32_t batch, channels, in_h, in_w, out_h, out_w;
  ImageSteps in_steps, out_steps, grid_steps;  // of the grid, "channel" leads from x to y
  Mode mode;
  Outside outside;
  bool align_corners;
  DType dtype;
};

// Floating-point dtypes, the same for input, grid and output. A place that is no number is outside.
void grid_sample(const GridSample& g, const void* input, const void* grid, void* output);

}  // namespace wick::kernels
