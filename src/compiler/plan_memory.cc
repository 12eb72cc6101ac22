#include "compiler/plan_memory.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/place_blocks.h"
#include "files/failure.h"
#include "files/text_table.h"

namespace wick::compiler {

namespace {

// Operators that may give their input's bytes back as they are; whether they do is for the layouts to say.
bool is_view(const std::string& op) {
  static constexpr std::array<std::string_view, 12> kViews = {"aten::view_copy",
                                                              "aten::squeeze_copy.dim",
                                                              "aten::squeeze_copy.dims",
                                                              "aten::unsqueeze_copy",
                                                              "aten::clone",
                                                              "aten::alias_copy",
                                                              "aten::detach_copy",
                                                              "aten::lift_fresh_copy",
                                                              "aten::permute_copy",
                                                              "aten::expand_copy",
                                                              "dim_order_ops::_clone_dim_order",
                                                              "dim_order_ops::_to_dim_order_copy"};
  return std::find(kViews.begin(), kViews.end(), op) != kViews.end();
}

// Operators that read an element of each input just before they write the output's element of that place.
bool is_elementwise(const std::string& op) {
  static constexpr std::array<std::string_view, 41> kElementwise = {"aten::abs",
                                                                    "aten::add.Scalar",
                                                                    "aten::add.Tensor",
                                                                    "aten::clamp",
                                                                    "aten::cos",
                                                                    "aten::div.Scalar",
                                                                    "aten::div.Tensor",
                                                                    "aten::elu",
                                                                    "aten::erf",
                                                                    "aten::exp",
                                                                    "aten::gelu",
                                                                    "aten::hardtanh",
                                                                    "aten::leaky_relu",
                                                                    "aten::log",
                                                                    "aten::maximum",
                                                                    "aten::minimum",
                                                                    "aten::mul.Scalar",
                                                                    "aten::mul.Tensor",
                                                                    "aten::neg",
                                                                    "aten::reciprocal",
                                                                    "aten::relu",
                                                                    "aten::rsqrt",
                                                                    "aten::rsub.Scalar",
                                                                    "aten::sigmoid",
                                                                    "aten::sin",
                                                                    "aten::sqrt",
                                                                    "aten::sub.Scalar",
                                                                    "aten::sub.Tensor",
                                                                    "aten::tanh",
                                                                    "aten::floor",
                                                                    "aten::ceil",
                                                                    "aten::round",
                                                                    "aten::sign",
                                                                    "aten::hardsigmoid",
                                                                    "aten::silu",
                                                                    "aten::hardswish",
                                                                    "cortex_m::maximum",
                                                                    "cortex_m::minimum",
                                                                    "cortex_m::quantized_activation",
                                                                    "cortex_m::quantized_add",
                                                                    "cortex_m::quantized_mul"};
  return std::find(kElementwise.begin(), kElementwise.end(), op) != kElementwise.end();
}

// Strides in elements; dimensions of size 1 lie anywhere and get 0.
std::vector<int64_t> strides_of(const TensorType& type) {
  std::vector<int64_t> strides(type.sizes.size());
  int64_t step = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    const size_t dim = type.dim_order.empty() ? i : type.dim_order[i];
    strides[dim] = type.sizes[dim] == 1 ? 0 : step;
    step *= std::max<int64_t>(type.sizes[dim], 1);
  }
  return strides;
}

// Strides of the dimensions that are not 1, in logical order, with their sizes: equal lists are equal in memory.
std::vector<std::pair<int64_t, int64_t>> memory_form(const TensorType& type) {
  std::vector<std::pair<int64_t, int64_t>> form;
  const std::vector<int64_t> strides = strides_of(type);
  for (size_t i = 0; i < strides.size(); ++i) {
    if (type.sizes[i] != 1) form.push_back({type.sizes[i], strides[i]});
  }
  return form;
}

bool is_contiguous(const TensorType& type) {
  return memory_form(type) == memory_form(TensorType{type.dtype, type.sizes, {}});
}

// True when the node's output is its input, byte for byte.
bool moves_nothing(const Node& node) {
  const Value* from = node.arg(0).tensor();
  if (!is_view(node.op) || from == nullptr || node.outputs().size() != 1) return false;
  const TensorType &a = from->type, &b = node.output()->type;
  if (a.dtype != b.dtype || a.numel() != b.numel()) return false;
  if (node.op == "aten::view_copy") return is_contiguous(a) && is_contiguous(b);
  if (node.op == "aten::permute_copy") {
    // The input as seen through the permutation.
    const Ints* dims = node.arg(1).get<Ints>();
    if (dims == nullptr) return false;
    const std::vector<int64_t> strides = strides_of(a), out_strides = strides_of(b);
    for (size_t i = 0; i < dims->size(); ++i) {
      const size_t dim =
          static_cast<size_t>((*dims)[i] < 0 ? (*dims)[i] + static_cast<int64_t>(dims->size()) : (*dims)[i]);
      if (b.sizes[i] != 1 && strides[dim] != out_strides[i]) return false;
    }
    return true;
  }
  return memory_form(a) == memory_form(b);
}

class Planner {
 public:
  Planner(const Graph& graph, const std::vector<Value*>& outputs, const PlanOptions& options)
      : graph_(graph), outputs_(outputs), options_(options) {}

