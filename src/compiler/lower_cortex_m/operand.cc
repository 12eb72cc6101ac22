#include "compiler/lower_cortex_m/operand.h"

#include <algorithm>
#include <cmath>

#include "files/array.h"

namespace wick::compiler {

QParams params_of(const Node& node) { return {*node.arg(1).number(), *node.arg(2).get<int64_t>()}; }

std::optional<Quantized> quantized(const Value* real) {
  if (real == nullptr || real->producer() == nullptr || real->producer()->op != kDequantize) return std::nullopt;
  Value* q = real->producer()->arg(0).tensor();
  if (q->type.dtype != DType::kInt8) return std::nullopt;
  return Quantized{q, params_of(*real->producer())};
}

bool QuantizedConstant::symmetric() const {
  return std::all_of(zero_point.begin(), zero_point.end(), [](int64_t z) { return z == 0; });
}

std::vector<int64_t> integers(const Value& constant) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < constant.type.numel(); ++i) {
    out.push_back(
        constant.data == nullptr ? 0 : static_cast<int64_t>(files::element(*constant.data, static_cast<uint64_t>(i))));
  }
  return out;
}

std::optional<QuantizedConstant> quantized_constant(const Value* real) {
  const Node* node = real == nullptr ? nullptr : real->producer();
  if (node == nullptr || (node->op != kDequantize && node->op != kDequantizeChannel)) return std::nullopt;
  const Value* q = node->arg(0).tensor();
  if (!q->is_constant()) return std::nullopt;
  QuantizedConstant out;
  out.q = q;
  if (node->op == kDequantize) {
    const QParams params = params_of(*node);
    out.scale = {params.scale};
    out.zero_point = {params.zero_point};
    return out;
  }
  const Value *scales = node->arg(1).tensor(), *zero_points = node->arg(2).tensor();
  if (scales == nullptr || !scales->is_constant()) return std::nullopt;
  for (int64_t i = 0; i < scales->type.numel(); ++i) {
    out.scale.push_back(files::element(*scales->data, static_cast<uint64_t>(i)));
  }
  out.zero_point = zero_points == nullptr ? std::vector<int64_t>(out.scale.size()) : integers(*zero_points);
  out.axis = *node->arg(3).get<int64_t>();
  if (out.axis < 0) out.axis += static_cast<int64_t>(q->type.sizes.size());
  return out;
}

std::optional<std::vector<double>> real_constant(const Value* real) {
  if (real == nullptr) return std::nullopt;
  std::vector<double> out;
  if (real->is_constant()) {
    for (int64_t i = 0; i < real->type.numel(); ++i) {
      out.push_back(real->data == nullptr ? 0 : files::element(*real->data, static_cast<uint64_t>(i)));
    }
    return out;
  }
  const auto constant = quantized_constant(real);
  if (!constant) return std::nullopt;
  const std::vector<int64_t> q = integers(*constant->q);
  const Shape& sizes = constant->q->type.sizes;
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(constant->axis) + 1; i < sizes.size(); ++i) inner *= sizes[i];
  for (size_t i = 0; i < q.size(); ++i) {
    const size_t channel = constant->per_channel() ? (i / static_cast<size_t>(inner)) % constant->scale.size() : 0;
    out.push_back(static_cast<double>(q[i] - constant->zero_point[constant->per_channel() ? channel : 0]) *
                  constant->scale_of(channel));
  }
  return out;
}

std::optional<std::vector<int64_t>> int32_bias(const Value* bias, const std::vector<double>& scale) {
  if (bias == nullptr) return std::nullopt;
  if (const auto constant = quantized_constant(bias); constant && constant->symmetric()) {
    bool same = constant->q->type.dtype == DType::kInt32;
    for (size_t c = 0; c < scale.size(); ++c) {
      same = same && std::abs(constant->scale_of(c) - scale[c]) <= 1e-6 * std::abs(scale[c]);
    }
    if (same) return integers(*constant->q);
  }
  const auto real = real_constant(bias);
  if (!real || real->size() != scale.size()) return std::nullopt;
  std::vector<int64_t> out;
  for (size_t c = 0; c < scale.size(); ++c) {
    out.push_back(static_cast<int64_t>(std::clamp(std::nearbyint((*real)[c] / scale[c]), -2147483648.0, 2147483647.0)));
  }
  return out;
}

}  // namespace wick::compiler
