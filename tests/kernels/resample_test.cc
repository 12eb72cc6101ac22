// Resampling, border padding and generic quantization on examples that can be checked by hand.
#include "kernels/resample.h"

#include <doctest.h>

#include <cmath>
#include <cstdint>

#include "kernels/pad_border.h"
#include "kernels/quantize_any.h"

namespace wick::kernels {
namespace {

Resample row(int32_t in, int32_t out, float scale) {
  Resample r{};
  r.batch = r.channels = r.in_h = r.out_h = 1;
  r.in_w = in, r.out_w = out;
  r.in_steps = r.out_steps = {0, 0, 0, 1};
  r.scale_h = 1.0f, r.scale_w = scale;
  r.dtype = DType::kFloat32;
  return r;
}

TEST_CASE("resample_nearest takes the element below") {
  const float x[3] = {1, 2, 3};
  float y[5];
  resample_nearest(row(3, 5, 3.0f / 5.0f), x, y);
  const float expected[5] = {1, 1, 2, 2, 3};
  for (int i = 0; i < 5; ++i) CHECK(y[i] == expected[i]);
}

TEST_CASE("resample_bilinear blends between centres or between corners") {
  const float x[2] = {0, 8};
  float y[4];
  resample_bilinear(row(2, 4, 0.5f), x, y);
  const float centres[4] = {0, 2, 6, 8};
  for (int i = 0; i < 4; ++i) CHECK(y[i] == centres[i]);
  Resample r = row(2, 3, 0.5f);
  r.align_corners = true;
  resample_bilinear(r, x, y);
  CHECK(y[0] == 0.0f);
  CHECK(y[1] == 4.0f);
  CHECK(y[2] == 8.0f);
}

TEST_CASE("pad_border reflects without the border and replicates it") {
  PadBorder p{};
  p.axes[0] = p.axes[1] = {1, 1, 0, 0, 0};
  p.axes[2] = {3, 7, 2, 2, 2};
  p.element_bytes = 2;
  p.reflect = true;
  const int16_t x[3] = {1, 2, 3};
  int16_t y[7];
  pad_border(p, reinterpret_cast<const uint8_t*>(x), reinterpret_cast<uint8_t*>(y));
  const int16_t reflected[7] = {3, 2, 1, 2, 3, 2, 1};
  for (int i = 0; i < 7; ++i) CHECK(y[i] == reflected[i]);
  p.reflect = false;
  pad_border(p, reinterpret_cast<const uint8_t*>(x), reinterpret_cast<uint8_t*>(y));
  const int16_t replicated[7] = {1, 1, 1, 2, 3, 3, 3};
  for (int i = 0; i < 7; ++i) CHECK(y[i] == replicated[i]);
}

TEST_CASE("quantize_any rounds half to even, saturates and keeps NaN at the zero point") {
  Quantization q{};
  q.elements.add(6, {1, 1, 0});
  q.real = DType::kFloat32, q.integer = DType::kInt8;
  q.scale = 0.5f, q.zero_point = 3;
  q.quant_min = -128, q.quant_max = 127;
  const float x[6] = {0.25f, 0.75f, -1.0f, 1e30f, -INFINITY, NAN};
  int8_t y[6];
  quantize_any(q, x, y);
  const int8_t expected[6] = {3, 5, 1, 127, -128, 3};
  for (int i = 0; i < 6; ++i) CHECK(y[i] == expected[i]);
  float back[6];
  dequantize_any(q, y, back);
  CHECK(back[1] == 1.0f);
  CHECK(back[4] == -65.5f);
}

TEST_CASE("dequantize_any takes each channel's own scale and zero point") {
  Quantization q{};
  q.elements.add(2, {2, 2, 1});
  q.elements.add(2, {1, 1, 0});
  const float scales[2] = {0.5f, 2.0f};
  const int64_t zero_points[2] = {0, 10};
  q.real = DType::kFloat32, q.integer = DType::kUInt8;
  q.scales = scales, q.scale_dtype = DType::kFloat32;
  q.zero_points = zero_points, q.zero_point_dtype = DType::kInt64;
  const uint8_t x[4] = {4, 6, 10, 12};
  float y[4];
  dequantize_any(q, x, y);
  const float expected[4] = {2, 3, 0, 4};
  for (int i = 0; i < 4; ++i) CHECK(y[i] == expected[i]);
}

}  // namespace
}  // namespace wick::kernels
