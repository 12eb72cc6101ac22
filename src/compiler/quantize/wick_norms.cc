// Normalisations as operators that integers can compute.
#include <algorithm>
#include <cmath>

#include "compiler/quantize/wick_forms.h"

namespace wick::compiler {

namespace {

bool all_are(const Value* value, float wanted) {
  const auto count = static_cast<size_t>(value->type.numel());
  return std::all_of(floats(value), floats(value) + count, [wanted](float x) { return x == wanted; });
}

// Where only linear layers read a normalisation, its factors and offsets go into their weights and biases.
bool into_linear_layers(Builder& build, const Node& norm) {
  Graph& graph = build.graph();
  const Value *gamma = norm.arg(2).tensor(), *beta = norm.arg(3).tensor();
  const auto& users = norm.output()->users();
  const auto fits = [&norm](const Node* user) {
    const Value* bias = user->arg(2).tensor();
    return user->op == "aten::linear" && user->arg(0).tensor() == norm.output() &&
           user->arg(1).tensor()->is_constant() && (bias == nullptr || bias->is_constant());
  };
  if (graph.is_output(norm.output()) || users.empty() || !std::all_of(users.begin(), users.end(), fits)) return false;
  for (Node* user : std::vector<Node*>(users)) {
    const Value *old = user->arg(1).tensor(), *old_bias = user->arg(2).tensor();
    const int64_t outer = old->type.sizes[0], inner = old->type.sizes[1];
    std::vector<float> weight(floats(old), floats(old) + outer * inner);
    std::vector<float> bias(static_cast<size_t>(outer), 0.0f);
    for (int64_t o = 0; o < outer; ++o) {
      double sum = old_bias == nullptr ? 0 : static_cast<double>(floats(old_bias)[o]);
      for (int64_t i = 0; i < inner; ++i) {
        float& w = weight[static_cast<size_t>(o * inner + i)];
        if (beta != nullptr) sum += static_cast<double>(w) * static_cast<double>(floats(beta)[i]);
        if (gamma != nullptr) w *= floats(gamma)[i];
      }
      bias[static_cast<size_t>(o)] = static_cast<float>(sum);
    }
    graph.set_arg(user, 1, graph.add_constant(old->name, array_of(weight, old->type.sizes)));
    graph.set_arg(user, 2, graph.add_constant(old->name + "_bias", array_of(bias, {outer})));
  }
  return true;
}

// x - mean(x) over the last dimension: in one sum of products (the identity less 1/length everywhere) where its weights
// are few, else by subtraction.
Value* less_mean(Builder& build, Value* x, const std::string& name) {
  const Shape sizes = x->type.sizes;
  const int64_t length = sizes.back();
  const double share = 1.0 / static_cast<double>(length);
  if (length * length > kMostBroadcast) {
    Value* mean = summed_last(build, x, share, name + "_mean");
    return build("aten::sub.Tensor", {x, broadcast(build, mean, sizes)}, name + "_centred");
  }
  std::vector<float> centring(static_cast<size_t>(length * length), static_cast<float>(-share));
  for (int64_t i = 0; i < length; ++i) centring[static_cast<size_t>(i * length + i)] += 1.0f;
  Value* weight = build.constant(name + "_centring", array_of(centring, {length, length}));
  return build("aten::linear", {x, weight, Argument()}, name + "_centred");
}

}  // namespace

// Normalisation over the last dimensions in parts: differences from the mean, their squares' mean, its inverse root.
Value* layer_norm_in_parts(Builder& build, const Node& node) {
  Value *x = node.arg(0).tensor(), *gamma = node.arg(2).tensor(), *beta = node.arg(3).tensor();
  if ((gamma != nullptr && !gamma->is_constant()) || (beta != nullptr && !beta->is_constant())) return nullptr;
  const Shape out = x->type.sizes;
  const size_t dims = node.arg(1).get<Ints>()->size();
  const int64_t length = product(out, out.size() - dims, out.size());
  if (length < 2) return nullptr;
  if (dims > 1) x = reshaped(build, x, {x->type.numel() / length, length});
  const Shape sizes = x->type.sizes;
  Value* centred = less_mean(build, x, node.name);
  Value* squares = build("aten::mul.Tensor", {centred, centred}, node.name + "_squares");
  Value* variance = summed_last(build, squares, 1.0 / static_cast<double>(length), node.name + "_variance",
                                static_cast<float>(*node.arg(4).number()));
  Value* inverse = build("aten::rsqrt", {variance}, node.name + "_inverse");
  Value* normal = build("aten::mul.Tensor", {centred, broadcast(build, inverse, sizes)}, node.name);
  if (dims == 1 && into_linear_layers(build, node)) return normal;
  const auto spread = [&](const Value* value) {
    const std::vector<float> flat(floats(value), floats(value) + length);
    return broadcast(build, build.constant(value->name, array_of(flat, {length})), sizes);
  };
  if (gamma != nullptr && !all_are(gamma, 1)) normal = build("aten::mul.Tensor", {normal, spread(gamma)}, node.name);
  if (beta != nullptr && !all_are(beta, 0)) normal = build("aten::add.Tensor", {normal, spread(beta)}, node.name);
  return reshaped(build, normal, out);
}

// Normalisation with fixed statistics that no layer took in: a 1x1 depthwise convolution.
Value* batch_norm_as_convolution(Builder& build, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Shape sizes = x->type.sizes;
  if (*node.arg(5).get<bool>() || sizes.size() < 2 || sizes.size() > 4) return nullptr;
  for (size_t i = 1; i < 5; ++i) {
    const Value* value = node.arg(i).tensor();
    if (value != nullptr ? !value->is_constant() : i > 2) return nullptr;
  }
  const auto channels = static_cast<size_t>(sizes[1]);
  std::vector<float> factor(channels), offset(channels);
  for (size_t c = 0; c < channels; ++c) {
    const auto item = [&node, c](size_t arg, double otherwise) {
      const Value* value = node.arg(arg).tensor();
      return value == nullptr ? otherwise : static_cast<double>(floats(value)[c]);
    };
    const double scale = item(1, 1) / std::sqrt(item(4, 1) + *node.arg(7).number());
    factor[c] = static_cast<float>(scale);
    offset[c] = static_cast<float>(item(2, 0) - item(3, 0) * scale);
  }
  const Shape image = sizes.size() == 4   ? sizes
                      : sizes.size() == 3 ? with_height(sizes)
                                          : Shape{sizes[0], sizes[1], 1, 1};
  Value* weight = build.constant(node.name + "_weight", array_of(factor, {sizes[1], 1, 1, 1}));
  Value* bias = build.constant(node.name + "_bias", array_of(offset, {sizes[1]}));
  Value* result =
      build("aten::conv2d", {reshaped(build, x, image), weight, bias, Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, sizes[1]},
            node.name);
  return reshaped(build, result, sizes);
}

}  // namespace wick::compiler
