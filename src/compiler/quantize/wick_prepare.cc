// Rewrites of the float graph before wick plans its quantization: operators in the forms that integers compute.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "compiler/lower_cortex_m/unary.h"
#include "compiler/quantize/fold_batch_norm.h"
#include "compiler/quantize/wick_forms.h"
#include "compiler/quantize/wick_rules.h"
#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

using files::Array;

// A depthwise convolution over a whole image costs its weights in flash; above this a pool has to do.
constexpr int64_t kMostMeanWeights = 8192;

// A rewrite returns what stands for the node's output, or null when it does not apply.
using Rewrite = Value* (*)(Builder&, const Node&);

// Means and sums with a scale of their own: over whole images by depthwise convolution, over other dimensions as a
// linear layer with constant weights.
Value* reduction(Builder& build, const Node& node, bool mean) {
  Value* x = node.arg(0).tensor();
  const Shape& in = x->type.sizes;
  std::vector<bool> reduced(in.size(), node.arg(1).is_none());
  if (const auto* dims = node.arg(1).get<Ints>()) {
    for (const int64_t dim : *dims) reduced[wrap(dim, in.size(), "dim")] = true;
    if (dims->empty()) reduced.assign(in.size(), true);
  }
  int64_t count = 1;
  for (size_t i = 0; i < in.size(); ++i) count *= reduced[i] ? in[i] : 1;
  const double factor = mean ? 1.0 / static_cast<double>(count) : 1.0;
  const Shape out = node.output()->type.sizes;
  if (in.size() == 4 && !reduced[0] && !reduced[1] && reduced[2] && reduced[3]) {
    Value* pooled = nullptr;
    if (product(in, 1, 4) <= kMostMeanWeights || !mean) {
      const std::vector<float> weights(static_cast<size_t>(product(in, 1, 4)), static_cast<float>(factor));
      Value* weight = build.constant(node.name + "_weight", array_of(weights, {in[1], 1, in[2], in[3]}));
      pooled = build("aten::conv2d", {x, weight, Argument(), Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, in[1]}, node.name);
    } else {
      pooled = build("aten::avg_pool2d", {x, Ints{in[2], in[3]}, Ints{1, 1}, Ints{0, 0}, false, false, Argument()},
                     node.name);
    }
    return reshaped(build, pooled, out);
  }
  if (count == 1) return reshaped(build, x, out);
  std::vector<size_t> order;
  for (const bool last : {false, true}) {
    for (size_t i = 0; i < in.size(); ++i) {
      if (reduced[i] == last) order.push_back(i);
    }
  }
  if (in.size() > 4 && !std::is_sorted(order.begin(), order.end())) return nullptr;
  Value* turned = permuted(build, x, order);
  turned = reshaped(build, turned, {product(in, 0, in.size()) / count, count});
  return reshaped(build, summed_last(build, turned, factor, node.name), out);
}
Value* mean(Builder& build, const Node& node) { return reduction(build, node, true); }
Value* sum(Builder& build, const Node& node) { return reduction(build, node, false); }

// A pool that divides by its window's size is a depthwise convolution with zeros around, and as such has a scale of its
// own: averages spread less than what they average.
Value* average_pool(Builder& build, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Ints &kernel = *node.arg(1).get<Ints>(), &stride = *node.arg(2).get<Ints>(), &pad = *node.arg(3).get<Ints>();
  const bool counts_padding = *node.arg(5).get<bool>() || (pad[0] == 0 && pad[1] == 0);
  if (x->type.sizes.size() != 4 || *node.arg(4).get<bool>() || !counts_padding || !node.arg(6).is_none())
    return nullptr;
  const int64_t channels = x->type.sizes[1], window = kernel[0] * kernel[1];
  if (channels * window > kMostMeanWeights) return nullptr;
  const std::vector<float> weights(static_cast<size_t>(channels * window),
                                   static_cast<float>(1.0 / static_cast<double>(window)));
  Value* weight = build.constant(node.name + "_weight", array_of(weights, {channels, 1, kernel[0], kernel[1]}));
  return build("aten::conv2d", {x, weight, Argument(), stride.empty() ? kernel : stride, pad, Ints{1, 1}, channels},
               node.name);
}

