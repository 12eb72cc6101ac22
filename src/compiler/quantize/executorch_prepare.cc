#include <cmath>

#include "compiler/quantize/executorch_rules.h"
#include "compiler/quantize/fold_batch_norm.h"
#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

void clamp_before_hardswish(Graph& graph, Node* node) {
  Builder build(graph, node);
  graph.set_arg(node, 0, build("aten::clamp", {node->arg(0), int64_t{-3}}, "clamp"));
}

// Only where the pool's window is the whole image.
void pool_whole_image(Graph& graph, Node* node) {
  const Shape &in = node->arg(0).tensor()->type.sizes, &out = node->output()->type.sizes;
  if (in.size() != 4 || out[2] != 1 || out[3] != 1) return;
  Builder build(graph, node);
  Value* pooled =
      build("aten::avg_pool2d", {node->arg(0), Ints{in[2], in[3]}, Ints{1, 1}, Ints{0, 0}, false, false, Argument()},
            node->name);
  graph.replace_uses(node->output(), pooled);
  graph.erase(node);
}

void matmul_as_bmm(Graph& graph, Node* node) {
  const Shape left = node->arg(0).tensor()->type.sizes, right = node->arg(1).tensor()->type.sizes;
  const Shape out = node->output()->type.sizes;
  if (left.size() < 3 || left.size() != right.size()) return;
  if (!std::equal(left.begin(), left.end() - 2, right.begin())) return;
  Builder build(graph, node);
  const auto flat = [&build](const Argument& value, const Shape& sizes) {
    if (sizes.size() == 3) return value;
    return Argument(build("aten::reshape", {value, Ints{-1, sizes[sizes.size() - 2], sizes.back()}}, "reshape"));
  };
  Value* product = build("aten::bmm", {flat(node->arg(0), left), flat(node->arg(1), right)}, node->name);
  if (out.size() != 3) product = build("aten::reshape", {product, Ints(out)}, "reshape");
  graph.replace_uses(node->output(), product);
  graph.erase(node);
}

}  // namespace

void prepare_for_executorch(Graph& graph) {
  fold_batch_norms(graph);
  for (Node* node : graph.node_list()) {
    if (node->op == "aten::hardswish" || node->op == "aten::hardswish_") clamp_before_hardswish(graph, node);
    if (node->op == "aten::adaptive_avg_pool2d") {
      pool_whole_image(graph, node);
    } else if (node->op == "aten::matmul") {
      matmul_as_bmm(graph, node);
    }
  }
}

}  // namespace wick::compiler
