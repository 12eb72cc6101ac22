// TensorFlow Lite's float elementwise operators, reductions and matrix products as ATen's.
#include <algorithm>
#include <cmath>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

const std::map<int32_t, const char*>& unary_names() {
  static const std::map<int32_t, const char*> names = {
      {8, "aten::floor"},        {14, "aten::sigmoid"},   {19, "aten::relu"},  {28, "aten::tanh"}, {47, "aten::exp"},
      {59, "aten::neg"},         {66, "aten::sin"},       {73, "aten::log"},   {75, "aten::sqrt"}, {76, "aten::rsqrt"},
      {87, "aten::logical_not"}, {101, "aten::abs"},      {104, "aten::ceil"}, {108, "aten::cos"}, {111, "aten::elu"},
      {116, "aten::round"},      {117, "aten::hardswish"}};
  return names;
}

const std::map<int32_t, const char*>& binary_names() {
  static const std::map<int32_t, const char*> names = {
      {0, "aten::add.Tensor"},         {18, "aten::mul.Tensor"}, {41, "aten::sub.Tensor"},  {42, "aten::div.Tensor"},
      {55, "aten::maximum"},           {57, "aten::minimum"},    {58, "aten::lt.Tensor"},   {61, "aten::gt.Tensor"},
      {62, "aten::ge.Tensor"},         {63, "aten::le.Tensor"},  {71, "aten::eq.Tensor"},   {72, "aten::ne.Tensor"},
      {78, "aten::pow.Tensor_Tensor"}, {84, "aten::logical_or"}, {86, "aten::logical_and"}, {90, "aten::floor_divide"},
      {95, "aten::remainder.Tensor"}};
  return names;
}

Value* float_in(TfCall& call, size_t i, bool images) {
  return call.input(i).dtype == DType::kFloat16 && call.is_constant(i) ? call.real(i) : call.ordered(i, images);
}

void unary(TfCall& call) {
  const bool images = call.prefers_images();
  call.set_ordered(0, call(unary_names().at(call.code()), {call.ordered(0, images)}), images);
}

void binary(TfCall& call) {
  const bool images = call.prefers_images();
  Value* y = call(binary_names().at(call.code()), {float_in(call, 0, images), float_in(call, 1, images)});
  const bool fuses = call.code() == 0 || call.code() == 18 || call.code() == 41 || call.code() == 42;
  call.set_ordered(0, fuses ? call.activated(y, call.options().byte(0)) : y, images);
}

void relu_of(TfCall& call) {
  const bool images = call.prefers_images();
  call.set_ordered(0, call.activated(call.ordered(0, images), call.code() == 21 ? 3 : 2), images);
}

void leaky_relu(TfCall& call) {
  const bool images = call.prefers_images();
  call.set_ordered(0, call("aten::leaky_relu", {call.ordered(0, images), double{call.options().real(0)}}), images);
}

void prelu(TfCall& call) {
  const bool images = call.prefers_images();
  Value* x = call.ordered(0, images);
  Value* negative = call("aten::mul.Tensor", {x, call.ordered(1, images)});
  call.set_ordered(0, call("aten::where.self", {call("aten::ge.Scalar", {x, 0}), x, negative}), images);
}

void gelu(TfCall& call) {
  const bool images = call.prefers_images();
  const char* kind = call.options().flag(0) ? "tanh" : "none";
  call.set_ordered(0, call("aten::gelu", {call.ordered(0, images), kind}), images);
}

void square(TfCall& call) {
  const bool images = call.prefers_images();
  Value* x = call.ordered(0, images);
  call.set_ordered(0, call("aten::mul.Tensor", {x, x}), images);
}

void squared_difference(TfCall& call) {
  const bool images = call.prefers_images();
  Value* d = call("aten::sub.Tensor", {call.ordered(0, images), call.ordered(1, images)});
  call.set_ordered(0, call("aten::mul.Tensor", {d, d}), images);
}

void add_n(TfCall& call) {
  Value* sum = call.in(0);
  for (size_t i = 1; i < call.input_count(); ++i) sum = call("aten::add.Tensor", {sum, call.in(i)});
  call.set(sum);
}

void softmax(TfCall& call) {
  Value* x = call.in(0);
  const bool is_log = call.code() == 50;
  const double beta = is_log ? 1 : double{call.options().real(0)};
  if (beta != 1) x = call("aten::mul.Tensor", {x, call.scalar_like(x, beta)});
  call.set(call(is_log ? "aten::_log_softmax" : "aten::_softmax", {x, -1, false}));
}

void select(TfCall& call) { call.set(call("aten::where.self", {call.in(0), call.in(1), call.in(2)})); }

void cast(TfCall& call) {
  const DType to = call.output().dtype;
  call.set(call.in(0)->type.dtype == to ? call.in(0) : call("aten::_to_copy", {call.in(0), to}));
}

void dequantize(TfCall& call) {
  if (call.is_constant(0)) return call.set(call.real(0));
  if (call.input(0).dtype == DType::kFloat16) return call.set(call("aten::_to_copy", {call.in(0), DType::kFloat32}));
  const TfParams p = call.params_in(0);
  call.set(
      call("cortex_m::dequantize_per_tensor", {call.in(0), double{p.scale}, p.zero_point, -128, 127, DType::kInt8}));
}

