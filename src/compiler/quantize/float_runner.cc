#include "compiler/quantize/float_runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "compiler/evaluate.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/quantize/float_math.h"
#include "compiler/type_of.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

using files::Array;
using files::fail;
using Outputs = std::vector<Array>;
using Step = std::function<void(const FloatRunner::Lookup&, Outputs&)>;

const float* floats(const Array& array) { return reinterpret_cast<const float*>(array.bytes.data()); }
float* floats(Array& array) { return reinterpret_cast<float*>(array.bytes.data()); }

Array empty_of(const TensorType& type) {
  Array array{type.dtype, {type.sizes.begin(), type.sizes.end()}, {}};
  array.bytes.resize(static_cast<size_t>(type.bytes()));
  return array;
}

bool all_float32(const Node& node) {
  bool all = true;
  for (Argument argument : node.args()) {
    argument.each_tensor([&all](Value*& value) { all = all && value->type.dtype == DType::kFloat32; });
  }
  for (const Value* value : node.outputs()) all = all && value->type.dtype == DType::kFloat32;
  return all;
}

// Only sizes change.
Step copy_step(const Node& node) {
  const Value* from = node.arg(0).tensor();
  const TensorType type = node.output()->type;
  return [from, type](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    out[0].bytes = at(from).bytes;
  };
}

void spread(int64_t (&to)[3], const Ints& from) {
  for (size_t i = 0; i < from.size(); ++i) to[3 - from.size() + i] = from[i];
}

struct ConvArgs {
  ConvShape shape;
  const Value *input, *weight, *bias;
  bool transposed;
};

ConvArgs conv_args(const Node& node) {
  const std::string& op = node.op;
  ConvArgs args{{}, node.arg(0).tensor(), node.arg(1).tensor(), node.arg(2).tensor(), false};
  ConvShape& s = args.shape;
  const auto ints = [&node](size_t i) { return *node.arg(i).get<Ints>(); };
  spread(s.stride, ints(3));
  spread(s.padding, ints(4));
  if (op == "aten::convolution") {
    spread(s.dilation, ints(5));
    args.transposed = *node.arg(6).get<bool>();
    s.groups = *node.arg(8).get<int64_t>();
  } else if (op.starts_with("aten::conv_transpose")) {
    args.transposed = true;
    s.groups = *node.arg(6).get<int64_t>();
    spread(s.dilation, ints(7));
  } else {
    spread(s.dilation, ints(5));
    s.groups = *node.arg(6).get<int64_t>();
  }
  const Shape &in = args.input->type.sizes, &w = args.weight->type.sizes, &out = node.output()->type.sizes;
  s.batch = in[0], s.in_channels = in[1], s.out_channels = out[1];
  spread(s.in, Ints(in.begin() + 2, in.end()));
  spread(s.out, Ints(out.begin() + 2, out.end()));
  spread(s.kernel, Ints(w.begin() + 2, w.end()));
  return args;
}

Step conv_step(const Node& node) {
  const ConvArgs args = conv_args(node);
  const TensorType type = node.output()->type;
  return [args, type](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    const float* bias = args.bias == nullptr ? nullptr : floats(at(args.bias));
    (args.transposed ? convolve_transposed : convolve)(args.shape, floats(at(args.input)), floats(at(args.weight)),
                                                       bias, floats(out[0]));
  };
}

Step linear_step(const Node& node) {
  const Value *input = node.arg(0).tensor(), *weight = node.arg(1).tensor(), *bias = node.arg(2).tensor();
  const TensorType type = node.output()->type;
  MatmulShape shape;
  shape.inner = weight->type.sizes.back();
  shape.columns = type.sizes.back();
  shape.rows = shape.columns == 0 ? 0 : type.numel() / shape.columns;
  shape.right_j_stride = shape.inner;
  return [=](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    multiply(shape, floats(at(input)), floats(at(weight)), bias == nullptr ? nullptr : floats(at(bias)),
             floats(out[0]));
  };
}

