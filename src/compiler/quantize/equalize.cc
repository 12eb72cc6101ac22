#include "compiler/quantize/equalize.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wick::compiler {

namespace {

float* floats(files::Array& array) { return reinterpret_cast<float*>(array.bytes.data()); }

// Layers with weights [out, in, ..]; grouped ones only when depthwise.
bool is_layer(const Node& node) {
  if (node.op != "aten::linear" && node.op != "aten::conv2d") return false;
  const Value *weight = node.arg(1).tensor(), *bias = node.arg(2).tensor();
  if (!weight->is_constant() || weight->users().size() != 1 || weight->type.dtype != DType::kFloat32) return false;
  return bias == nullptr || (bias->is_constant() && bias->users().size() == 1);
}

bool is_depthwise(const Node& node) {
  const Shape& sizes = node.arg(1).tensor()->type.sizes;
  return node.op == "aten::conv2d" && *node.arg(6).get<int64_t>() == sizes[0] && sizes[1] == 1;
}
bool is_plain(const Node& node) { return node.op == "aten::linear" || *node.arg(6).get<int64_t>() == 1; }

// The layer that alone reads this one, perhaps through a ReLU; null for none.
Node* next_layer(const Graph& graph, const Node& node) {
  const Value* value = node.output();
  for (int step = 0; step < 2; ++step) {
    if (graph.use_count(value) != 1 || value->users().empty()) return nullptr;
    Node* user = value->users()[0];
    if (user->op == "aten::relu") {
      value = user->output();
      continue;
    }
    const bool fits = is_layer(*user) && user->arg(0).tensor() == value && (is_plain(*user) || is_depthwise(*user));
    return fits && (user->op == "aten::linear") == (node.op == "aten::linear") ? user : nullptr;
  }
  return nullptr;
}

size_t equalize(Graph& graph, Node* first, Node* second) {
  files::Array w1 = *first->arg(1).tensor()->data, w2 = *second->arg(1).tensor()->data;
  const auto channels = static_cast<size_t>(w1.sizes[0]);
  const size_t row1 = files::element_count(w1) / channels;
  const auto in2 = static_cast<size_t>(w2.sizes[1]);
  const size_t taps2 = files::element_count(w2) / static_cast<size_t>(w2.sizes[0]) / in2;
  const bool depthwise = is_depthwise(*second);
  // The channel of the first layer that a weight of the second multiplies.
  const auto channel_of = [=](size_t i) { return depthwise ? i / taps2 : i / taps2 % in2; };
  std::vector<float> range1(channels), range2(channels), factor(channels, 1.0f);
  for (size_t i = 0; i < files::element_count(w1); ++i) {
    range1[i / row1] = std::max(range1[i / row1], std::abs(floats(w1)[i]));
  }
  for (size_t i = 0; i < files::element_count(w2); ++i) {
    range2[channel_of(i)] = std::max(range2[channel_of(i)], std::abs(floats(w2)[i]));
  }
  for (size_t c = 0; c < channels; ++c) {
    if (range1[c] > 0 && range2[c] > 0) factor[c] = std::sqrt(range2[c] / range1[c]);
  }
  for (size_t i = 0; i < files::element_count(w1); ++i) floats(w1)[i] *= factor[i / row1];
  for (size_t i = 0; i < files::element_count(w2); ++i) floats(w2)[i] /= factor[channel_of(i)];
  graph.set_arg(first, 1, graph.add_constant(first->arg(1).tensor()->name, std::move(w1)));
  graph.set_arg(second, 1, graph.add_constant(second->arg(1).tensor()->name, std::move(w2)));
  if (const Value* bias = first->arg(2).tensor()) {
    files::Array b = *bias->data;
    for (size_t c = 0; c < channels; ++c) floats(b)[c] *= factor[c];
    graph.set_arg(first, 2, graph.add_constant(bias->name, std::move(b)));
  }
  return 1;
}

}  // namespace

size_t equalize_layers(Graph& graph) {
  size_t pairs = 0;
  for (Node* node : graph.node_list()) {
    if (!is_layer(*node)) continue;
    Node* next = next_layer(graph, *node);
    if (next != nullptr) pairs += equalize(graph, node, next);
  }
  graph.erase_dead();
  return pairs;
}

}  // namespace wick::compiler
