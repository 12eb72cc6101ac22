#include "compiler/quantize/wick_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <unordered_set>

#include "compiler/lower_cortex_m/unary.h"

namespace wick::compiler {

namespace {

using Names = std::set<std::string, std::less<>>;
using Group = QuantizePlan::Group;

// Only move bytes, or choose among them: what goes in and comes out shares parameters.
const Names kMoves = {"aten::alias",
                      "aten::amax",
                      "aten::amin",
                      "aten::avg_pool2d",
                      "aten::cat",
                      "aten::chunk",
                      "aten::clone",
                      "aten::constant_pad_nd",
                      "aten::contiguous",
                      "aten::detach",
                      "aten::dropout",
                      "aten::expand",
                      "aten::expand_copy",
                      "aten::flatten.using_ints",
                      "aten::flip",
                      "aten::gather",
                      "aten::index_select",
                      "aten::lift_fresh_copy",
                      "aten::max_pool2d",
                      "aten::maximum",
                      "aten::minimum",
                      "aten::pad",
                      "aten::permute",
                      "aten::permute_copy",
                      "aten::pixel_shuffle",
                      "aten::pixel_unshuffle",
                      "aten::repeat",
                      "aten::reshape",
                      "aten::select.int",
                      "aten::select_copy.int",
                      "aten::slice.Tensor",
                      "aten::slice_copy.Tensor",
                      "aten::split.Tensor",
                      "aten::split_copy.Tensor",
                      "aten::split_with_sizes",
                      "aten::split_with_sizes_copy",
                      "aten::squeeze",
                      "aten::squeeze.dim",
                      "aten::squeeze.dims",
                      "aten::squeeze_copy",
                      "aten::squeeze_copy.dim",
                      "aten::squeeze_copy.dims",
                      "aten::stack",
                      "aten::t",
                      "aten::t_copy",
                      "aten::tile",
                      "aten::transpose.int",
                      "aten::transpose_copy.int",
                      "aten::unbind.int",
                      "aten::unflatten.int",
                      "aten::unsqueeze",
                      "aten::unsqueeze_copy",
                      "aten::upsample_nearest2d.vec",
                      "aten::view",
                      "aten::view_copy",
                      "aten::_unsafe_view"};

const Names kBounds = {"aten::relu", "aten::relu6", "aten::hardtanh", "aten::clamp"};

bool is_float32(const Value* value) { return value->type.dtype == DType::kFloat32; }
bool is_conv(const Node& node) { return node.op == "aten::conv2d" || node.op == "aten::conv_transpose2d.input"; }

std::vector<Value*> read_by(const Node& node) {
  std::vector<Value*> values;
  for (Argument argument : node.args()) {
    argument.each_tensor([&values](Value*& value) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    });
  }
  return values;
}

bool is_table(const Node& node) { return unary_function(node) != nullptr; }

// Beyond this range of its input an operator's output does not change, or by less than INT8 shows.
std::optional<QuantizePlan::Limits> saturation_of(const Node& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string& op = node.op;
  if (op == "aten::hardswish") return QuantizePlan::Limits{-3, kInfinity};
  if (op == "aten::hardsigmoid") return QuantizePlan::Limits{-3, 3};
  if (op == "aten::relu") return QuantizePlan::Limits{0, kInfinity};
  if (op == "aten::relu6") return QuantizePlan::Limits{0, 6};
  if (op == "aten::sigmoid") return QuantizePlan::Limits{-8, 8};
  if (op == "aten::tanh") return QuantizePlan::Limits{-4, 4};
  if (op == "aten::gelu") return QuantizePlan::Limits{-4, kInfinity};
  return std::nullopt;
}

bool all_of_list(const Node& node, size_t arg, int64_t wanted) {
  const Ints& list = *node.arg(arg).get<Ints>();
  return std::all_of(list.begin(), list.end(), [wanted](int64_t value) { return value == wanted; });
}

// A linear layer with a scale for each output is lowered to a 1x1 convolution and carries a multiplier and shift for
// each; its output must gain this much to be worth it.
constexpr double kWorthwhileGainDb = 0.5;
// Power of the noise that int8 inputs bring along, relative to their own: what weights' noise has to be seen above.
constexpr double kInputNoise = 1.6e-4;  // 38 dB

// Power of the rounding errors of [out, in] weights relative to that of the weights.
double weight_noise(const Value* weight, bool by_channel) {
  const auto* w = reinterpret_cast<const float*>(weight->data->bytes.data());
  const int64_t rows = weight->type.sizes[0], columns = weight->type.sizes[1];
  std::vector<double> largest(static_cast<size_t>(rows));
  double power = 0, noise = 0;
  for (int64_t i = 0; i < rows * columns; ++i) {
    double& row = largest[static_cast<size_t>(i / columns)];
    row = std::max(row, static_cast<double>(std::abs(w[i])));
    power += static_cast<double>(w[i]) * static_cast<double>(w[i]);
  }
  const double whole = *std::max_element(largest.begin(), largest.end());
  for (const double row : largest) {
    const double step = (by_channel ? row : whole) / 127;
    noise += step * step / 12 * static_cast<double>(columns);
  }
  return power > 0 ? noise / power : 0;
}

bool gains_by_channel(const Value* weight) {
  if (weight->type.sizes[0] < 2) return false;
  const double one = weight_noise(weight, false), many = weight_noise(weight, true);
  return 10 * std::log10((one + kInputNoise) / (many + kInputNoise)) >= kWorthwhileGainDb;
}

bool has_single_row(const Node& linear) {
  return linear.arg(0).tensor()->type.numel() == linear.arg(1).tensor()->type.sizes[1];
}

class Rules {
 public:
  Rules(const Graph& graph, const WickRules& rules) : graph_(graph), rules_(rules) {}