Value* adaptive_pool(Builder& build, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Shape &in = x->type.sizes, &out = node.output()->type.sizes;
  if (in.size() != 4 || in[2] % out[2] != 0 || in[3] % out[3] != 0) return nullptr;
  if (out[2] == 1 && out[3] == 1) {
    return build("aten::mean.dim", {x, Ints{2, 3}, true}, node.name);
  }
  const Ints window = {in[2] / out[2], in[3] / out[3]};
  return build("aten::avg_pool2d", {x, window, window, Ints{0, 0}, false, false, Argument()}, node.name);
}

Value* conv1d(Builder& build, const Node& node) {
  Value *x = node.arg(0).tensor(), *weight = node.arg(1).tensor();
  if (x->type.sizes.size() != 3 || !weight->is_constant()) return nullptr;
  Array wide = *weight->data;
  wide.sizes.insert(wide.sizes.begin() + 2, 1);
  const auto pair = [&node](size_t arg, int64_t first) { return Ints{first, (*node.arg(arg).get<Ints>())[0]}; };
  Value* out = build("aten::conv2d",
                     {reshaped(build, x, with_height(x->type.sizes)), build.constant(weight->name, std::move(wide)),
                      node.arg(2), pair(3, 1), pair(4, 0), pair(5, 1), node.arg(6)},
                     node.name);
  return reshaped(build, out, node.output()->type.sizes);
}

Value* pool1d(Builder& build, const Node& node) {
  Value* x = node.arg(0).tensor();
  if (x->type.sizes.size() != 3) return nullptr;
  const auto pair = [&node](size_t arg, int64_t first) {
    const Ints& list = *node.arg(arg).get<Ints>();
    return list.empty() ? Ints{} : Ints{first, list[0]};
  };
  Arguments args = {reshaped(build, x, with_height(x->type.sizes)), pair(1, 1), pair(2, 1), pair(3, 0)};
  if (node.op == "aten::max_pool1d") {
    args.push_back(pair(4, 1));
    args.push_back(node.arg(5));
  } else {
    args.insert(args.end(), {node.arg(4), node.arg(5), Argument()});
  }
  const std::string op = node.op == "aten::max_pool1d" ? "aten::max_pool2d" : "aten::avg_pool2d";
  return reshaped(build, build(op, args, node.name), node.output()->type.sizes);
}

// Softmax is computed along the last dimension.
Value* softmax(Builder& build, const Node& node) {
  Value* x = node.arg(0).tensor();
  const size_t rank = x->type.sizes.size();
  const size_t dim = wrap(*node.arg(1).get<int64_t>(), rank, "dim");
  if (dim + 1 == rank || rank > 4) return nullptr;
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[dim], order[rank - 1]);
  Value* turned = build("aten::softmax.int", {permuted(build, x, order), int64_t{-1}, Argument()}, node.name);
  return permuted(build, turned, order);
}

Value* transposed_constant(Builder& build, const Value* value) {
  const int64_t rows = value->type.sizes[0], columns = value->type.sizes[1];
  std::vector<float> turned(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows * columns; ++i) {
    turned[static_cast<size_t>(i % columns * rows + i / columns)] = floats(value)[i];
  }
  return build.constant(value->name, array_of(turned, {columns, rows}));
}

Value* matmul(Builder& build, const Node& node) {
  Value *a = node.arg(0).tensor(), *b = node.arg(1).tensor();
  const Shape left = a->type.sizes, right = b->type.sizes, out = node.output()->type.sizes;
  if (right.size() == 2 && b->is_constant() && left.size() >= 2) {
    return build("aten::linear", {a, transposed_constant(build, b), Argument()}, node.name);
  }
  if (left.size() < 2 || left.size() != right.size()) return nullptr;
  if (!std::equal(left.begin(), left.end() - 2, right.begin())) return nullptr;
  const auto flat = [&build](Value* value) {
    const Shape& sizes = value->type.sizes;
    return reshaped(build, value, {product(sizes, 0, sizes.size() - 2), sizes[sizes.size() - 2], sizes.back()});
  };
  return reshaped(build, build("aten::bmm", {flat(a), flat(b)}, node.name), out);
}

