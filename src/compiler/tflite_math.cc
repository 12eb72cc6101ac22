#include "compiler/tflite_math.h"

#include <algorithm>
#include <cmath>

#include "core/quant.h"
#include "files/failure.h"

namespace wick::compiler {

TfFactor tflite_factor(double factor) {
  if (factor == 0 || !std::isfinite(factor)) return {};
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  auto multiplier = static_cast<int64_t>(std::round(fraction * 2147483648.0));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  if (exponent > 30) files::fail("a scale is ", factor, " times another, which is impossible");
  return {static_cast<int32_t>(multiplier), exponent};
}

TfTable tflite_table(const std::function<int64_t(int32_t)>& f) {
  TfTable table;
  for (int32_t q = -128; q <= 127; ++q) table.push_back(static_cast<int8_t>(std::clamp<int64_t>(f(q), -128, 127)));
  return table;
}

TfTable tflite_float_table(const std::function<float(float)>& f, const TfParams& in, const TfParams& out) {
  const float inverse = 1.0f / out.scale;
  return tflite_table([&](int32_t q) -> int64_t {
    const float y = f(in.scale * static_cast<float>(q - in.zero_point));
    const float scaled = std::round(y * inverse);
    if (!(std::abs(scaled) < 1e6f)) return scaled < 0 ? -128 : 127;
    return static_cast<int64_t>(scaled) + out.zero_point;
  });
}

TfTable tflite_requantized_table(const TfParams& in, const TfParams& out, bool factor_in_float32) {
  const double factor = factor_in_float32 ? double{in.scale / out.scale} : double{in.scale} / double{out.scale};
  const TfFactor f = tflite_factor(factor);
  return tflite_table([&](int32_t q) -> int64_t {
    return int64_t{requantize(q - in.zero_point, f.multiplier, f.shift)} + out.zero_point;
  });
}

namespace {

int32_t saturated16(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX)); }

// a * b / 2^15, half up in the magnitude's sense of a doubling high multiply.
int32_t high_mul16(int32_t a, int32_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  const int32_t product = a * b;
  return (product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

int32_t to_16_bits(int32_t multiplier) {
  return static_cast<int32_t>(std::min<int64_t>((int64_t{multiplier} + (1 << 15)) >> 16, INT16_MAX));
}

}  // namespace

TfTable tflite_hard_swish_table(const TfParams& in, const TfParams& out) {
  const float hires = in.scale / 128.0f;
  const TfFactor to_out = tflite_factor(double{hires / out.scale});
  const TfFactor to_relu = tflite_factor(double{hires / (3.0f / 32768.0f)});
  const int32_t out_multiplier = to_16_bits(to_out.multiplier), relu_multiplier = to_16_bits(to_relu.multiplier);
  return tflite_table([&](int32_t q) -> int64_t {
    const int32_t value = (q - in.zero_point) * 128;
    const int32_t on_out = high_mul16(value, out_multiplier);
    int32_t relu = value;
    if (to_relu.shift > 0) relu = saturated16(int64_t{relu} << (to_relu.shift - 1));
    relu = high_mul16(relu, relu_multiplier);
    if (to_relu.shift > 0) relu = saturated16(int64_t{relu} << 1);
    if (to_relu.shift < 0) relu = divide_by_power_of_two(relu, -to_relu.shift);
    relu = (relu + (1 << 15)) >> 1;
    const int32_t product = (relu * on_out) / (1 << 15);
    return int64_t{divide_by_power_of_two(product, to_out.shift < 0 ? -to_out.shift : 0)} + out.zero_point;
  });
}

TfBounds tflite_bounds(int8_t activation, const TfParams& out) {
  const auto bound = [&out](float value) {
    const float scaled = std::round(value / out.scale);
    return static_cast<int32_t>(std::clamp(scaled + static_cast<float>(out.zero_point), -128.0f, 127.0f));
  };
  switch (activation) {
    case 0:
      return {};
    case 1:
      return {bound(0), 127};
    case 2:
      return {bound(-1), bound(1)};
    case 3:
      return {bound(0), bound(6)};
    default:
      files::fail("its fused activation ", int{activation}, " is not supported for INT8");
  }
}

}  // namespace wick::compiler