  QuantizePlan plan() {
    plan_.weight_levels = 127;
    for (const auto& node : graph_.nodes()) {
      if (computes(*node)) integer_.insert(node.get());
    }
    for (const auto& node : graph_.nodes()) {
      if (integer_.contains(node.get())) annotate(node.get());
    }
    for (const auto& node : graph_.nodes()) {
      if (is_move(*node) && !moved_.contains(node.get())) share(node.get());
    }
    bind_borders();
    plan_.unite_made_and_read();
    unite_repetitions();
    for (const auto& node : graph_.nodes()) {
      for (const Value* value : node->outputs()) limit(value);
    }
    return std::move(plan_);
  }

 private:
  bool kept(const Node& node) const { return rules_.keep_float && rules_.keep_float(node); }

  bool is_move(const Node& node) const {
    if (!kMoves.contains(node.op) || kept(node)) return false;
    if (node.op == "aten::avg_pool2d" && (*node.arg(4).get<bool>() || !node.arg(6).is_none())) return false;
    const auto values = read_by(node);
    return !values.empty() && is_float32(values[0]) && is_float32(node.output());
  }

  // Whether integers can compute the node.
  bool computes(const Node& node) const {
    if (node.outputs().size() != 1 || !is_float32(node.output()) || kept(node)) return false;
    const std::string& op = node.op;
    for (const Value* value : read_by(node)) {
      if (!is_float32(value)) return false;
    }
    if (op == "aten::linear") return node.arg(1).tensor()->is_constant();
    if (op == "aten::conv2d") return node.arg(1).tensor()->is_constant();
    if (op == "aten::conv_transpose2d.input") {
      return node.arg(1).tensor()->is_constant() && *node.arg(6).get<int64_t>() == 1 && all_of_list(node, 7, 1);
    }
    if (op == "aten::softmax.int" || op == "aten::_softmax") {
      const auto rank = static_cast<int64_t>(node.output()->type.sizes.size());
      const int64_t dim = *node.arg(1).get<int64_t>();
      return dim == -1 || dim == rank - 1;
    }
    if (op == "aten::bmm") return true;
    if (op == "aten::div.Tensor") {
      const Value *a = node.arg(0).tensor(), *b = node.arg(1).tensor();
      return is_table(node) || (a != nullptr && b != nullptr && a->type.sizes == b->type.sizes);
    }
    if (op == "aten::add.Tensor" || op == "aten::sub.Tensor" || op == "aten::mul.Tensor") return operands_fit(node);
    return is_table(node);
  }

