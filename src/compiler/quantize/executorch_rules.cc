#include "compiler/quantize/executorch_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "compiler/quantize/memory_format.h"
#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

using Names = std::set<std::string, std::less<>>;
using Pattern = std::vector<Node*>;
using Group = QuantizePlan::Group;

const Names kActivations = {"aten::relu",      "aten::relu_", "aten::hardtanh",
                            "aten::hardtanh_", "aten::clamp", "aten::clamp_"};
const Names kPoolActivations = {"aten::relu", "aten::hardtanh", "aten::clamp"};
const Names kHardsigmoids = {"aten::hardsigmoid", "aten::hardsigmoid_"};
const Names kConvolutions = {"aten::conv2d", "aten::conv_transpose2d.input"};
const Names kMaxPools = {"aten::max_pool2d", "aten::max_pool2d_with_indices"};
const Names kAddsAndMuls = {"aten::add.Tensor",  "aten::add_.Tensor", "aten::mul.Tensor",
                            "aten::mul_.Tensor", "aten::hardswish",   "aten::hardswish_"};
const Names kTables = {"aten::sigmoid", "aten::sigmoid_", "aten::tanh", "aten::tanh_",
                       "aten::silu",    "aten::silu_",    "aten::gelu"};
const Names kSoftmaxes = {"aten::_softmax", "aten::softmax.int"};
const Names kDivisions = {"aten::div.Tensor", "aten::div_.Tensor"};

// Operators whose inputs and outputs share parameters when a neighbour is quantized.
const Names kSharing = {"aten::clone",
                        "aten::lift_fresh_copy",
                        "aten::detach_",
                        "aten::alias",
                        "aten::alias_copy",
                        "aten::copy_",
                        "aten::detach_copy",
                        "aten::unfold_copy",
                        "aten::unbind.int",
                        "aten::minimum",
                        "aten::maximum",
                        "aten::min.dim",
                        "aten::max.dim",
                        "aten::amin",
                        "aten::amax",
                        "aten::permute",
                        "aten::permute_copy",
                        "aten::transpose.int",
                        "aten::transpose_copy.int",
                        "aten::t_copy",
                        "aten::t",
                        "aten::repeat",
                        "aten::repeat_interleave.self_int",
                        "aten::expand_copy",
                        "aten::expand",
                        "aten::select.int",
                        "aten::select_copy.int",
                        "aten::slice.Tensor",
                        "aten::slice_copy.Tensor",
                        "aten::split.Tensor",
                        "aten::split_with_sizes",
                        "aten::split_copy.Tensor",
                        "aten::tile",
                        "aten::flip",
                        "aten::index_select",
                        "aten::index_put",
                        "aten::index_put_",
                        "aten::index_copy",
                        "aten::index_copy_",
                        "aten::contiguous",
                        "aten::as_strided_copy",
                        "aten::pixel_shuffle",
                        "aten::pixel_unshuffle",
                        "aten::cat",
                        "aten::concatenate",
                        "aten::stack",
                        "aten::dropout",
                        "aten::dropout_",
                        "aten::chunk",
                        "aten::index.Tensor",
                        "aten::gather",
                        "aten::squeeze",
                        "aten::squeeze_copy",
                        "aten::squeeze_copy.dim",
                        "aten::squeeze.dim",
                        "aten::squeeze.dims",
                        "aten::squeeze_.dim",
                        "aten::unsqueeze",
                        "aten::unsqueeze_copy",
                        "aten::reshape",
                        "aten::view",
                        "aten::view_as",
                        "aten::view_copy",
                        "aten::_unsafe_view",
                        "aten::unflatten.int",
                        "aten::flatten.using_ints",
                        "aten::pad",
                        "aten::constant_pad_nd",
                        "aten::clamp",
                        "aten::clamp.Tensor",
                        "aten::hardtanh",
                        "aten::hardtanh_",
                        "aten::relu",
                        "aten::relu_",
                        "aten::eq.Tensor",
                        "aten::eq.Scalar",
                        "aten::ne.Tensor",
                        "aten::ne.Scalar",
                        "aten::ge.Tensor",
                        "aten::ge.Scalar",
                        "aten::gt.Tensor",
                        "aten::gt.Scalar",
                        "aten::le.Tensor",
                        "aten::le.Scalar",
                        "aten::lt.Tensor",
                        "aten::lt.Scalar",
                        "aten::where.self"};

constexpr QParams kSoftmaxOutput = {1.0 / 256, -128};

bool is_float32(const Value* value) { return value->type.dtype == DType::kFloat32; }

