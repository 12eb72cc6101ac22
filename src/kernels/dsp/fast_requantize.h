// When requantization takes five instructions. With d = 2 * acc, e = -shift and hc = 2^(e-1) + (output_offset << e):
//   x = SMMLAR(d, multiplier, hc + (acc >> 31)), then SSAT8(x >> e)
// equals clamp8(requantize(acc, multiplier, shift) + output_offset). SMMLAR rounds d * multiplier / 2^32 half up, as
// doubling_high_mul does; hc and the -1 of a negative acc are divide_by_power_of_two's rounding. The sign of acc may
// stand for that of the product: a negative acc whose product rounds to 0 gives (2^(e-1) - 1) >> e = 0 too.
#pragma once

#include <cstdint>

namespace wick::kernels::dsp {

inline constexpr int32_t kAccLimit = 1 << 30;  // |acc| stays below: 2 * acc fits
inline constexpr int32_t kMaxFastShift = 22;   // up to here addend and product together fit 32 bits

// What the multiplier, the shift and the output offset must fulfil: with e <= 22 and |acc| < 2^30 no sum wraps.
inline bool requantizes_fast(int32_t multiplier, int32_t shift, int32_t output_offset) {
  return multiplier >= 0 && shift <= -1 && shift >= -kMaxFastShift && output_offset >= -128 && output_offset <= 127;
}

inline int32_t rounding_addend(int32_t shift, int32_t output_offset) {
  return (1 << (-shift - 1)) + output_offset * (1 << -shift);
}

inline bool bounds_fit_s8(int32_t low, int32_t high) {
  return low >= -128 && low <= 127 && high >= -128 && high <= 127;
}

// One row's constants as the cores read them.
struct FastRow {
  int32_t multiplier, addend, shift;
};

// A shift beyond kMaxFastShift may be used only where row_requantizes_fast() proved that every result is the offset.
inline FastRow fast_row(int32_t multiplier, int32_t shift, int32_t output_offset) {
  if (-shift > kMaxFastShift) return {0, 2 * output_offset + 1, 1};
  return {multiplier, rounding_addend(shift, output_offset), -shift};
}

// True when fast_row() is right for every |acc| <= bound. Channels that training switched off have tiny scales, hence
// large shifts: they are constant rather than slow.
inline bool row_requantizes_fast(int64_t bound, int32_t multiplier, int32_t shift, int32_t output_offset) {
  if (multiplier < 0 || shift < -31 || bound >= kAccLimit) return false;
  if (-shift <= kMaxFastShift) return requantizes_fast(multiplier, shift, output_offset);
  return bound < (int64_t{1} << (-shift - 1)) && output_offset >= -128 && output_offset <= 127;
}

// A cheap proof that all channels requantize fast when no sum of products exceeds `products`: loading a program is
// counted too. False proves nothing: row by row it may still be so.
template <typename Conv>
bool tables_requantize_fast(int64_t products, const Conv& c) {
  constexpr int32_t kBiasLimit = 1 << 28;
  if (products >= kAccLimit - kBiasLimit || c.output_offset < -128 || c.output_offset > 127) return false;
  return c.usual_tables || usual_tables(c.multiplier, c.shift, c.bias, c.out_c);
}

// The largest |x + offset| that a byte x can give.
inline int64_t largest_operand(int32_t offset) {
  const int64_t low = int64_t{offset} - 128, high = int64_t{offset} + 127;
  return high > -low ? high : -low;
}

}  // namespace wick::kernels::dsp
