// One element of any dtype as a float, double or 64-bit integer, and back. For the paths that are not worth code of
// their own per dtype: a call and a switch per element. Knows encodings; refuses to know shapes.
#pragma once

#include <bit>
#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

constexpr float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31u;
  const uint32_t fraction = h & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  const uint32_t wide = exponent == 31 ? 0x7f800000u : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | wide | fraction << 13);
}

// Rounds half to even; what is too large becomes infinite.
constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t u = bits & 0x7fffffffu;
  if (u > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (u >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (u < 0x38800000u) {
    // Subnormal: adding 0.5 leaves a multiple of 2^-24, rounded by the addition itself.
    const uint32_t shifted = std::bit_cast<uint32_t>(std::bit_cast<float>(u) + 0.5f);
    return static_cast<uint16_t>(sign | (shifted - 0x3f000000u));
  }
  u += 0xfffu + ((u >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((u >> 13) - (112u << 10)));
}

constexpr float bfloat_to_float(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }

constexpr uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

// The floating-point types; any other dtype reads as 0 and is not written.
float load_f32(const void* data, DType dtype, int32_t index);
void store_f32(void* data, DType dtype, int32_t index, float value);
double load_f64(const void* data, DType dtype, int32_t index);
void store_f64(void* data, DType dtype, int32_t index, double value);

// The integer types and bool; any other dtype reads as 0 and is not written. Storing truncates.
int64_t load_i64(const void* data, DType dtype, int32_t index);
void store_i64(void* data, DType dtype, int32_t index, int64_t value);

// The same by the type that is computed in; integers wrap, so they are computed without sign.
template <typename T>
T load_as(const void* data, DType dtype, int32_t index);
template <>
inline float load_as<float>(const void* data, DType dtype, int32_t index) {
  return load_f32(data, dtype, index);
}
template <>
inline double load_as<double>(const void* data, DType dtype, int32_t index) {
  return load_f64(data, dtype, index);
}
template <>
inline uint64_t load_as<uint64_t>(const void* data, DType dtype, int32_t index) {
  return static_cast<uint64_t>(load_i64(data, dtype, index));
}
inline void store_as(void* data, DType dtype, int32_t index, float value) { store_f32(data, dtype, index, value); }
inline void store_as(void* data, DType dtype, int32_t index, double value) { store_f64(data, dtype, index, value); }
inline void store_as(void* data, DType dtype, int32_t index, uint64_t value) {
  store_i64(data, dtype, index, static_cast<int64_t>(value));
}

}  // namespace wick::kernels
