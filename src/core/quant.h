// Fixed-point arithmetic of INT8 operators: the only rounding code in wick. It is CMSIS-NN's default ("double
// rounding"), defined for every input: a doubling high multiply that rounds half up, then a division by a power of two
// that rounds half away from zero. A real factor is multiplier * 2^(shift - 31).
#pragma once

#include <cstdint>

namespace wick {

inline constexpr int32_t kInt32Max = INT32_MAX;
inline constexpr int32_t kInt32Min = INT32_MIN;

constexpr int32_t wrap_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
constexpr int32_t wrap_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
// value << shift without undefined behaviour; shift in [0, 31].
constexpr int32_t wrap_shl(int32_t value, int32_t shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << shift);
}

// (a * b + 2^30) >> 31, truncated to 32 bits.
constexpr int32_t doubling_high_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (int64_t{1} << 30)) >> 31);
}

// As above but half away from zero, saturating INT32_MIN * INT32_MIN; softmax uses it.
constexpr int32_t doubling_high_mul_sat(int32_t a, int32_t b) {
  if (a == kInt32Min && b == kInt32Min) return kInt32Max;
  const int64_t product = static_cast<int64_t>(a) * b;
  const int64_t nudge =
      product < 0 || (product == 0 && ((a < 0) != (b < 0))) ? 1 - (int64_t{1} << 30) : int64_t{1} << 30;
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// value / 2^exponent, rounded half away from zero; exponent in [0, 31].
constexpr int32_t divide_by_power_of_two(int32_t value, int32_t exponent) {
  const int32_t mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  const int32_t quotient = value >> exponent;
  const int32_t threshold = static_cast<int32_t>(static_cast<uint32_t>(mask) >> 1) + (quotient < 0 ? 1 : 0);
  return quotient + ((value & mask) > threshold ? 1 : 0);
}

// value * multiplier * 2^(shift - 31); shift in [-31, 30]. The left shift wraps, as CMSIS-NN's does.
constexpr int32_t requantize(int32_t value, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  return divide_by_power_of_two(doubling_high_mul(wrap_shl(value, left), multiplier), right);
}

// Maximum first, then minimum, as CMSIS-NN clamps.
constexpr int32_t clamp(int32_t value, int32_t low, int32_t high) {
  const int32_t raised = value > low ? value : low;
  return raised < high ? raised : high;
}

}  // namespace wick