// bmm and matmul of operands with equal leading dimensions; null for others.
Step matmul_step(const Node& node) {
  const Value *left = node.arg(0).tensor(), *right = node.arg(1).tensor();
  const Shape &l = left->type.sizes, &r = right->type.sizes;
  if (l.size() < 2 || l.size() != r.size() || !std::equal(l.begin(), l.end() - 2, r.begin())) return nullptr;
  const TensorType type = node.output()->type;
  MatmulShape shape;
  shape.rows = l[l.size() - 2], shape.inner = l.back(), shape.columns = r.back();
  shape.right_k_stride = shape.columns;
  const int64_t per_batch = shape.rows * shape.columns;
  const int64_t batches = per_batch == 0 ? 0 : type.numel() / per_batch;
  return [=](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    for (int64_t b = 0; b < batches; ++b) {
      multiply(shape, floats(at(left)) + b * shape.rows * shape.inner,
               floats(at(right)) + b * shape.inner * shape.columns, nullptr, floats(out[0]) + b * per_batch);
    }
  };
}

template <typename Function>
Step unary_step(const Node& node, Function function) {
  const Value* from = node.arg(0).tensor();
  const TensorType type = node.output()->type;
  return [from, type, function](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    const float* x = floats(at(from));
    float* y = floats(out[0]);
    for (int64_t i = 0, count = type.numel(); i < count; ++i) y[i] = function(x[i]);
  };
}

Step batch_norm_step(const Node& node) {
  const Value* values[5];
  for (size_t i = 0; i < 5; ++i) values[i] = node.arg(i).tensor();
  const auto eps = static_cast<float>(*node.arg(7).number());
  const TensorType type = node.output()->type;
  return [=](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    const auto item = [&at, &values](size_t which, int64_t c, float otherwise) {
      return values[which] == nullptr ? otherwise : floats(at(values[which]))[c];
    };
    const float* x = floats(at(values[0]));
    float* y = floats(out[0]);
    const int64_t channels = type.sizes[1], plane = type.numel() / type.sizes[0] / channels;
    for (int64_t i = 0; i < type.numel(); ++i) {
      const int64_t c = i / plane % channels;
      const float scale = item(1, c, 1) / std::sqrt(item(4, c, 1) + eps);
      y[i] = x[i] * scale + (item(2, c, 0) - item(3, c, 0) * scale);
    }
  };
}

// Real numbers to integers and back, so that quantized graphs can be simulated in float.
Step quantize_step(const Node& node) {
  const auto inverse = static_cast<float>(1.0 / *node.arg(1).number());
  const auto zero_point = static_cast<float>(*node.arg(2).number());
  const auto low = static_cast<float>(*node.arg(3).number()), high = static_cast<float>(*node.arg(4).number());
  const Value* from = node.arg(0).tensor();
  const TensorType type = node.output()->type;
  return [=](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    const float* x = floats(at(from));
    const bool int8 = type.dtype == DType::kInt8;
    for (int64_t i = 0, count = type.numel(); i < count; ++i) {
      const float q = std::min(std::max(std::nearbyint(x[i] * inverse) + zero_point, low), high);
      if (int8) {
        out[0].bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(static_cast<int8_t>(q));
      } else {
        files::set_element(out[0], static_cast<uint64_t>(i), static_cast<double>(q));
      }
    }
  };
}

Step dequantize_step(const Node& node) {
  const bool by_channel = node.op.ends_with("per_channel");
  const Value* from = node.arg(0).tensor();
  const TensorType type = node.output()->type;
  const auto listed = [&node, by_channel](size_t arg) {
    std::vector<double> numbers;
    if (!by_channel) return std::vector<double>{*node.arg(arg).number()};
    const Array& array = *node.arg(arg).tensor()->data;
    for (uint64_t i = 0; i < files::element_count(array); ++i) numbers.push_back(files::element(array, i));
    return numbers;
  };
  const std::vector<double> scales = listed(1), zero_points = listed(2);
  int64_t inner = type.numel();
  if (by_channel) {
    inner = 1;
    for (size_t i = wrap(*node.arg(3).get<int64_t>(), type.sizes.size(), "axis") + 1; i < type.sizes.size(); ++i) {
      inner *= type.sizes[i];
    }
  }
  return [=](const FloatRunner::Lookup& at, Outputs& out) {
    out[0] = empty_of(type);
    const Array& q = at(from);
    float* y = floats(out[0]);
    if (!by_channel && q.dtype == DType::kInt8) {
      const auto* bytes = reinterpret_cast<const int8_t*>(q.bytes.data());
      const auto scale = static_cast<float>(scales[0]), zero_point = static_cast<float>(zero_points[0]);
      for (int64_t i = 0, count = type.numel(); i < count; ++i)
        y[i] = (static_cast<float>(bytes[i]) - zero_point) * scale;
      return;
    }
    for (int64_t i = 0; i < type.numel(); ++i) {
      const size_t c = static_cast<size_t>(i / inner) % scales.size();
      y[i] = static_cast<float>(files::element(q, static_cast<uint64_t>(i)) - zero_points[c]) *
             static_cast<float>(scales[c]);
    }
  };
}

