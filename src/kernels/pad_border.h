// Padding by reflection or by repeating the border, in up to three dimensions. Knows strides in bytes; refuses to know
// numbers.
#pragma once

#include <cstdint>

#include "kernels/nest.h"

namespace wick::kernels {

struct PadAxis {
  int32_t in, out, before;
  int32_t to_step, from_step;  // bytes
};

struct PadBorder {
  Nest<2, 4> images;  // what is not padded: steps of the output and the input, in bytes
  PadAxis axes[3];    // outermost first; unused ones are {1, 1, 0, 0, 0}
  uint32_t element_bytes;
  bool reflect;  // 2 1 | 0 1 2; else 0 0 | 0 1 2
};

void pad_border(const PadBorder& p, const uint8_t* input, uint8_t* output);

}  // namespace wick::kernels