  MemoryPlan operator()() {
    collect();
    if (options_.views) join_views();
    if (options_.in_place) join_in_place();
    place();
    return std::move(plan_);
  }

 private:
  struct Storage {
    const Value* value;
    int64_t bytes, first, last;
    bool fixed = false;  // state: keeps its bytes whatever happens
    size_t owner;        // index of the storage that it is part of; itself when it has its own
  };

  size_t add(const Value* value, int64_t first, int64_t last) {
    index_[value] = storages_.size();
    const int64_t bytes = (value->type.bytes() + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
    storages_.push_back({value, bytes, first, last, false, storages_.size()});
    return storages_.size() - 1;
  }

  void collect() {
    int64_t position = 0;
    for (const auto& node : graph_.nodes()) position_[node.get()] = position++;
    end_ = position;
    for (const Value* state : graph_.states()) storages_[add(state, -1, end_)].fixed = true;
    for (const Value* input : graph_.inputs()) add(input, -1, last_use(input, -1));
    for (const auto& node : graph_.nodes()) {
      for (const Value* value : node->outputs()) {
        const int64_t here = position_[node.get()];
        const int64_t last = last_use(value, here);
        add(value, node->op == kAllocOp ? first_use(value, here) : here, last);
      }
    }
    for (const Value* value : outputs_) outlive(value);
    for (const StateUpdate& update : graph_.state_updates()) outlive(update.update);
  }

  void outlive(const Value* value) {
    if (const auto at = index_.find(value); at != index_.end()) storages_[at->second].last = end_;
  }
  int64_t last_use(const Value* value, int64_t at_least) const {
    for (const Node* user : value->users()) at_least = std::max(at_least, position_.at(user));
    return at_least;
  }
  int64_t first_use(const Value* value, int64_t otherwise) const {
    if (value->users().empty()) return otherwise;
    int64_t first = end_;
    for (const Node* user : value->users()) first = std::min(first, position_.at(user));
    return first;
  }

  size_t owner_of(const Value* value) {
    size_t i = index_.at(value);
    while (storages_[i].owner != i) i = storages_[i].owner = storages_[storages_[i].owner].owner;
    return i;
  }
  // `part` becomes one with `whole`.
  void join(size_t whole, size_t part) {
    Storage &a = storages_[whole], &b = storages_[part];
    a.first = std::min(a.first, b.first);
    a.last = std::max(a.last, b.last);
    a.bytes = std::max(a.bytes, b.bytes);
    b.owner = whole;
  }

  void join_views() {
    for (const auto& node : graph_.nodes()) {
      if (node->args().empty() || !moves_nothing(*node)) continue;
      const Value* from = node->arg(0).tensor();
      if (!index_.contains(from) || storages_[owner_of(from)].fixed) continue;
      join(owner_of(from), owner_of(node->output()));
      plan_.elided.insert(node.get());
    }
  }

  // The output may lie where an input does that ends here, has the same bytes in the same order, and that no other
  // argument shares.
  void join_in_place() {
    for (const auto& node : graph_.nodes()) {
      if (!is_elementwise(node->op) || node->outputs().size() != 1) continue;
      const Value* to = node->output();
      const int64_t here = position_[node.get()];
      for (const Argument& argument : node->args()) {
        const Value* from = argument.tensor();
        if (from == nullptr || !index_.contains(from)) continue;
        const size_t whole = owner_of(from);
        const bool same_bytes = from->type.dtype == to->type.dtype && from->type.sizes == to->type.sizes &&
                                strides_of(from->type) == strides_of(to->type);
        if (!same_bytes || storages_[whole].fixed || storages_[whole].last != here || shares(*node, from)) continue;
        join(whole, owner_of(to));
        ++plan_.in_place;
        break;
      }
    }
  }

  // Another argument lies in the same bytes, seen another way.
  bool shares(const Node& node, const Value* from) {
    for (const Argument& argument : node.args()) {
      const Value* other = argument.tensor();
      if (other == nullptr || other == from || !index_.contains(other)) continue;
      if (owner_of(other) == owner_of(from)) return true;
    }
    return false;
  }

  void place() {
    std::vector<Block> blocks;
    std::vector<size_t> block_of(storages_.size());
    for (size_t i = 0; i < storages_.size(); ++i) {
      if (storages_[i].owner != i) continue;
      block_of[i] = blocks.size();
      blocks.push_back({storages_[i].bytes, storages_[i].first, storages_[i].last, 0});
    }
    plan_.lower_bound_bytes = most_in_use(blocks, &plan_.peak_node);
    plan_.bytes = place_blocks(blocks);
    for (const Storage& storage : storages_) {
      plan_.offsets[storage.value] = blocks[block_of[owner_of(storage.value)]].offset;
    }
    for (const Storage& storage : storages_) {
      const bool own = storages_[storage.owner].value == storage.value;
      if (own && storage.first <= plan_.peak_node && storage.last >= plan_.peak_node) {
        plan_.witnesses.push_back(storage.value);
      }
    }
    std::stable_sort(plan_.witnesses.begin(), plan_.witnesses.end(),
                     [](const Value* a, const Value* b) { return a->type.bytes() > b->type.bytes(); });
  }

  const Graph& graph_;
  const std::vector<Value*>& outputs_;
  const PlanOptions& options_;
  MemoryPlan plan_;
  std::vector<Storage> storages_;
  std::unordered_map<const Value*, size_t> index_;
  std::unordered_map<const Node*, int64_t> position_;
  int64_t end_ = 0;
};

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const std::vector<Value*>& outputs, const PlanOptions& options) {
  return Planner(graph, outputs, options)();
}

std::string describe_peak(const Graph& graph, const MemoryPlan& plan) {
  std::string text = "peak of " + files::grouped(static_cast<uint64_t>(plan.lower_bound_bytes)) + " bytes at ";
  const std::vector<Node*> nodes = graph.node_list();
  const size_t at = static_cast<size_t>(std::max<int64_t>(plan.peak_node, 0));
  text += at < nodes.size() ? describe(*nodes[at]) : std::string("the outputs");
  for (size_t i = 0; i < plan.witnesses.size(); ++i) {
    text += (i == 0 ? ": " : ", ") + files::grouped(static_cast<uint64_t>(plan.witnesses[i]->type.bytes())) + " " +
            plan.witnesses[i]->name;
  }
  return text;
}

}  // namespace wick::compiler