bool is_one_of(const std::string& op, std::initializer_list<const char*> ops) {
  return std::any_of(ops.begin(), ops.end(), [&op](const char* one) { return op == one; });
}

Step native_step(const Node& node) {
  const std::string& op = node.op;
  if (is_one_of(op, {"aten::reshape", "aten::view", "aten::view_copy", "aten::_unsafe_view", "aten::contiguous",
                     "aten::flatten.using_ints", "aten::unflatten.int", "aten::clone", "aten::alias", "aten::detach",
                     "aten::lift_fresh_copy", "aten::dropout", "aten::dropout_", "aten::squeeze", "aten::squeeze.dim",
                     "aten::squeeze.dims", "aten::unsqueeze", "aten::identity", "aten::feature_dropout"})) {
    return copy_step(node);
  }
  if (op == "quantized_decomposed::quantize_per_tensor") return quantize_step(node);
  if (op.starts_with("quantized_decomposed::dequantize_per_")) return dequantize_step(node);
  if (!all_float32(node)) return nullptr;
  if (is_one_of(op, {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::convolution", "aten::conv_transpose1d",
                     "aten::conv_transpose2d.input"})) {
    return conv_step(node);
  }
  if (op == "aten::linear") return linear_step(node);
  if (op == "aten::bmm" || op == "aten::matmul" || op == "aten::mm") return matmul_step(node);
  if (op == "aten::batch_norm") return batch_norm_step(node);
  if (op == "aten::relu" || op == "aten::relu_") {
    return unary_step(node, [](float x) { return x < 0 ? 0.0f : x; });
  }
  if (op == "aten::hardtanh" || op == "aten::hardtanh_" || op == "aten::clamp" || op == "aten::clamp_") {
    const auto low = static_cast<float>(node.arg(1).number().value_or(-std::numeric_limits<double>::infinity()));
    const auto high = static_cast<float>(node.arg(2).number().value_or(std::numeric_limits<double>::infinity()));
    return unary_step(node, [low, high](float x) { return std::min(std::max(x, low), high); });
  }
  if (op == "aten::relu6" || op == "aten::relu6_") {
    return unary_step(node, [](float x) { return std::min(std::max(x, 0.0f), 6.0f); });
  }
  if (op == "aten::hardswish" || op == "aten::hardswish_") {
    return unary_step(node, [](float x) { return x * std::min(std::max(x + 3.0f, 0.0f), 6.0f) / 6.0f; });
  }
  if (op == "aten::hardsigmoid" || op == "aten::hardsigmoid_") {
    return unary_step(node, [](float x) { return std::min(std::max(x + 3.0f, 0.0f), 6.0f) / 6.0f; });
  }
  return nullptr;
}

// A graph of this node alone.
struct Alone {
  Graph graph;
  std::vector<const Value*> inputs;
  std::unique_ptr<Evaluator> evaluator;
};

