#include "compiler/quantize/raise_dialect.h"

#include <map>
#include <string>

#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

// What stands for the node's first output, or null to leave it.
using Raise = Value* (*)(Builder&, const Node&);

Value* convolution(Builder& build, const Node& node) {
  const size_t rank = node.arg(0).tensor()->type.sizes.size();
  const auto arg = [&node](size_t i) { return node.arg(i); };
  if (!*node.arg(6).get<bool>() && (rank == 3 || rank == 4)) {
    return build(rank == 3 ? "aten::conv1d" : "aten::conv2d", {arg(0), arg(1), arg(2), arg(3), arg(4), arg(5), arg(8)},
                 node.name);
  }
  if (rank != 4) return nullptr;
  return build("aten::conv_transpose2d.input", {arg(0), arg(1), arg(2), arg(3), arg(4), arg(7), arg(8), arg(5)},
               node.name);
}

Value* batch_norm(Builder& build, const Node& node) {
  return build(
      "aten::batch_norm",
      {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), false, node.arg(5), node.arg(6), false},
      node.name);
}

Value* layer_norm(Builder& build, const Node& node) {
  return build("aten::layer_norm", {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), false}, node.name);
}

Value* max_pool(Builder& build, const Node& node) {
  return build("aten::max_pool2d", Arguments(node.args()), node.name);
}

Value* softmax(Builder& build, const Node& node) {
  return build("aten::softmax.int", {node.arg(0), node.arg(1), Argument()}, node.name);
}

Value* adaptive_pool(Builder& build, const Node& node) {
  return build("aten::adaptive_avg_pool2d", {node.arg(0), node.arg(1)}, node.name);
}

// The weight of a linear layer: what is transposed on the way to a product, or the transposed constant.
Value* weight_of(Builder& build, Value* right) {
  const Node* turn = right->producer();
  const bool turned =
      turn != nullptr && (turn->op == "aten::permute_copy" || turn->op == "aten::permute" || turn->op == "aten::t" ||
                          turn->op == "aten::t_copy" || turn->op == "aten::transpose_copy.int");
  if (turned && turn->arg(0).tensor()->is_constant() && turn->arg(0).tensor()->type.sizes != right->type.sizes) {
    return turn->arg(0).tensor();
  }
  if (!right->is_constant() || right->type.dtype != DType::kFloat32) return nullptr;
  const size_t rows = static_cast<size_t>(right->type.sizes[0]), columns = static_cast<size_t>(right->type.sizes[1]);
  files::Array weight = *right->data;
  weight.sizes = {static_cast<int32_t>(columns), static_cast<int32_t>(rows)};
  const auto* from = reinterpret_cast<const float*>(right->data->bytes.data());
  auto* to = reinterpret_cast<float*>(weight.bytes.data());
  for (size_t i = 0; i < rows * columns; ++i) to[i % columns * rows + i / columns] = from[i];
  return build.constant(right->name, std::move(weight));
}

Value* mm(Builder& build, const Node& node) {
  Value* weight = weight_of(build, node.arg(1).tensor());
  return weight == nullptr ? nullptr : build("aten::linear", {node.arg(0), weight, Argument()}, node.name);
}

Value* addmm(Builder& build, const Node& node) {
  Value* bias = node.arg(0).tensor();
  if (node.arg(3).number() != 1.0 || node.arg(4).number() != 1.0) return nullptr;
  if (!bias->is_constant() || bias->type.sizes != Shape{node.output()->type.sizes.back()}) return nullptr;
  Value* weight = weight_of(build, node.arg(2).tensor());
  return weight == nullptr ? nullptr : build("aten::linear", {node.arg(1), weight, bias}, node.name);
}

}  // namespace

size_t raise_dialect(Graph& graph) {
  static const std::map<std::string, Raise, std::less<>> kRules = {
      {"aten::convolution", convolution},
      {"aten::_native_batch_norm_legit_no_training", batch_norm},
      {"aten::native_layer_norm", layer_norm},
      {"aten::max_pool2d_with_indices", max_pool},
      {"aten::_softmax", softmax},
      {"aten::_adaptive_avg_pool2d", adaptive_pool},
      {"aten::mm", mm},
      {"aten::addmm", addmm}};
  size_t raised = 0;
  for (Node* node : graph.node_list()) {
    const auto rule = kRules.find(node->op);
    if (rule == kRules.end()) continue;
    bool others_used = false;
    for (size_t i = 1; i < node->outputs().size(); ++i) others_used |= graph.use_count(node->output(i)) > 0;
    if (others_used) continue;
    Builder build(graph, node);
    Value* replacement = rule->second(build, *node);
    if (replacement == nullptr) continue;
    graph.replace_uses(node->output(), replacement);
    graph.erase(node);
    ++raised;
  }
  graph.erase_dead();
  return raised;
}

}  // namespace wick::compiler