// Reductions: over images in their own order where that is how they lie.
Ints axes_of(TfCall& call, size_t i, size_t rank, bool images) {
  static constexpr int64_t kImageAxis[] = {0, 2, 3, 1};
  Ints axes;
  for (const int64_t axis : call.ints(i)) {
    const size_t at = wrap(axis, rank, "axis");
    axes.push_back(images ? kImageAxis[at] : static_cast<int64_t>(at));
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

void reduce(TfCall& call) {
  const bool keep = call.options().flag(0);
  const Shape sizes = call.sizes(0);
  const Ints plain_axes = axes_of(call, 1, sizes.size(), false);
  // Without rows and columns both orders are the same.
  const bool both = plain_axes.size() == 2 && plain_axes[0] == 1 && plain_axes[1] == 2;
  const bool images = sizes.size() == 4 && call.prefers_images() && (keep || both);
  Value* x = call.ordered(0, images);
  const Ints axes = axes_of(call, 1, sizes.size(), images);
  if (axes.empty()) return call.set_ordered(0, x, images);
  Value* y = nullptr;
  if (call.code() == 40) y = call("aten::mean.dim", {x, axes, keep});
  if (call.code() == 74) y = call("aten::sum.dim_IntList", {x, axes, keep, x->type.dtype});
  if (call.code() == 82) y = call("aten::amax", {x, axes, keep});
  if (call.code() == 89) y = call("aten::amin", {x, axes, keep});
  call.set_ordered(0, y, images && keep);
}

void arg_extreme(TfCall& call) {
  const size_t rank = call.sizes(0).size();
  const Ints axis = call.ints(1);
  call.require(axis.size() == 1, "takes one axis");
  const auto dim = static_cast<int64_t>(wrap(axis[0], rank, "axis"));
  Value* index = call(call.code() == 56 ? "aten::argmax" : "aten::argmin", {call.in(0), dim, false});
  const DType to = call.output().dtype;
  call.set(to == DType::kInt64 ? index : call("aten::_to_copy", {index, to}));
}

void cumsum(TfCall& call) {
  const Ints axis = call.ints(1);
  call.require(axis.size() == 1 && !call.options().flag(0) && !call.options().flag(1),
               "exclusive and reverse sums are not supported");
  const auto dim = static_cast<int64_t>(wrap(axis[0], call.sizes(0).size(), "axis"));
  call.set(call("aten::cumsum", {call.in(0), dim, call.in(0)->type.dtype}));
}

// Matrices of the last two dimensions, one for each of the dimensions before.
void batch_matmul(TfCall& call) {
  const auto turned = [&call](Value* x, bool turn) {
    if (!turn) return x;
    Ints dims;
    for (size_t i = 0; i < x->type.sizes.size(); ++i) dims.push_back(static_cast<int64_t>(i));
    std::swap(dims.back(), dims.end()[-2]);
    return call.permute(x, dims);
  };
  Value* a = call.real(0);
  Value* b = call.real(1);
  call.require(a->type.sizes.size() >= 2 && b->type.sizes.size() >= 2, "takes matrices");
  a = turned(a, call.options().flag(0));
  b = turned(b, call.options().flag(1));
  Shape batch_a(a->type.sizes.begin(), a->type.sizes.end() - 2),
      batch_b(b->type.sizes.begin(), b->type.sizes.end() - 2);
  while (batch_a.size() < batch_b.size()) batch_a.insert(batch_a.begin(), 1);
  while (batch_b.size() < batch_a.size()) batch_b.insert(batch_b.begin(), 1);
  Shape batch = batch_a;
  int64_t count = 1;
  for (size_t i = 0; i < batch.size(); ++i) {
    batch[i] = batch_a[i] == 1 ? batch_b[i] : batch_a[i];
    call.require(batch_b[i] == 1 || batch_b[i] == batch[i], "its batches do not fit");
    count *= batch[i];
  }
  const auto flat = [&](Value* x, const Shape& own) {
    const int64_t rows = x->type.sizes.end()[-2], columns = x->type.sizes.back();
    Shape from = own, to = batch;
    from.insert(from.end(), {rows, columns});
    to.insert(to.end(), {rows, columns});
    x = call.view(x, from);
    if (from != to) x = call("aten::expand_copy", {x, to});
    return call.view(x, {count, rows, columns});
  };
  Value* y = call("aten::bmm", {flat(a, batch_a), flat(b, batch_b)});
  Shape out = batch;
  out.insert(out.end(), {y->type.sizes[1], y->type.sizes[2]});
  call.set(call.view(y, out));
}

}  // namespace

void add_tflite_elementwise_rules(TfRules& rules) {
  for (const auto& [code, op] : unary_names()) rules[code] = unary;
  for (const auto& [code, op] : binary_names()) rules[code] = binary;
  static constexpr std::pair<int32_t, TfRule> kOthers[] = {{6, dequantize},
                                                           {20, relu_of},
                                                           {21, relu_of},
                                                           {25, softmax},
                                                           {40, reduce},
                                                           {50, softmax},
                                                           {53, cast},
                                                           {54, prelu},
                                                           {56, arg_extreme},
                                                           {64, select},
                                                           {74, reduce},
                                                           {79, arg_extreme},
                                                           {82, reduce},
                                                           {89, reduce},
                                                           {92, square},
                                                           {98, leaky_relu},
                                                           {99, squared_difference},
                                                           {106, add_n},
                                                           {123, select},
                                                           {126, batch_matmul},
                                                           {128, cumsum},
                                                           {150, gelu}};
  for (const auto& [code, rule] : kOthers) rules[code] = rule;
}

}  // namespace wick::compiler
