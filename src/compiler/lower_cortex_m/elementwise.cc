// Operators of one or two tensors, element by element, and softmax.
#include <algorithm>
#include <cmath>

#include "compiler/lower_cortex_m/rules.h"
#include "compiler/lower_cortex_m/unary.h"

namespace wick::compiler {

namespace {

// Both operands with the output's sizes where ExecuTorch's kernels would not spread them: they know equal sizes, and
// one number per channel of an image.
void spread(const Site& site, Value*& a, Value*& b) {
  const Shape& out = site.node->output()->type.sizes;
  const auto per_channel = [&](const Value* value) {
    return out.size() == 4 && value->type.sizes.size() == 4 && value->type.numel() == out[1] &&
           value->type.sizes[1] == out[1];
  };
  for (Value** operand : {&a, &b}) {
    if ((*operand)->type.sizes == out || per_channel(*operand)) continue;
    *operand = site.build()("aten::expand_copy", {*operand, out});
  }
}

// Without spreading, ExecuTorch leaves such nodes in float.
bool executorch_takes(const Site& site, const Value* a, const Value* b) {
  const Shape& out = site.node->output()->type.sizes;
  const auto fits = [&](const Value* value) {
    return value->type.sizes == out || (out.size() == 4 && value->type.sizes.size() == 4 &&
                                        value->type.numel() == out[1] && value->type.sizes[1] == out[1]);
  };
  return fits(a) && fits(b);
}

Value* sum(const Site& site, const Quantized& a, const Quantized& b, double sign) {
  const double alpha = site.node->args().size() > 2 ? site.node->arg(2).number().value_or(1) : 1;
  const double scale_a = a.params.scale, scale_b = b.params.scale * std::abs(alpha);
  const double twice = 2 * std::max(scale_a, scale_b);
  const FixedPoint factor_a = fixed_point(scale_a / twice),
                   factor_b = fixed_point((alpha < 0 ? -sign : sign) * scale_b / twice),
                   factor_out = fixed_point(twice / (site.output.scale * (1 << 20)));
  Value *left = a.q, *right = b.q;
  spread(site, left, right);
  return site.build()(
      "cortex_m::quantized_add",
      {left, a.params.zero_point, int64_t{factor_a.multiplier}, int64_t{factor_a.shift}, right, b.params.zero_point,
       int64_t{factor_b.multiplier}, int64_t{factor_b.shift}, site.output.zero_point, int64_t{factor_out.multiplier},
       int64_t{factor_out.shift}, site.low, site.high},
      site.name);
}

Value* product(const Site& site, const Quantized& a, const Quantized& b) {
  const FixedPoint factor = fixed_point(a.params.scale * b.params.scale / site.output.scale);
  Value *left = a.q, *right = b.q;
  spread(site, left, right);
  return site.build()("cortex_m::quantized_mul",
                      {left, a.params.zero_point, right, b.params.zero_point, site.output.zero_point,
                       int64_t{factor.multiplier}, int64_t{factor.shift}},
                      site.name);
}

Value* extremum(const Site& site, const Quantized& a, const Quantized& b, const std::string& op) {
  Value *left = site.requantized(a.q, a.params, site.output), *right = site.requantized(b.q, b.params, site.output);
  if (left->type.sizes != right->type.sizes) spread(site, left, right);
  return site.build()(op, {left, right}, site.name);
}

// x * relu6(x + 3) / 6, where a convolution has already kept x at or above -3.
Value* executorch_hardswish(const Site& site, const Quantized& x) {
  const Node* producer = x.q->producer();
  const bool behind_conv = producer != nullptr && (producer->op == "cortex_m::quantized_conv2d" ||
                                                   producer->op == "cortex_m::quantized_depthwise_conv2d" ||
                                                   producer->op == "cortex_m::quantized_linear");
  // Kept: -3 must be at the end of the range, or below.
  if (!behind_conv || quantized_bound(-3, x.params) != -128) return nullptr;
  const double scale = x.params.scale;
  Value* three = site.int8_constant("_three", {1}, {quantized_bound(3, x.params)});
  Value* capped = site.build()("cortex_m::minimum", {x.q, three});
  const FixedPoint factor = fixed_point(scale * scale / (site.output.scale * 6));
  const int64_t shifted = x.params.zero_point - static_cast<int64_t>(std::nearbyint(3 / scale));
  return site.build()("cortex_m::quantized_mul",
                      {x.q, x.params.zero_point, capped, shifted, site.output.zero_point, int64_t{factor.multiplier},
                       int64_t{factor.shift}},
                      site.name);
}

// The only real operand of the node that is not a constant.
const Value* variable(const Node& node) {
  const Value* found = nullptr;
  for (const Argument& argument : node.args()) {
    const Value* value = argument.tensor();
    if (value == nullptr || real_constant(value)) continue;
    if (found != nullptr && found != value) return nullptr;
    found = value;
  }
  return found;
}

}  // namespace

Value* lower_binary(const Site& site) {
  const Node& node = *site.node;
  const std::string name = family(node.op);
  const bool sums = name == "aten::add" || name == "aten::sub";
  if (!sums && name != "aten::mul" && name != "aten::div" && name != "aten::minimum" && name != "aten::maximum") {
    return nullptr;
  }
  if (node.args().size() < 2) return nullptr;
  const auto a = quantized(node.arg(0).tensor()), b = quantized(node.arg(1).tensor());
  if (!a || !b || (name == "aten::div" && node.args().size() > 2)) return nullptr;
  const bool bounded = site.low != -128 || site.high != 127;
  if (bounded && !sums) return nullptr;
  if (site.options.executorch_only) {
    if (name == "aten::sub" || name == "aten::div") return nullptr;
    const bool extremes = name == "aten::minimum" || name == "aten::maximum";
    if (!extremes && !executorch_takes(site, a->q, b->q)) return nullptr;
  }
  if (sums) return sum(site, *a, *b, name == "aten::sub" ? -1 : 1);
  if (name == "aten::mul") return product(site, *a, *b);
  if (name == "aten::minimum") return extremum(site, *a, *b, "cortex_m::minimum");
  if (name == "aten::maximum") return extremum(site, *a, *b, "cortex_m::maximum");
  Value *left = a->q, *right = b->q;
  const Shape& out = node.output()->type.sizes;
  for (Value** operand : {&left, &right}) {
    if ((*operand)->type.sizes != out) *operand = site.build()("aten::expand_copy", {*operand, out});
  }
  return site.build()("cortex_m::quantized_div",
                      {left, a->params.zero_point, right, b->params.zero_point, site.output.zero_point,
                       a->params.scale / (b->params.scale * site.output.scale)},
                      site.name);
}

Value* lower_unary(const Site& site) {
  const Node& node = *site.node;
  const auto x = quantized(variable(node));
  if (!x || x->q->type.sizes != node.output()->type.sizes) return nullptr;
  const bool clamps = node.op == "aten::relu" || node.op == "aten::clamp" || node.op == "aten::hardtanh";
  if (clamps && x->params == site.output) {
    const auto bound = [&](size_t i) {
      const auto value = i < node.args().size() ? node.arg(i).number() : std::nullopt;
      return value ? Argument(quantized_bound(*value, site.output)) : Argument();
    };
    const Argument low = node.op == "aten::relu" ? Argument(quantized_bound(0, site.output)) : bound(1);
    return site.build()("aten::clamp", {x->q, low, node.op == "aten::relu" ? Argument() : bound(2)}, site.name);
  }
  if (node.op == "aten::hardswish" && site.options.executorch_only) return executorch_hardswish(site, *x);
  if (site.options.executorch_only && node.op != "aten::sigmoid" && node.op != "aten::tanh" &&
      node.op != "aten::silu" && node.op != "aten::gelu") {
    return nullptr;
  }
  const auto function = unary_function(node);
  return function ? site.table(x->q, activation_table(function, x->params, site.output)) : nullptr;
}

Value* lower_softmax(const Site& site) {
  const Node& node = *site.node;
  if (node.op != "aten::softmax.int" && node.op != "aten::_softmax") return nullptr;
  const auto x = quantized(node.arg(0).tensor());
  if (!x) return nullptr;
  const int64_t rank = static_cast<int64_t>(x->q->type.sizes.size());
  int64_t dim = *node.arg(1).get<int64_t>();
  if (dim < 0) dim += rank;
  if (site.options.executorch_only && dim != rank - 1) return nullptr;
  const double real = std::min(x->params.scale * (1 << 26), 2147483647.0);
  const FixedPoint factor = fixed_point(real);
  const int64_t diff_min = -static_cast<int64_t>(std::floor(31.0 * (1 << 26) / std::exp2(factor.shift)));
  // The kernel works along the last dimension.
  Ints order, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    if (i != dim) order.push_back(i);
  }
  order.push_back(dim);
  for (int64_t i = 0; i < rank; ++i) back[static_cast<size_t>(order[static_cast<size_t>(i)])] = i;
  Value* input = dim == rank - 1 ? x->q : site.build()("aten::permute_copy", {x->q, order});
  constexpr QParams kOwn = {1.0 / 256, -128};
  Value* result = site.build()("cortex_m::softmax",
                               {input, rank - 1, x->params.zero_point, kOwn.zero_point, int64_t{factor.multiplier},
                                int64_t{factor.shift}, diff_min},
                               site.name);
  if (dim != rank - 1) result = site.build()("aten::permute_copy", {result, back});
  return site.requantized(result, kOwn, site.output);
}

Value* lower_cat(const Site& site) {
  if (site.node->op != "aten::cat" && site.node->op != "aten::stack") return nullptr;
  const Tensors* inputs = site.node->arg(0).get<Tensors>();
  if (inputs == nullptr) return nullptr;
  Tensors values;
  for (const Value* input : *inputs) {
    const auto x = quantized(input);
    if (!x) return nullptr;
    values.push_back(site.requantized(x->q, x->params, site.output));
  }
  return site.build()(site.node->op, {values, site.node->arg(1)}, site.name);
}

}  // namespace wick::compiler
