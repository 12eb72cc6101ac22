#include "compiler/passes/fold_affine.h"

#include <cmath>
#include <optional>

#include "compiler/passes/rewrite.h"

namespace wick::compiler {

namespace {

using Floats = std::vector<float>;

bool is_float_constant(const Value* value) {
  return value != nullptr && value->is_constant() && value->data != nullptr && value->type.dtype == DType::kFloat32;
}

Floats floats_of(const Value& value) {
  const auto* data = reinterpret_cast<const float*>(value.data->bytes.data());
  return {data, data + value.type.numel()};
}

std::shared_ptr<const files::Array> array_of(const Shape& sizes, const Floats& values) {
  files::Array array{DType::kFloat32, {sizes.begin(), sizes.end()}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  array.bytes.assign(bytes, bytes + values.size() * sizeof(float));
  return std::make_shared<const files::Array>(std::move(array));
}

// Where a layer's output channels are: of its result, and of its weight.
struct Channels {
  size_t count = 0;
  size_t at = 0;            // dimension of the result
  size_t weight_inner = 0;  // weights that follow one another for one channel
};

std::optional<Channels> channels_of(const Graph& graph, const Value* result) {
  const Node* layer = result->producer();
  if (layer == nullptr || graph.use_count(result) != 1 || result->type.dtype != DType::kFloat32) return std::nullopt;
  const bool linear = layer->op == "aten::linear";
  if (!linear && layer->op != "aten::convolution") return std::nullopt;
  const Value *weight = layer->arg(1).tensor(), *bias = layer->arg(2).tensor();
  if (!is_float_constant(weight) || (bias != nullptr && !is_float_constant(bias))) return std::nullopt;
  const Shape& sizes = weight->type.sizes;
  const bool transposed = !linear && bool_arg(*layer, 6);
  if (transposed && int_arg(*layer, 8) != 1) return std::nullopt;
  const size_t channel_dim = transposed ? 1 : 0;
  Channels channels{static_cast<size_t>(sizes[channel_dim]), 0, 1};
  for (size_t i = channel_dim + 1; i < sizes.size(); ++i) channels.weight_inner *= static_cast<size_t>(sizes[i]);
  const size_t rank = result->type.sizes.size();
  channels.at = linear ? rank - 1 : rank - (sizes.size() - 1);
  return channels;
}

// The constant as one number per channel, where it is that.
std::optional<Floats> per_channel(const Value* constant, const Channels& channels, size_t rank) {
  if (!is_float_constant(constant) || constant->type.sizes.size() > rank) return std::nullopt;
  const Floats values = floats_of(*constant);
  if (values.size() == 1) return Floats(channels.count, values[0]);
  const size_t skip = rank - constant->type.sizes.size();
  for (size_t i = 0; i < constant->type.sizes.size(); ++i) {
    const auto expected = static_cast<int64_t>(i + skip == channels.at ? channels.count : 1);
    if (constant->type.sizes[i] != expected) return std::nullopt;
  }
  return values.size() == channels.count ? std::optional(values) : std::nullopt;
}

// result * factor + shift, per channel
void fold(Graph& graph, Node* layer, const Channels& channels, const Floats& factor, const Floats& shift) {
  const Value *weight = layer->arg(1).tensor(), *bias = layer->arg(2).tensor();
  Floats weights = floats_of(*weight);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] *= factor[i / channels.weight_inner % channels.count];
  Floats sums = bias == nullptr ? Floats(channels.count, 0.0F) : floats_of(*bias);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = sums[i] * factor[i] + shift[i];
  const std::string bias_name = bias == nullptr ? weight->name + "_bias" : bias->name;
  Value* new_weight = graph.add_constant(weight->name, array_of(weight->type.sizes, weights));
  Value* new_bias = graph.add_constant(bias_name, array_of({static_cast<int64_t>(channels.count)}, sums));
  graph.set_arg(layer, 1, new_weight);
  graph.set_arg(layer, 2, new_bias);
}

bool fold_node(Graph& graph, Node* node) {
  const bool multiplies = node->op == "aten::mul.Tensor", divides = node->op == "aten::div.Tensor";
  const bool adds = node->op == "aten::add.Tensor", subtracts = node->op == "aten::sub.Tensor";
  if (!multiplies && !divides && !adds && !subtracts) return false;
  Value *result = node->arg(0).tensor(), *constant = node->arg(1).tensor();
  const bool swapped = is_float_constant(result);
  if (swapped) std::swap(result, constant);
  if (swapped && divides) return false;
  if (node->output()->type != result->type) return false;
  const auto channels = channels_of(graph, result);
  if (!channels) return false;
  const auto values = per_channel(constant, *channels, result->type.sizes.size());
  if (!values) return false;
  Floats factor(channels->count, 1.0F), shift(channels->count, 0.0F);
  const float alpha = adds || subtracts ? static_cast<float>(number_arg(*node, 2)) : 1.0F;
  for (size_t i = 0; i < channels->count; ++i) {
    const float value = (*values)[i];
    if (multiplies) factor[i] = value;
    if (divides) factor[i] = 1.0F / value;
    if (adds && !swapped) shift[i] = alpha * value;
    if (adds && swapped) factor[i] = alpha, shift[i] = value;
    if (subtracts && !swapped) shift[i] = -alpha * value;
    if (subtracts && swapped) factor[i] = -alpha, shift[i] = value;
    if (!std::isfinite(factor[i]) || !std::isfinite(shift[i])) return false;
  }
  fold(graph, result->producer(), *channels, factor, shift);
  replace_node(graph, node, {result});
  return true;
}

}  // namespace

size_t fold_affine(Graph& graph) {
  size_t count = 0;
  for (Node* node : graph.node_list()) count += fold_node(graph, node) ? 1 : 0;
  if (count > 0) graph.erase_dead();
  return count;
}

}  // namespace wick::compiler