  bool operands_fit(const Node& node) const {
    if (node.op != "aten::mul.Tensor" && node.arg(2).number() != 1.0) return is_table(node);
    const Value *a = node.arg(0).tensor(), *b = node.arg(1).tensor();
    if (a == nullptr || b == nullptr) return is_table(node);
    if (is_table(node)) return true;
    if (a->type.sizes == b->type.sizes) return true;
    const Shape &s = a->type.sizes, &t = b->type.sizes;
    return s.size() == 4 && t.size() == 4 && s[1] == t[1] && (a->type.numel() == s[1] || b->type.numel() == t[1]);
  }

  bool linear_by_channel(const Node& node) const {
    return gains_by_channel(node.arg(1).tensor()) && (rules_.per_channel_single_rows || !has_single_row(node));
  }

  // The node that fuses with `node` as its activation, or null.
  const Node* activation_of(const Node& node) const {
    const bool fuses = is_conv(node) || node.op == "aten::linear" || node.op == "aten::add.Tensor";
    if (!fuses || is_table(node) || graph_.use_count(node.output()) != 1 || node.output()->users().size() != 1)
      return nullptr;
    const Node* user = node.output()->users()[0];
    const bool bounds =
        kBounds.contains(user->op) || (user->op == "aten::hardsigmoid" && node.op != "aten::add.Tensor");
    return bounds && user->arg(0).tensor() == node.output() && integer_.contains(user) ? user : nullptr;
  }

  void annotate(const Node* node) {
    if (fused_.contains(node)) return;  // its producer has spoken for it
    const bool weighted = node->op == "aten::linear" || is_conv(*node);
    if (weighted) {
      QuantizePlan::Weights weights;
      weights.axis = node->op == "aten::conv_transpose2d.input" ? 1 : 0;
      const bool one_scale = !rules_.per_channel || (node->op == "aten::linear" && !linear_by_channel(*node));
      if (one_scale) weights.axis = -1;
      if (node->arg(2).tensor() != nullptr) weights.bias_arg = 2;
      plan_.weights[node] = weights;
    }
    for (const Value* value : read_by(*node)) {
      const bool parameter = weighted && (value == node->arg(1).tensor() || value == node->arg(2).tensor());
      // A table takes its constant as it is.
      if (parameter || (is_table(*node) && value->is_constant())) continue;
      plan_.set_read(value, node, plan_.add_group());
    }
    const Node* last = node;
    if (const Node* activation = activation_of(*node)) {
      fused_.insert(activation);
      last = activation;
    }
    const bool softmax = last->op == "aten::softmax.int" || last->op == "aten::_softmax";
    plan_.set_made(last->output(), plan_.add_group(softmax ? std::optional(QParams{1.0 / 256, -128}) : std::nullopt));
  }

  // Connected moves share parameters, and are integers when somebody around them is.
  void share(const Node* root) {
    std::vector<const Node*> cluster = {root};
    moved_.insert(root);
    bool touched = false, from_outside = true;
    std::optional<QParams> fixed;
    const auto join = [&](const Node* node) {
      if (node != nullptr && is_move(*node) && moved_.insert(node).second) cluster.push_back(node);
    };
    for (size_t i = 0; i < cluster.size(); ++i) {
      for (const Value* value : read_by(*cluster[i])) {
        join(value->producer());
        from_outside = from_outside && (value->kind == Value::Kind::kInput || value->is_constant() ||
                                        (value->producer() != nullptr && moved_.contains(value->producer())));
        if (const Group* made = plan_.made(value)) {
          touched = true;
          if (plan_.fixed(*made)) fixed = plan_.fixed(*made);
        }
      }
      for (const Value* output : cluster[i]->outputs()) {
        for (const Node* user : output->users()) {
          join(user);
          touched = touched || plan_.reads(user, output);
        }
      }
    }
    // Alone with the model's inputs, they are what the caller wants in int8.
    if (!touched && !from_outside) return;
    const bool one_source = cluster.size() == 1 && read_by(*root).size() == 1;
    const bool takes_fixed = one_source || only_fixed_sources(cluster);
    const Group group = plan_.add_group(takes_fixed ? fixed : std::nullopt);
    if (fixed && !takes_fixed) mixed_.insert(group);
    for (const Node* node : cluster) {
      integer_.insert(node);
      for (const Value* value : read_by(*node)) {
        if (is_float32(value)) plan_.set_read(value, node, group);
      }
      for (const Value* output : node->outputs()) {
        if (is_float32(output) && graph_.use_count(output) > 0) plan_.set_made(output, group);
      }
    }
  }

