#include "compiler/lower_cortex_m/lower.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/lower_cortex_m/rules.h"
#include "files/array.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

constexpr std::array<Rule, 9> kRules = {lower_convolution, lower_linear, lower_matmul,  lower_pool, lower_pad,
                                        lower_cat,         lower_binary, lower_softmax, lower_unary};

Node* dequantize_after(Graph& graph, Node* before, Value* q, const QParams& params) {
  return Builder(graph, before).node(kDequantize, {q, params.scale, params.zero_point, -128, 127, DType::kInt8});
}

// move(dequantize(q)) is dequantize(move(q)).
void sink_dequantize(Graph& graph) {
  for (Node* node : graph.node_list()) {
    if (!moves_elements(node->op)) continue;
    QParams params;
    Node* moved = moved_on_integers(graph, node, *node, &params);
    if (moved == nullptr) continue;
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      if (!is_float(node->output(i)->type.dtype)) {
        graph.replace_uses(node->output(i), moved->output(i));
        continue;
      }
      Node* real = dequantize_after(graph, node, moved->output(i), params);
      graph.replace_uses(node->output(i), real->output());
    }
  }
  graph.erase_dead();
}

struct Activation {
  double low, high;
};

std::optional<Activation> activation_of(const Node& node) {
  const auto bound = [&](size_t i, double otherwise) {
    return i < node.args().size() ? node.arg(i).number().value_or(otherwise) : otherwise;
  };
  if (node.op == "aten::relu") return Activation{0, HUGE_VAL};
  if (node.op == "aten::relu6") return Activation{0, 6};
  if (node.op == "aten::hardtanh" || node.op == "aten::clamp")
    return Activation{bound(1, -HUGE_VAL), bound(2, HUGE_VAL)};
  if (node.op == "aten::hardsigmoid") return Activation{0, 1};
  return std::nullopt;
}

bool takes_activation(const std::string& op) {
  static constexpr std::array<std::string_view, 10> kTake = {"aten::conv1d",           "aten::conv2d",
                                                             "aten::convolution",      "aten::conv_transpose2d.input",
                                                             "aten::conv_transpose1d", "aten::linear",
                                                             "aten::add.Tensor",       "aten::sub.Tensor",
                                                             "aten::max_pool2d",       "aten::max_pool2d_with_indices"};
  return std::find(kTake.begin(), kTake.end(), op) != kTake.end();
}

// The node in front of an activation that nothing else reads takes it in: its bounds, and for hardsigmoid (x / 6 + 1/2)
// the scale and zero point that make the convolution's result the right one.
void take_activation(Site& site) {
  const auto activation = activation_of(*site.node);
  const Value* input = activation ? site.node->arg(0).tensor() : nullptr;
  const Node* inner = input == nullptr ? nullptr : input->producer();
  if (inner == nullptr || !takes_activation(inner->op) || site.graph.use_count(input) != 1) return;
  const bool sigmoid = site.node->op == "aten::hardsigmoid";
  if (sigmoid && inner->op.find("pool") != std::string::npos) return;
  site.low = quantized_bound(activation->low, site.output);
  site.high = quantized_bound(activation->high, site.output);
  if (sigmoid) {
    const double scale = site.output.scale;
    site.output.scale = scale * 6;
    site.output.zero_point =
        std::clamp<int64_t>(site.output.zero_point + static_cast<int64_t>(std::nearbyint(1 / (2 * scale))), -128, 127);
  }
  site.node = inner;
}

Value* lowered(Site site) {
  if (const auto source = quantized(site.quantize->arg(0).tensor())) {
    return site.requantized(source->q, source->params, site.output);
  }
  if (site.node == nullptr) return nullptr;
  Site fused = site;
  take_activation(fused);
  for (const Site& candidate : {fused, site}) {
    for (const Rule rule : kRules) {
      if (Value* value = rule(candidate)) return value;
    }
    if (fused.node == site.node) break;
  }
  return nullptr;
}

// What is left of quantize and dequantize: around float operators, and constants in front of these.
void name_borders(Graph& graph) {
  for (Node* node : graph.node_list()) {
    const bool dequantize = node->op == kDequantize || node->op == kDequantizeChannel;
    if (dequantize && node->arg(0).tensor()->is_constant()) {
      const auto real = real_constant(node->output());
      if (!real) continue;
      const TensorType& type = node->output()->type;
      files::Array array{type.dtype, {type.sizes.begin(), type.sizes.end()}, {}};
      array.bytes.resize(static_cast<size_t>(type.bytes()));
      for (size_t i = 0; i < real->size(); ++i) files::set_element(array, i, (*real)[i]);
      graph.replace_uses(node->output(), graph.add_constant(node->name, std::move(array)));
    } else if (node->op == kQuantize || node->op == kDequantize) {
      const DType dtype = static_cast<DType>(*node->arg(5).get<int64_t>());
      if (dtype != DType::kInt8 && dtype != DType::kInt16) continue;
      Arguments args(node->args().begin(), node->args().begin() + 6);
      const std::string op =
          node->op == kQuantize ? "cortex_m::quantize_per_tensor" : "cortex_m::dequantize_per_tensor";
      graph.replace_uses(node->output(), Builder(graph, node)(op, std::move(args), node->name));
    }
  }
  graph.erase_dead();
}

}  // namespace

Isa isa_of_target(const std::string& target) {
  if (target == "cortex-m55" || target == "cortex-m85" || target == "cortex-m52") return Isa::kMve;
  if (target == "cortex-m4" || target == "cortex-m7" || target == "cortex-m33" || target == "cortex-m35p" ||
      target == "pico2") {
    return Isa::kDsp;
  }
  if (target == "host" || target.starts_with("cortex-m0") || target == "cortex-m3" || target == "cortex-m23") {
    return Isa::kScalar;
  }
  files::fail("target '", target, "' is not known; known are cortex-m0plus, cortex-m3, cortex-m4, cortex-m7, ",
              "cortex-m23, cortex-m33, cortex-m55, cortex-m85, pico2 and host");
}

void lower_cortex_m(Graph& graph, const LowerOptions& options) {
  sink_dequantize(graph);
  for (Node* node : graph.node_list()) {
    if (node->op != kQuantize || *node->arg(5).get<int64_t>() != static_cast<int64_t>(DType::kInt8)) continue;
    const Value* real = node->arg(0).tensor();
    const Site site{graph,
                    options,
                    node,
                    real->producer(),
                    params_of(*node),
                    -128,
                    127,
                    real->producer() == nullptr ? real->name : real->producer()->name};
    Value* value = lowered(site);
    if (value == nullptr) continue;
    value->quantization = Quantization{{site.output.scale}, {site.output.zero_point}, 0};
    graph.replace_uses(node->output(), value);
  }
  graph.erase_dead();
  name_borders(graph);
}

}  // namespace wick::compiler
