// Quantization of any floating-point dtype to any integer one and back, by one scale or by one for each channel, in any
// memory order: q = clamp(zero_point + round_half_even(x / scale)), x = (q - zero_point) * scale.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/nest.h"

namespace wick::kernels {

struct Quantization {
  Nest<3, 5> elements;  // output, input, parameters
  DType real, integer, scale_dtype, zero_point_dtype;
  const void* scales;
  const void* zero_points;  // or null: 0
  // When scales is null, these serve all.
  float scale;
  int64_t zero_point;
  int64_t quant_min, quant_max;
};

void quantize_any(const Quantization& q, const void* input, void* output);
void dequantize_any(const Quantization& q, const void* input, void* output);

}  // namespace wick::kernels