Value* elementwise(Builder& build, const Node& node) {
  if (unary_function(node) != nullptr) return nullptr;
  Value *a = node.arg(0).tensor(), *b = node.arg(1).tensor();
  if (a == nullptr || b == nullptr || a->type.sizes == b->type.sizes) return nullptr;
  const Shape &s = a->type.sizes, &t = b->type.sizes, out = node.output()->type.sizes;
  const bool per_channel = node.op != "aten::sub.Tensor" && s.size() == 4 && t.size() == 4 && s[1] == t[1] &&
                           (a->type.numel() == s[1] || b->type.numel() == t[1]);
  if (per_channel || product(out, 0, out.size()) > kMostBroadcast) return nullptr;
  Arguments args = node.args();
  args[0] = broadcast(build, a, out);
  args[1] = broadcast(build, b, out);
  return build(node.op, args, node.name);
}

// Quotients of tensors of different sizes are products with reciprocals.
Value* quotient(Builder& build, const Node& node) {
  if (unary_function(node) != nullptr || node.arg(1).tensor() == nullptr) return nullptr;
  if (node.arg(0).tensor()->type.sizes == node.arg(1).tensor()->type.sizes) return nullptr;
  Value* inverse = build("aten::reciprocal", {node.arg(1)}, node.name);
  return build("aten::mul.Tensor", {node.arg(0), inverse}, node.name);
}

// An operator of one value behind a reshape is the same before it: reshapes of neighbours meet and cancel.
Value* sink_reshape(Builder& build, const Node& node) {
  if (unary_function(node) == nullptr || node.arg(0).tensor() == nullptr) return nullptr;
  const Node* reshape = node.arg(0).tensor()->producer();
  if (reshape == nullptr || reshape->op != "aten::reshape") return nullptr;
  if (reshape->output()->users().size() != 1 || build.graph().is_output(reshape->output())) return nullptr;
  Arguments args = node.args();
  args[0] = reshape->arg(0);
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].tensor() != nullptr) return nullptr;
  }
  return reshaped(build, build(node.op, args, node.name), node.output()->type.sizes);
}

Value* merge_reshapes(Builder& build, const Node& node) {
  const Value* from = node.arg(0).tensor();
  const Node* before = from->producer();
  if (from->type.sizes == node.output()->type.sizes) return node.arg(0).tensor();
  if (before == nullptr || before->op != "aten::reshape") return nullptr;
  return reshaped(build, before->arg(0).tensor(), node.output()->type.sizes);
}

using Table = std::map<std::string, Rewrite, std::less<>>;

// Applies rewrites until none does. Nodes that stay float are left alone.
void rewrite_all(Graph& graph, const Table& table, const WickRules& rules, Rewrite otherwise = nullptr) {
  for (bool again = true; again;) {
    again = false;
    for (Node* node : graph.node_list()) {
      if (node->outputs().size() != 1 || node->output()->type.dtype != DType::kFloat32) continue;
      if (rules.keep_float && rules.keep_float(*node)) continue;
      const auto found = table.find(node->op);
      const Rewrite rule = found != table.end() ? found->second : otherwise;
      if (rule == nullptr) continue;
      Builder build(graph, node);
      Value* replacement = rule(build, *node);
      if (replacement == nullptr) continue;
      graph.replace_uses(node->output(), replacement);
      graph.erase(node);
      again = true;
    }
    graph.erase_dead();
  }
}

}  // namespace

void prepare_for_wick(Graph& graph, const WickRules& rules) {
  fold_batch_norms(graph);
  const Table forms = {{"aten::mean.dim", mean},
                       {"aten::sum.dim_IntList", sum},
                       {"aten::adaptive_avg_pool2d", adaptive_pool},
                       {"aten::avg_pool2d", average_pool},
                       {"aten::conv1d", conv1d},
                       {"aten::max_pool1d", pool1d},
                       {"aten::avg_pool1d", pool1d},
                       {"aten::softmax.int", softmax},
                       {"aten::matmul", matmul},
                       {"aten::mm", matmul},
                       {"aten::layer_norm", layer_norm_in_parts},
                       {"aten::batch_norm", batch_norm_as_convolution},
                       {"aten::div.Tensor", quotient},
                       {"aten::add.Tensor", elementwise},
                       {"aten::sub.Tensor", elementwise},
                       {"aten::mul.Tensor", elementwise}};
  rewrite_all(graph, forms, rules);
  rewrite_all(graph, {{"aten::reshape", merge_reshapes}}, rules, sink_reshape);
}

}  // namespace wick::compiler