// Distinct tensors that a node reads, in order.
std::vector<const Value*> read_by(const Node& node) {
  std::vector<const Value*> values;
  for (Argument argument : node.args()) {
    argument.each_tensor([&values](Value*& value) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    });
  }
  return values;
}

class Rules {
 public:
  explicit Rules(const Graph& graph) : graph_(graph), formats_(graph) {
    size_t index = 0;
    for (const auto& node : graph.nodes()) place_[node.get()] = ++index;
  }

  QuantizePlan plan() {
    match([](const Node& node) {
      return kConvolutions.contains(node.op) || kActivations.contains(node.op) || kHardsigmoids.contains(node.op);
    });
    for (const Value* input : graph_.inputs()) {
      if (is_float32(input)) plan_.set_made(input, plan_.add_group());
    }
    match([](const Node&) { return true; });
    for (const Value* output : graph_.outputs()) {
      if (is_float32(output)) plan_.set_read(output, nullptr, plan_.add_group());
    }
    for (const auto& node : graph_.nodes()) {
      if (kSharing.contains(node->op) && !annotated_.contains(node.get())) share(node.get());
    }
    plan_.unite_made_and_read();
    return std::move(plan_);
  }

 private:
  // Longest patterns first, over the nodes that `listed` names; a pattern is a node or two where the next node of the
  // list alone reads the first.
  template <typename Listed>
  void match(Listed listed) {
    Pattern nodes;
    for (const auto& node : graph_.nodes()) {
      if (listed(*node)) nodes.push_back(node.get());
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool chained = i + 1 < nodes.size() && nodes[i]->outputs().size() == 1 &&
                           graph_.use_count(nodes[i]->output()) == 1 &&
                           nodes[i]->output()->users() == std::vector<Node*>{nodes[i + 1]};
      if (chained && accepts({nodes[i], nodes[i + 1]})) {
        annotate({nodes[i], nodes[i + 1]});
        ++i;
      } else if (accepts({nodes[i]})) {
        annotate({nodes[i]});
      }
    }
  }

  bool accepts(const Pattern& pattern) const {
    for (const Node* node : pattern) {
      if (annotated_.contains(node)) return false;
    }
    return is_known(pattern) && fits(pattern);
  }

  static bool is_known(const Pattern& pattern) {
    const std::string& head = pattern[0]->op;
    if (pattern.size() == 2) {
      const std::string& tail = pattern[1]->op;
      if (head == "aten::add.Tensor") return kActivations.contains(tail);
      if (kMaxPools.contains(head)) return kPoolActivations.contains(tail);
      if (head != "aten::linear" && !kConvolutions.contains(head)) return false;
      return kActivations.contains(tail) || kHardsigmoids.contains(tail);
    }
    return head == "aten::linear" || head == "aten::avg_pool2d" || head == "aten::bmm" || kAddsAndMuls.contains(head) ||
           kConvolutions.contains(head) || kTables.contains(head) || kSoftmaxes.contains(head) ||
           kMaxPools.contains(head) || kDivisions.contains(head);
  }

  bool fits(const Pattern& pattern) const {
    const Node& head = *pattern[0];
    if (kAddsAndMuls.contains(head.op)) return operands_fit(head);
    if (kDivisions.contains(head.op)) {
      const auto values = read_by(head);
      return values.size() != 2 || values[0]->type.sizes == values[1]->type.sizes;
    }
    if (kConvolutions.contains(head.op)) {
      for (const Node* node : pattern) {
        if (!formats_.is_channels_last(node->output())) return false;
      }
      return head.op == "aten::conv2d" || transposed_fits(head);
    }
    if (kSoftmaxes.contains(head.op)) {
      const size_t rank = head.output()->type.sizes.size();
      const size_t dim = wrap(*head.arg(1).get<int64_t>(), rank, "dim");
      return dim == (formats_.is_channels_last(head.output()) ? 1 : rank - 1);
    }
    if (head.op == "aten::avg_pool2d") return !*head.arg(4).get<bool>();
    if (head.op == "aten::bmm") return read_by(head).size() == 2;
    return true;
  }

  bool operands_fit(const Node& node) const {
    const auto values = read_by(node);
    if (values.size() != 2) return true;
    const Shape &a = values[0]->type.sizes, &b = values[1]->type.sizes;
    if (a == b) return true;
    if (a.size() != b.size() || !formats_.is_channels_last(values[0]) || !formats_.is_channels_last(values[1])) {
      return false;
    }
    return a[1] == b[1] && (values[0]->type.numel() == a[1] || values[1]->type.numel() == b[1]);
  }

