#include "compiler/quantize/insert_qdq.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

using files::Array;

constexpr int64_t kBiasMin = std::numeric_limits<int32_t>::min(), kBiasMax = std::numeric_limits<int32_t>::max() - 1;

std::span<const float> floats(const Value* value) {
  return {reinterpret_cast<const float*>(value->data->bytes.data()), value->data->bytes.size() / sizeof(float)};
}

template <typename T>
Array array_of(DType dtype, const std::vector<int32_t>& sizes, const std::vector<T>& values) {
  Array array{dtype, sizes, {}};
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

int8_t to_int8(float value, float inverse_scale, int64_t zero_point) {
  const float rounded = std::nearbyint(value * inverse_scale) + static_cast<float>(zero_point);
  return static_cast<int8_t>(std::clamp(rounded, -128.0f, 127.0f));
}

int32_t to_int32(float value, float inverse_scale) {
  const double rounded = static_cast<double>(std::nearbyint(value * inverse_scale));
  return static_cast<int32_t>(std::clamp(rounded, static_cast<double>(kBiasMin), static_cast<double>(kBiasMax)));
}

// One over a scale: of a tensor's, in double and then rounded; of channels', in float32.
float inverse_of_tensor(double scale) { return static_cast<float>(1.0 / scale); }
float inverse_of_channel(float scale) { return 1.0f / scale; }

class Inserter {
 public:
  Inserter(Graph& graph, const QuantizePlan& plan, std::span<const QParams> qparams, const InputMeans& input_means)
      : graph_(graph), plan_(plan), qparams_(qparams), input_means_(input_means) {}

  void run() {
    for (Node* node : graph_.node_list()) {
      const auto weights = plan_.weights.find(node);
      if (weights != plan_.weights.end()) quantize_weights(node, weights->second);
    }
    for (Value* value : graph_.inputs())
      convert(value, graph_.nodes().empty() ? nullptr : graph_.nodes().front().get());
    for (Value* value : graph_.constants()) convert(value, nullptr);
    for (Node* node : graph_.node_list()) {
      for (Value* value : node->outputs()) convert(value, graph_.next(node));
    }
    graph_.erase_dead();
  }

 private:
  const QParams& of(QuantizePlan::Group group) const { return qparams_[plan_.find(group)]; }

  // Scale and zero point of a layer's input, where it is int8.
  const QParams* input_of(const Node* node) const {
    const Value* input = node->arg(0).tensor();
    if (const auto* read = plan_.read(input); read != nullptr && plan_.reads(node, input)) return &of(*read);
    if (const auto* made = plan_.made(input)) return &of(*made);
    return nullptr;
  }

  void quantize_weights(Node* node, const QuantizePlan::Weights& how) {
    const Value* weight = node->arg(how.weight_arg).tensor();
    weights_before_[node] = weight;
    const QParams* input = input_of(node);
    const auto w = floats(weight);
    const Shape& sizes = weight->type.sizes;
    const auto axis = static_cast<size_t>(std::max<int64_t>(how.axis, 0));
    const auto channels = how.axis < 0 ? size_t{1} : static_cast<size_t>(sizes[axis]);
    size_t inner = 1;
    for (size_t i = axis + 1; i < sizes.size(); ++i) inner *= static_cast<size_t>(sizes[i]);
    if (how.axis < 0) inner = std::max<size_t>(w.size(), 1);
    std::vector<float> low(channels, std::numeric_limits<float>::infinity()), high(channels, -low[0]), scale(channels);
    for (size_t i = 0; i < w.size(); ++i) {
      const size_t c = i / inner % channels;
      low[c] = std::min(low[c], w[i]), high[c] = std::max(high[c], w[i]);
    }
    for (size_t c = 0; c < channels; ++c) scale[c] = symmetric_scale(low[c], high[c], plan_.weight_levels);
    const auto inverse = [&how](float s) { return how.axis < 0 ? inverse_of_tensor(s) : inverse_of_channel(s); };
    std::vector<int8_t> q(w.size());
    for (size_t i = 0; i < w.size(); ++i) q[i] = to_int8(w[i], inverse(scale[i / inner % channels]), 0);
    Builder build(graph_, node);
    const Value* bias = how.bias_arg ? node->arg(*how.bias_arg).tensor() : nullptr;
    graph_.set_arg(
        node, how.weight_arg,
        dequantized(build, array_of(DType::kInt8, weight->data->sizes, q), weight->name, scale, how.axis, -128, 127));
    if (bias == nullptr || input == nullptr) return;
    std::vector<float> bias_scale;
    for (const float s : scale) bias_scale.push_back(static_cast<float>(input->scale) * s);
    std::vector<float> b(floats(bias).begin(), floats(bias).end());
    correct_bias(b, node, q, scale, inner);
    std::vector<int32_t> integers(b.size());
    for (size_t i = 0; i < b.size(); ++i) integers[i] = to_int32(b[i], inverse(bias_scale[i % channels]));
    graph_.set_arg(node, *how.bias_arg,
                   dequantized(build, array_of(DType::kInt32, bias->data->sizes, integers), bias->name, bias_scale,
                               std::min<int64_t>(how.axis, 0), kBiasMin, kBiasMax));
  }

  // Takes from the bias what the weights' rounding errors add to the output on average.
  void correct_bias(std::vector<float>& bias, const Node* node, const std::vector<int8_t>& q,
                    const std::vector<float>& scale, size_t inner) const {
    const auto means = input_means_.find(node);
    if (means == input_means_.end() || node->op.starts_with("aten::conv_transpose")) return;
    const Shape& sizes = weights_before_.at(node)->type.sizes;
    const auto w = floats(weights_before_.at(node));
    const auto outputs = static_cast<size_t>(sizes[0]), in_group = static_cast<size_t>(sizes[1]);
    const size_t taps = w.size() / outputs / in_group;
    const size_t groups = means->second.size() / in_group;
    std::vector<double> errors(outputs);
    for (size_t i = 0; i < w.size(); ++i) {
      const size_t o = i / (in_group * taps), input = o * groups / outputs * in_group + i / taps % in_group;
      const double rounded = static_cast<double>(q[i]) * static_cast<double>(scale[i / inner % scale.size()]);
      errors[o] += (rounded - static_cast<double>(w[i])) * means->second[input];
    }
    for (size_t o = 0; o < outputs; ++o) bias[o] -= static_cast<float>(errors[o]);
  }

  // A constant of integers behind its dequantize node; axis -1: one scale.
  Value* dequantized(Builder& build, Array array, const std::string& name, const std::vector<float>& scale,
                     int64_t axis, int64_t low, int64_t high) {
    const DType dtype = array.dtype;
    Value* constant = build.constant(name, std::move(array));
    if (axis < 0) {
      return build("quantized_decomposed::dequantize_per_tensor",
                   {constant, static_cast<double>(scale[0]), int64_t{0}, low, high, dtype});
    }
    const std::vector<int32_t> sizes = {static_cast<int32_t>(scale.size())};
    const std::vector<int64_t> zeros(scale.size(), 0);
    Value* scales = build.constant(name + "_scale", array_of(DType::kFloat32, sizes, scale));
    Value* zero_points = build.constant(name + "_zero_point", array_of(DType::kInt64, sizes, zeros));
    return build("quantized_decomposed::dequantize_per_channel",
                 {constant, scales, zero_points, axis, low, high, dtype});
  }

  // What reads `value` reads it through int8; new nodes stand before `before`.
  void convert(Value* value, Node* before) {
    const auto *made = plan_.made(value), *read = plan_.read(value);
    if (made == nullptr && read == nullptr) return;
    std::vector<Node*> users = value->users();
    order(users);
    std::vector<size_t> outputs;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      if (graph_.outputs()[i] == value) outputs.push_back(i);
    }
    if (users.empty() && outputs.empty()) return;
    if (value->is_constant()) return convert_constant(value, users, *read);
    Value* source = value;
    Value* first = made == nullptr ? nullptr : quantized(value, of(*made), before);
    const bool twice = read != nullptr && (made == nullptr || plan_.find(*made) != plan_.find(*read));
    Value* second = nullptr;
    if (twice) {
      if (first != nullptr) source = dequantized(first, of(*made), before);
      second = quantized(source, of(*read), before);
    }
    const auto view_for = [&](const Node* user, Node* place) -> Value* {
      if (twice && plan_.reads(user, value)) return dequantized(second, of(*read), place);
      return first == nullptr ? nullptr : dequantized(first, of(*made), place);
    };
    for (Node* user : users) {
      Value* view = view_for(user, user);
      if (view != nullptr) replace_in(user, value, view);
    }
    if (outputs.empty()) return;
    if (Value* view = view_for(nullptr, nullptr)) {
      for (const size_t i : outputs) graph_.set_output(i, view);
    }
  }

  void convert_constant(Value* value, const std::vector<Node*>& users, QuantizePlan::Group group) {
    const QParams& q = of(group);
    std::vector<int8_t> integers;
    for (const float x : floats(value)) integers.push_back(to_int8(x, inverse_of_tensor(q.scale), q.zero_point));
    Value* constant = graph_.add_constant(value->name, array_of(DType::kInt8, value->data->sizes, integers));
    for (Node* user : users) {
      if (plan_.reads(user, value)) replace_in(user, value, dequantized(constant, q, user));
    }
  }

  // Distinct, in the order in which they run.
  void order(std::vector<Node*>& users) const {
    std::vector<Node*> sorted;
    if (users.size() > 1) {
      for (const auto& node : graph_.nodes()) {
        if (std::find(users.begin(), users.end(), node.get()) != users.end()) sorted.push_back(node.get());
      }
      users = std::move(sorted);
    }
  }

  Value* quantized(Value* value, const QParams& q, Node* before) {
    return Builder(graph_, before)("quantized_decomposed::quantize_per_tensor",
                                   {value, q.scale, q.zero_point, int64_t{-128}, int64_t{127}, DType::kInt8});
  }
  Value* dequantized(Value* value, const QParams& q, Node* before) {
    return Builder(graph_, before)("quantized_decomposed::dequantize_per_tensor",
                                   {value, q.scale, q.zero_point, int64_t{-128}, int64_t{127}, DType::kInt8});
  }

  void replace_in(Node* user, Value* from, Value* to) {
    Arguments args = user->args();
    for (Argument& argument : args) {
      argument.each_tensor([from, to](Value*& value) { value = value == from ? to : value; });
    }
    graph_.set_args(user, std::move(args));
  }

  Graph& graph_;
  const QuantizePlan& plan_;
  std::span<const QParams> qparams_;
  const InputMeans& input_means_;
  std::unordered_map<const Node*, const Value*> weights_before_;
};

}  // namespace

void insert_qdq(Graph& graph, const QuantizePlan& plan, std::span<const QParams> qparams,
                const InputMeans& input_means) {
  Inserter(graph, plan, qparams, input_means).run();
}

}  // namespace wick::compiler
