// When requantization takes five instructions. With d = 2 * acc, e = -shift and hc = 2^(e-1) + (output_offset << e):
//   x = SMMLAR(d, multiplier, hc + (acc >> 31)), then SSAT8(x >> e)
// equals clamp8(requantize(acc, multiplier, shift) + output_offset). SMMLAR rounds d * multiplier / 2^32 half up, as
// doubling_high_mul does; hc and the -1 of a negative acc are divide_by_power_of_two's rounding. The sign of acc may
// stand for that of the product: a negative acc whose product rounds to 0 gives (2^(e-1) - 1) >> e = 0 too.
#pragma once

#include <cstdint>

namespace wick::kernels::dsp {

inline constexpr int32_t kAccLimit = 1 << 30;  // |acc| stays below: 2 * acc fits

// What the multiplier, the shift and the output offset must fulfil: with e <= 22 and |acc| < 2^30 no sum wraps.
inline bool requantizes_fast(int32_t multiplier, int32_t shift, int32_t output_offset) {
  return multiplier >= 0 && shift <= -1 && shift >= -22 && output_offset >= -128 && output_offset <= 127;
}

inline int32_t rounding_addend(int32_t shift, int32_t output_offset) {
  return (1 << (-shift - 1)) + output_offset * (1 << -shift);
}

inline bool bounds_fit_s8(int32_t low, int32_t high) { return low >= -128 && low <= 127 && high >= -128 && high <= 127; }

}  // namespace wick::kernels::dsp
