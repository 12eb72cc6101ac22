// Real factors and values as the integers that operators carry. All arithmetic in double, as ExecuTorch's exporter
// does it, so that the same scales give the same integers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/qparams.h"

namespace wick::compiler {

// factor = multiplier * 2^(shift - 31); multiplier in [2^30, 2^31 - 1], or 0. Negative factors have a negative one.
struct FixedPoint {
  int32_t multiplier = 0;
  int32_t shift = 0;
  bool operator==(const FixedPoint&) const = default;
};
FixedPoint fixed_point(double factor);

// A bound of an activation: round_half_even(value / scale + zero_point) in float32, clamped to int8.
int64_t quantized_bound(double value, const QParams& params);

// 256 outputs for the inputs -128..127: f of the real input, half away from zero, clamped.
std::vector<int8_t> activation_table(const std::function<double(double)>& f, const QParams& input,
                                     const QParams& output);

}  // namespace wick::compiler
