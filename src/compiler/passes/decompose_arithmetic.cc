// Shorthands of arithmetic, reductions and tensors made from nothing.
#include "compiler/passes/decompose.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

template <const char* const& op>
Replacement renamed(Builder& b, const Node& node) {
  return {b(op, node.args(), node.name)};
}
constexpr const char* kMul = "aten::mul.Tensor";
constexpr const char* kDiv = "aten::div.Tensor";
constexpr const char* kSub = "aten::sub.Tensor";
constexpr const char* kMaximum = "aten::maximum";
constexpr const char* kMinimum = "aten::minimum";

Replacement clamp_low(Builder& b, const Node& node) {
  return {b("aten::clamp", {node.arg(0), node.arg(1), Argument()}, node.name)};
}
Replacement clamp_high(Builder& b, const Node& node) {
  return {b("aten::clamp", {node.arg(0), Argument(), node.arg(1)}, node.name)};
}
Replacement clip(Builder& b, const Node& node) {
  return {b("aten::clamp", {node.arg(0), node.arg(1), node.arg(2)}, node.name)};
}
Replacement relu6(Builder& b, const Node& node) { return {b("aten::hardtanh", {node.arg(0), 0.0, 6.0}, node.name)}; }
Replacement square(Builder& b, const Node& node) {
  return {b("aten::mul.Tensor", {node.arg(0), node.arg(0)}, node.name)};
}
Replacement rsub(Builder& b, const Node& node) {
  return {b("aten::sub.Tensor", {node.arg(1), node.arg(0), node.arg(2)}, node.name)};
}

Value* times(Builder& b, Value* x, double factor) { return factor == 1 ? x : b("aten::mul.Scalar", {x, factor}); }

Replacement addcmul(Builder& b, const Node& node) {
  Value* product = times(b, b("aten::mul.Tensor", {node.arg(1), node.arg(2)}), number_arg(node, 3));
  return {b("aten::add.Tensor", {node.arg(0), product}, node.name)};
}
Replacement addcdiv(Builder& b, const Node& node) {
  Value* quotient = times(b, b("aten::div.Tensor", {node.arg(1), node.arg(2)}), number_arg(node, 3));
  return {b("aten::add.Tensor", {node.arg(0), quotient}, node.name)};
}
Replacement lerp(Builder& b, const Node& node) {
  Value* step = b("aten::sub.Tensor", {node.arg(1), node.arg(0)});
  const auto weight = node.arg(2).number();
  step = weight ? times(b, step, *weight) : b("aten::mul.Tensor", {step, node.arg(2)});
  return {b("aten::add.Tensor", {node.arg(0), step}, node.name)};
}

Replacement sum_all(Builder& b, const Node& node) {
  return {b("aten::sum.dim_IntList", {node.arg(0), Argument(), false, node.arg(1)}, node.name)};
}
Replacement var_all(Builder& b, const Node& node) {
  return {b("aten::var.correction", {node.arg(0), Argument(), bool_arg(node, 1) ? 1 : 0, false}, node.name)};
}
Replacement std_all(Builder& b, const Node& node) {
  return {b("aten::sqrt", {b("aten::var.correction", {node.arg(0), Argument(), bool_arg(node, 1) ? 1 : 0, false})},
            node.name)};
}
Replacement std_correction(Builder& b, const Node& node) {
  return {b("aten::sqrt", {b("aten::var.correction", node.args())}, node.name)};
}
Replacement std_dim(Builder& b, const Node& node) {
  return {b("aten::sqrt", {b("aten::var.dim", node.args())}, node.name)};
}
Replacement var_mean(Builder& b, const Node& node) {
  return {b("aten::var.correction", node.args(), node.name),
          b("aten::mean.dim", {node.arg(0), node.arg(1), node.arg(3), Argument()})};
}
Replacement logsumexp(Builder& b, const Node& node) {
  Value* largest = b("aten::amax", {node.arg(0), node.arg(1), true});
  Value* sum = b("aten::sum.dim_IntList",
                 {b("aten::exp", {b("aten::sub.Tensor", {node.arg(0), largest})}), node.arg(1), true, Argument()});
  Value* result = b("aten::add.Tensor", {b("aten::log", {sum}), largest});
  if (result->type.sizes != node.output()->type.sizes)
    result = b("aten::view_copy", {result, node.output()->type.sizes});
  return {result};
}

Replacement where_scalar(Builder& b, const Node& node) {
  const auto operand = [&](size_t i) {
    Value* value = node.arg(i).tensor();
    if (value != nullptr) return value;
    return b.scalar(node.name + "_operand", static_cast<float>(number_arg(node, i)));
  };
  return {b("aten::where.self", {node.arg(0), operand(1), operand(2)}, node.name)};
}
Replacement masked_fill(Builder& b, const Node& node) {
  return {b("aten::where.self", {node.arg(1), node.arg(2), node.arg(0)}, node.name)};
}

// A tensor of one value, of the output's type.
Value* filled(Builder& b, const Node& node, double value) {
  const TensorType& type = node.output()->type;
  return b.constant(node.name, files::filled(type.dtype, {type.sizes.begin(), type.sizes.end()}, value));
}
Replacement zeros(Builder& b, const Node& node) { return {filled(b, node, 0)}; }
Replacement ones(Builder& b, const Node& node) { return {filled(b, node, 1)}; }
Replacement full(Builder& b, const Node& node) { return {filled(b, node, number_arg(node, 1))}; }
Replacement new_full(Builder& b, const Node& node) { return {filled(b, node, number_arg(node, 2))}; }

constexpr RewriteRule kRules[] = {
    {"aten::multiply.Tensor", renamed<kMul>},
    {"aten::divide.Tensor", renamed<kDiv>},
    {"aten::true_divide.Tensor", renamed<kDiv>},
    {"aten::subtract.Tensor", renamed<kSub>},
    {"aten::max.other", renamed<kMaximum>},
    {"aten::min.other", renamed<kMinimum>},
    {"aten::clamp_min.Tensor", renamed<kMaximum>},
    {"aten::clamp_max.Tensor", renamed<kMinimum>},
    {"aten::clamp_min", clamp_low},
    {"aten::clamp_max", clamp_high},
    {"aten::clip", clip},
    {"aten::relu6", relu6},
    {"aten::square", square},
    {"aten::rsub.Tensor", rsub},
    {"aten::addcmul", addcmul},
    {"aten::addcdiv", addcdiv},
    {"aten::lerp.Scalar", lerp},
    {"aten::lerp.Tensor", lerp},
    {"aten::sum", sum_all},
    {"aten::var", var_all},
    {"aten::std", std_all},
    {"aten::std.correction", std_correction},
    {"aten::std.dim", std_dim},
    {"aten::var_mean.correction", var_mean},
    {"aten::logsumexp", logsumexp},
    {"aten::where.Scalar", where_scalar},
    {"aten::where.ScalarOther", where_scalar},
    {"aten::where.ScalarSelf", where_scalar},
    {"aten::masked_fill.Tensor", masked_fill},
    {"aten::zeros", zeros},
    {"aten::zeros_like", zeros},
    {"aten::new_zeros", zeros},
    {"aten::empty_like", zeros},
    {"aten::ones", ones},
    {"aten::ones_like", ones},
    {"aten::new_ones", ones},
    {"aten::full", full},
    {"aten::full_like", full},
    {"aten::new_full", new_full},
};

}  // namespace

std::span<const RewriteRule> arithmetic_rules() { return kRules; }

}  // namespace wick::compiler
