#include "compiler/quantize/fold_batch_norm.h"

#include <cmath>
#include <vector>

namespace wick::compiler {

namespace {

std::vector<float> floats_or(const Value* value, size_t count, float otherwise) {
  if (value == nullptr) return std::vector<float>(count, otherwise);
  const auto* from = reinterpret_cast<const float*>(value->data->bytes.data());
  return {from, from + count};
}

files::Array array_of(const std::vector<float>& values) {
  files::Array array{DType::kFloat32, {static_cast<int32_t>(values.size())}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  array.bytes.assign(bytes, bytes + values.size() * sizeof(float));
  return array;
}

bool is_transposed(const Node& node) { return node.op.starts_with("aten::conv_transpose"); }

bool folds(const Graph& graph, const Node& norm) {
  if (norm.op != "aten::batch_norm" || *norm.arg(5).get<bool>()) return false;
  const Value* in = norm.arg(0).tensor();
  const Node* layer = in->producer();
  if (layer == nullptr || graph.use_count(in) != 1) return false;
  const bool known = layer->op == "aten::conv1d" || layer->op == "aten::conv2d" || layer->op == "aten::conv3d" ||
                     layer->op == "aten::linear" || is_transposed(*layer);
  if (!known) return false;
  // A linear layer's channels are the last dimension, those of normalisation the second.
  if (layer->op == "aten::linear" && in->type.sizes.size() != 2) return false;
  if (is_transposed(*layer) && *layer->arg(6).get<int64_t>() != 1) return false;
  for (size_t i = 1; i < 5; ++i) {
    const Value* value = norm.arg(i).tensor();
    if (value != nullptr && (!value->is_constant() || value->type.dtype != DType::kFloat32)) return false;
  }
  if (norm.arg(3).is_none() || norm.arg(4).is_none()) return false;
  const Value *weight = layer->arg(1).tensor(), *bias = layer->arg(2).tensor();
  return weight->is_constant() && weight->type.dtype == DType::kFloat32 && (bias == nullptr || bias->is_constant());
}

void fold(Graph& graph, Node* norm) {
  Node* layer = norm->arg(0).tensor()->producer();
  const Value* weight = layer->arg(1).tensor();
  const bool transposed = is_transposed(*layer);
  const auto channels = static_cast<size_t>(norm->output()->type.sizes[1]);
  const auto gamma = floats_or(norm->arg(1).tensor(), channels, 1),
             beta = floats_or(norm->arg(2).tensor(), channels, 0);
  const auto mean = floats_or(norm->arg(3).tensor(), channels, 0), var = floats_or(norm->arg(4).tensor(), channels, 1);
  auto bias = floats_or(layer->arg(2).tensor(), channels, 0);
  const auto eps = static_cast<float>(*norm->arg(7).number());
  files::Array scaled = *weight->data;
  auto* w = reinterpret_cast<float*>(scaled.bytes.data());
  const size_t count = static_cast<size_t>(weight->type.numel());
  const size_t per_row = count / static_cast<size_t>(weight->type.sizes[0]);
  const size_t per_channel = transposed ? per_row / static_cast<size_t>(weight->type.sizes[1]) : per_row;
  std::vector<float> factor(channels);
  for (size_t c = 0; c < channels; ++c) {
    const float inverse = 1.0f / std::sqrt(var[c] + eps);
    factor[c] = gamma[c] * inverse;
    bias[c] = (bias[c] - mean[c]) * inverse * gamma[c] + beta[c];
  }
  for (size_t i = 0; i < count; ++i) w[i] *= factor[i / per_channel % channels];
  graph.set_arg(layer, 1, graph.add_constant(weight->name, std::move(scaled)));
  graph.set_arg(layer, 2, graph.add_constant(weight->name + "_bias", array_of(bias)));
  graph.replace_uses(norm->output(), layer->output());
  graph.erase(norm);
}

}  // namespace

size_t fold_batch_norms(Graph& graph) {
  size_t folded = 0;
  for (Node* node : graph.node_list()) {
    if (!folds(graph, *node)) continue;
    fold(graph, node);
    ++folded;
  }
  graph.erase_dead();
  return folded;
}

}  // namespace wick::compiler
