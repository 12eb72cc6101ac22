// Values as lowering sees them: real tensors that stand behind a dequantize, and the integers in front of it. Knows
// the quantize and dequantize nodes; refuses to know the operators between them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph.h"
#include "compiler/lower_cortex_m/fixed_point.h"

namespace wick::compiler {

inline constexpr const char* kQuantize = "quantized_decomposed::quantize_per_tensor";
inline constexpr const char* kDequantize = "quantized_decomposed::dequantize_per_tensor";
inline constexpr const char* kDequantizeChannel = "quantized_decomposed::dequantize_per_channel";

// An int8 activation (or constant) with one scale.
struct Quantized {
  Value* q = nullptr;
  QParams params;
};
// When `real` is the output of a dequantize_per_tensor of int8.
std::optional<Quantized> quantized(const Value* real);
// What a quantize or dequantize node says.
QParams params_of(const Node& node);

// An integer constant behind a dequantize, per tensor or per channel.
struct QuantizedConstant {
  const Value* q = nullptr;
  std::vector<double> scale;  // one, or one per channel
  std::vector<int64_t> zero_point;
  int64_t axis = 0;

  double scale_of(size_t channel) const { return scale.size() == 1 ? scale[0] : scale[channel]; }
  bool symmetric() const;
  bool per_channel() const { return scale.size() > 1; }
};
std::optional<QuantizedConstant> quantized_constant(const Value* real);

// A constant real tensor as numbers, dequantized where it is quantized; nothing when it is no constant.
std::optional<std::vector<double>> real_constant(const Value* real);

std::vector<int64_t> integers(const Value& constant);

// A bias as int32 in units of `scale` (one per channel): its integers when it is quantized in those units (as float32
// numbers), else its real values, half to even. Nothing when there is no bias, or it is no constant.
std::optional<std::vector<int64_t>> int32_bias(const Value* bias, const std::vector<double>& scale);

}  // namespace wick::compiler
