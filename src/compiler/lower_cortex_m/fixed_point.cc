#include "compiler/lower_cortex_m/fixed_point.h"

#include <algorithm>
#include <cmath>

namespace wick::compiler {

FixedPoint fixed_point(double factor) {
  if (factor == 0 || !std::isfinite(factor)) return {};
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  // nearbyint: half to even in the default rounding mode.
  int64_t multiplier = static_cast<int64_t>(std::nearbyint(fraction * 2147483648.0));
  if (multiplier == int64_t{1} << 31) {
    multiplier = int64_t{1} << 30;
    ++exponent;
  }
  multiplier = std::clamp<int64_t>(multiplier, INT32_MIN, INT32_MAX);
  return {static_cast<int32_t>(multiplier), exponent};
}

int64_t quantized_bound(double value, const QParams& params) {
  const float scaled =
      static_cast<float>(value) / static_cast<float>(params.scale) + static_cast<float>(params.zero_point);
  if (std::isnan(scaled)) return params.zero_point;
  return static_cast<int64_t>(std::clamp(std::nearbyint(scaled), -128.0f, 127.0f));
}

std::vector<int8_t> activation_table(const std::function<double(double)>& f, const QParams& input,
                                     const QParams& output) {
  std::vector<int8_t> table;
  for (int64_t q = -128; q <= 127; ++q) {
    const double y = f(static_cast<double>(q - input.zero_point) * input.scale);
    // std::round: half away from zero.
    const double scaled = std::round(y / output.scale + static_cast<double>(output.zero_point));
    table.push_back(static_cast<int8_t>(std::clamp(scaled, -128.0, 127.0)));
  }
  return table;
}

}  // namespace wick::compiler