  static bool transposed_fits(const Node& node) {
    const auto all = [&node](size_t arg, int64_t wanted) {
      const Ints& list = *node.arg(arg).get<Ints>();
      return std::all_of(list.begin(), list.end(), [wanted](int64_t value) { return value == wanted; });
    };
    return all(5, 0) && *node.arg(6).get<int64_t>() == 1 && all(7, 1);
  }

  void annotate(const Pattern& pattern) {
    for (Node* node : pattern) {
      annotated_.insert(node);
      const bool has_weights = node->op == "aten::linear" || kConvolutions.contains(node->op);
      if (has_weights) add_weights(*node);
      for (const Value* value : read_by(*node)) {
        if (!is_float32(value) || (has_weights && is_parameter(*node, value))) continue;
        const Node* producer = value->producer();
        if (std::find(pattern.begin(), pattern.end(), producer) != pattern.end()) continue;
        plan_.set_read(value, node, plan_.add_group());
      }
    }
    const Node& head = *pattern[0];
    const Value* output = pattern.back()->output();
    if (!is_float32(output)) return;
    const bool pool = head.op == "aten::avg_pool2d" || kMaxPools.contains(head.op);
    if (pool) {
      plan_.set_made(output, *plan_.read(head.arg(0).tensor()));
    } else if (kSoftmaxes.contains(head.op)) {
      plan_.set_made(output, plan_.add_group(kSoftmaxOutput));
    } else {
      plan_.set_made(output, plan_.add_group());
    }
  }

  static bool is_parameter(const Node& node, const Value* value) {
    return value->is_constant() && (value == node.arg(1).tensor() || value == node.arg(2).tensor());
  }

  void add_weights(const Node& node) {
    if (!node.arg(1).tensor()->is_constant()) return;
    QuantizePlan::Weights weights;
    weights.axis = node.op == "aten::linear" ? -1 : node.op == "aten::conv2d" ? 0 : 1;
    if (node.arg(2).tensor() != nullptr && node.arg(2).tensor()->is_constant()) weights.bias_arg = 2;
    plan_.weights[&node] = weights;
  }

  // All connected nodes that only move or compare values share the parameters of the first quantized neighbour.
  void share(Node* root) {
    std::vector<Node*> cluster = {root};
    std::unordered_set<const Node*> inside = {root};
    std::vector<Group> neighbours;
    const auto join = [&](Node* node) {
      if (node == nullptr || !kSharing.contains(node->op) || annotated_.contains(node)) return;
      if (inside.insert(node).second) cluster.push_back(node);
    };
    // An output of an operator with several, that does not share itself, stands for a node of its own in PyTorch; a
    // cluster that starts with one has no input to share with.
    size_t first_piece = SIZE_MAX;
    for (size_t i = 0; i < cluster.size(); ++i) {
      for (const Value* value : read_by(*cluster[i])) {
        Node* producer = value->producer();
        if (producer != nullptr && producer->outputs().size() > 1 && !kSharing.contains(producer->op)) {
          first_piece = std::min(first_piece, place_.at(producer));
        }
        join(producer);
        if (const Group* made = plan_.made(value)) neighbours.push_back(*made);
      }
      for (const Value* output : cluster[i]->outputs()) {
        for (Node* user : output->users()) {
          join(user);
          if (plan_.reads(user, output)) neighbours.push_back(*plan_.read(output));
        }
        if (plan_.reads(nullptr, output)) neighbours.push_back(*plan_.read(output));
      }
    }
    if (neighbours.empty()) return;
    const Node* first = *std::min_element(cluster.begin(), cluster.end(),
                                          [this](const Node* a, const Node* b) { return place_.at(a) < place_.at(b); });
    const auto inputs = read_by(*first);
    if (first_piece < place_.at(first) || std::none_of(inputs.begin(), inputs.end(), is_float32)) return;
    const Group group = plan_.add_group(plan_.fixed(neighbours[0]));
    for (const Node* node : cluster) {
      annotated_.insert(node);
      for (const Value* value : read_by(*node)) {
        if (is_float32(value)) plan_.set_read(value, node, group);
      }
      for (const Value* output : node->outputs()) {
        if (is_float32(output) && graph_.use_count(output) > 0) plan_.set_made(output, group);
      }
    }
  }

  const Graph& graph_;
  MemoryFormats formats_;
  std::unordered_map<const Node*, size_t> place_;
  std::unordered_set<const Node*> annotated_;
  QuantizePlan plan_;
};

}  // namespace

QuantizePlan plan_like_executorch(const Graph& graph) { return Rules(graph).plan(); }

}  // namespace wick::compiler
