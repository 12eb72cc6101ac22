// The tail that every INT8 matrix kernel shares: an accumulator becomes an output byte.
#pragma once

#include "core/quant.h"

namespace wick::kernels::scalar {

inline int8_t requantized(int32_t acc, int32_t multiplier, int32_t shift, int32_t offset, int32_t low, int32_t high) {
  return static_cast<int8_t>(clamp(wrap_add(requantize(acc, multiplier, shift), offset), low, high));
}

}  // namespace wick::kernels::scalar