  // Where all readers saturate, the range need not hold more than they see.
  void limit(const Value* value) {
    if (plan_.made(value) == nullptr || value->users().empty() || graph_.is_output(value)) return;
    QuantizePlan::Limits hull{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const Node* user : value->users()) {
      const auto limits = integer_.contains(user) ? saturation_of(*user) : std::nullopt;
      if (!limits) return;
      hull = {std::min(hull.min, limits->min), std::max(hull.max, limits->max)};
    }
    plan_.limits[value] = hull;
  }

  // Whether everything that comes into these moves has parameters that are fixed.
  bool only_fixed_sources(const std::vector<const Node*>& cluster) const {
    for (const Node* node : cluster) {
      for (const Value* value : read_by(*node)) {
        const Node* producer = value->producer();
        if (producer != nullptr && std::find(cluster.begin(), cluster.end(), producer) != cluster.end()) continue;
        const Group* made = plan_.made(value);
        if (made == nullptr || !plan_.fixed(*made)) return false;
      }
    }
    return true;
  }

  // Inputs become int8 where they come in; readers of a fixed tensor take it as it is.
  void bind_borders() {
    for (const Value* input : graph_.inputs()) {
      if (const Group* read = plan_.read(input)) plan_.set_made(input, *read);
    }
    for (const auto& node : graph_.nodes()) {
      for (const Value* value : node->outputs()) {
        const Group *made = plan_.made(value), *read = plan_.read(value);
        if (made != nullptr && read != nullptr && plan_.fixed(*made) && !mixed_.contains(*read))
          plan_.unite(*made, *read);
      }
    }
  }

  // Layers that share weights are steps of one loop: the same parameters at every step make their multipliers, biases
  // and tables the same constants.
  void unite_repetitions() {
    constexpr size_t kFewestSteps = 3;  // two layers with the same weights are no loop
    std::vector<const Value*> order;
    std::unordered_map<const Value*, std::vector<const Node*>> layers;
    for (const auto& node : graph_.nodes()) {
      if (!plan_.weights.contains(node.get())) continue;
      auto& users = layers[node->arg(1).tensor()];
      if (users.empty()) order.push_back(node->arg(1).tensor());
      users.push_back(node.get());
    }
    for (const Value* weight : order) {
      const auto& steps = layers.at(weight);
      if (steps.size() < kFewestSteps) continue;
      for (const Node* step : steps) unite_steps(steps[0], step);
    }
  }

  void unite_steps(const Node* a, const Node* b) {
    if (a == b || a->op != b->op || !integer_.contains(a) || !integer_.contains(b)) return;
    if (!united_.insert({a, b}).second) return;
    const Group *read_a = plan_.read(a->arg(0).tensor()), *read_b = plan_.read(b->arg(0).tensor());
    if (read_a != nullptr && read_b != nullptr) plan_.unite(*read_a, *read_b);
    for (size_t i = 0; i < std::min(a->outputs().size(), b->outputs().size()); ++i) {
      const Value *x = a->output(i), *y = b->output(i);
      if (x->type.sizes != y->type.sizes) return;
      const Group *made_x = plan_.made(x), *made_y = plan_.made(y);
      if (made_x != nullptr && made_y != nullptr) plan_.unite(*made_x, *made_y);
      for (size_t u = 0; u < std::min(x->users().size(), y->users().size()); ++u) {
        unite_steps(x->users()[u], y->users()[u]);
      }
    }
  }

  const Graph& graph_;
  const WickRules& rules_;
  std::unordered_set<const Node*> integer_, fused_, moved_;
  std::set<std::pair<const Node*, const Node*>> united_;
  std::set<Group> mixed_;  // of moves that join fixed and other tensors
  QuantizePlan plan_;
};

}  // namespace

bool is_single_row_that_gains(const Node& node) {
  return node.op == "aten::linear" && node.arg(1).tensor()->is_constant() && has_single_row(node) &&
         gains_by_channel(node.arg(1).tensor());
}

QuantizePlan plan_for_wick(const Graph& graph, const WickRules& rules) { return Rules(graph, rules).plan(); }

}  // namespace wick::compiler
