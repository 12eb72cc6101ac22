// Functions of one tensor that have no operator of their own, for float programs. An int8 program looks them up.
#include "compiler/passes/decompose.h"

namespace wick::compiler {

namespace {

// min(max(x + 3, 0), 6) / 6
Value* gate(Builder& b, Value* x) {
  return b("aten::div.Scalar", {b("aten::clamp", {b("aten::add.Scalar", {x, 3.0}), 0.0, 6.0}), 6.0});
}
Replacement hardsigmoid(Builder& b, const Node& node) { return {gate(b, node.arg(0).tensor())}; }
Replacement hardswish(Builder& b, const Node& node) {
  return {b("aten::mul.Tensor", {node.arg(0), gate(b, node.arg(0).tensor())}, node.name)};
}
Replacement silu(Builder& b, const Node& node) {
  return {b("aten::mul.Tensor", {node.arg(0), b("aten::sigmoid", {node.arg(0)})}, node.name)};
}

// log(1 + e^(beta x)) / beta without overflow; above the threshold PyTorch gives x, which this is there in float32.
Value* softplus_of(Builder& b, Value* x, double beta) {
  Value* scaled = beta == 1 ? x : b("aten::mul.Scalar", {x, beta});
  Value* tail = b("aten::log1p", {b("aten::exp", {b("aten::neg", {b("aten::abs", {scaled})})})});
  Value* sum = b("aten::add.Tensor", {b("aten::relu", {scaled}), tail});
  return beta == 1 ? sum : b("aten::div.Scalar", {sum, beta});
}
Replacement softplus(Builder& b, const Node& node) {
  return {softplus_of(b, node.arg(0).tensor(), number_arg(node, 1))};
}
Replacement log_sigmoid(Builder& b, const Node& node) {
  return {b("aten::neg", {softplus_of(b, b("aten::neg", {node.arg(0)}), 1)}, node.name)};
}
Replacement mish(Builder& b, const Node& node) {
  return {b("aten::mul.Tensor", {node.arg(0), b("aten::tanh", {softplus_of(b, node.arg(0).tensor(), 1)})}, node.name)};
}
Replacement selu(Builder& b, const Node& node) {
  constexpr double kAlpha = 1.6732632423543772848170429916717, kScale = 1.0507009873554804934193349852946;
  return {b("aten::elu", {node.arg(0), kAlpha, kScale, 1.0}, node.name)};
}
Replacement celu(Builder& b, const Node& node) {
  const double alpha = number_arg(node, 1);
  return {b("aten::elu", {node.arg(0), alpha, 1.0, 1 / alpha}, node.name)};
}
Replacement exp2(Builder& b, const Node& node) {
  return {b("aten::exp", {b("aten::mul.Scalar", {node.arg(0), 0.69314718055994530942})}, node.name)};
}
Replacement frac(Builder& b, const Node& node) {
  return {b("aten::sub.Tensor", {node.arg(0), b("aten::trunc", {node.arg(0)})}, node.name)};
}

// Positive and negative parts apart: max(x, 0) + w min(x, 0), w along dimension 1.
Replacement prelu(Builder& b, const Node& node) {
  Value *x = node.arg(0).tensor(), *weight = node.arg(1).tensor();
  const size_t rank = x->type.sizes.size();
  Shape sizes(rank, 1);
  if (weight->type.numel() > 1) sizes[1] = weight->type.numel();
  Value* slope = b("aten::view_copy", {weight, sizes});
  Value* negative = b("aten::mul.Tensor", {b("aten::clamp", {x, Argument(), 0.0}), slope});
  return {b("aten::add.Tensor", {b("aten::relu", {x}), negative}, node.name)};
}

// Average over windows that divide the image evenly.
Replacement adaptive_avg_pool2d(Builder& b, const Node& node) {
  const Shape &in = sizes_of(node), &out = node.output()->type.sizes;
  const size_t rank = in.size();
  const int64_t h = in[rank - 2], w = in[rank - 1], oh = out[rank - 2], ow = out[rank - 1];
  if (oh <= 0 || ow <= 0 || h % oh != 0 || w % ow != 0) return {};
  const Ints kernel = {h / oh, w / ow};
  return {b("aten::avg_pool2d", {node.arg(0), kernel, kernel, Ints{0, 0}, false, false, Argument()}, node.name)};
}

constexpr RewriteRule kRules[] = {
    {"aten::hardsigmoid", hardsigmoid},
    {"aten::hardswish", hardswish},
    {"aten::silu", silu},
    {"aten::softplus", softplus},
    {"aten::log_sigmoid", log_sigmoid},
    {"aten::mish", mish},
    {"aten::selu", selu},
    {"aten::celu", celu},
    {"aten::exp2", exp2},
    {"aten::frac", frac},
    {"aten::prelu", prelu},
    {"aten::_adaptive_avg_pool2d", adaptive_avg_pool2d},
};

}  // namespace

std::span<const RewriteRule> function_rules() { return kRules; }

}  // namespace wick::compiler