Step runtime_step(const Node& node) {
  auto alone = std::make_shared<Alone>();
  Arguments args = node.args();
  std::map<const Value*, Value*> copies;
  for (Argument& argument : args) {
    argument.each_tensor([&](Value*& value) {
      Value*& copy = copies[value];
      if (copy == nullptr && value->is_constant()) {
        copy = alone->graph.add_constant(value->name, value->data);
      } else if (copy == nullptr) {
        copy = alone->graph.add_input(value->name, {value->type.dtype, value->type.sizes, {}});
        alone->inputs.push_back(value);
      }
      value = copy;
    });
  }
  std::vector<TensorType> types;
  for (const Value* output : node.outputs()) types.push_back({output->type.dtype, output->type.sizes, {}});
  const Node* made = alone->graph.add_node(nullptr, node.op, std::move(args), types, node.name);
  for (Value* output : made->outputs()) alone->graph.add_output(output);
  try {
    decompose(alone->graph);
    decompose_functions(alone->graph);
    fold_constants(alone->graph);
    alone->evaluator = std::make_unique<Evaluator>(alone->graph, alone->graph.outputs());
  } catch (const files::Failure& failure) {
    fail(describe(node), ": cannot be calibrated: ", failure.what());
  }
  return [alone](const FloatRunner::Lookup& at, Outputs& out) {
    std::vector<Array> inputs;
    for (const Value* value : alone->inputs) inputs.push_back(at(value));
    out = (*alone->evaluator)(inputs);
  };
}

}  // namespace

struct FloatRunner::State {
  const Graph* graph;
  std::vector<std::pair<const Node*, Step>> steps;
  std::vector<std::vector<const Value*>> last_used;  // by step: values that nobody needs after it
  std::unordered_map<const Value*, Array> values;
  std::unordered_map<const Value*, Array> states;
};

FloatRunner::FloatRunner(const Graph& graph) : state_(std::make_unique<State>()) {
  state_->graph = &graph;
  for (const auto& node : graph.nodes()) {
    Step step = native_step(*node);
    if (step == nullptr) step = runtime_step(*node);
    state_->steps.emplace_back(node.get(), std::move(step));
  }
  std::unordered_map<const Value*, size_t> last;
  for (size_t i = 0; i < state_->steps.size(); ++i) {
    for (Argument argument : state_->steps[i].first->args()) {
      argument.each_tensor([&last, i](Value*& value) {
        if (value->kind == Value::Kind::kNode) last[value] = i;
      });
    }
  }
  for (const Value* output : graph.outputs()) last.erase(output);
  for (const StateUpdate& update : graph.state_updates()) last.erase(update.update);
  state_->last_used.resize(state_->steps.size());
  for (const auto& [value, at] : last) state_->last_used[at].push_back(value);
  for (const Value* value : graph.states()) {
    state_->states[value] = value->data != nullptr ? *value->data : empty_of(value->type);
  }
}
FloatRunner::~FloatRunner() = default;
FloatRunner::FloatRunner(FloatRunner&&) noexcept = default;

std::vector<Array> FloatRunner::run(std::span<const Array> inputs, const Watcher& watcher) {
  State& s = *state_;
  const Graph& graph = *s.graph;
  if (inputs.size() != graph.inputs().size()) {
    fail("the model takes ", graph.inputs().size(), " inputs, but a sample has ", inputs.size());
  }
  const Lookup at = [&s, &graph, &inputs](const Value* value) -> const Array& {
    if (value->is_constant()) return *value->data;
    if (value->kind == Value::Kind::kState) return s.states.at(value);
    if (value->kind == Value::Kind::kInput) {
      const auto& all = graph.inputs();
      return inputs[static_cast<size_t>(std::find(all.begin(), all.end(), value) - all.begin())];
    }
    return s.values.at(value);
  };
  Outputs outputs;
  for (size_t i = 0; i < s.steps.size(); ++i) {
    const auto& [node, step] = s.steps[i];
    if (watcher.before) watcher.before(*node, at);
    outputs.assign(node->outputs().size(), {});
    step(at, outputs);
    for (size_t o = 0; o < outputs.size(); ++o) s.values[node->output(o)] = std::move(outputs[o]);
    if (watcher.after) watcher.after(*node, at);
    for (const Value* value : s.last_used[i]) s.values.erase(value);
  }
  std::vector<Array> results;
  for (const Value* output : graph.outputs()) results.push_back(at(output));
  for (const StateUpdate& update : graph.state_updates()) s.states[update.state] = at(update.update);
  s.values.clear();
  return results;
}

}  // namespace wick::compiler
