// TensorFlow Lite's way from real factors to integers, and tables of its INT8 operators of one tensor, filled with
// their own arithmetic. Knows numbers only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace wick::compiler {

// factor = multiplier * 2^(shift - 31), half away from zero; factors below 2^-32 are 0.
struct TfFactor {
  int32_t multiplier = 0;
  int32_t shift = 0;
};
TfFactor tflite_factor(double factor);

// What one int8 tensor's integers mean.
struct TfParams {
  float scale = 1;
  int32_t zero_point = 0;
  bool operator==(const TfParams&) const = default;
};

using TfTable = std::vector<int8_t>;  // for the inputs -128 .. 127

// Entry for input q: f(q), clamped to int8.
TfTable tflite_table(const std::function<int64_t(int32_t)>& f);
// f in float32, result / scale rounded half away from zero.
TfTable tflite_float_table(const std::function<float(float)>& f, const TfParams& in, const TfParams& out);
// The same values in another meaning.
TfTable tflite_requantized_table(const TfParams& in, const TfParams& out, bool factor_in_float32);
TfTable tflite_hard_swish_table(const TfParams& in, const TfParams& out);

// Clamped by a fused activation (the format's number); throws Failure for one that has no int8 form.
struct TfBounds {
  int32_t low = -128, high = 127;
};
TfBounds tflite_bounds(int8_t activation, const TfParams& out);

}  // namespace wick::compiler
