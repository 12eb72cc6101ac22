#include "compiler/assign_layouts.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

const std::vector<uint8_t> kChannelsLast = {0, 2, 3, 1};

bool is_image(const Value* value) { return value->type.sizes.size() == 4; }
bool is_last(const Value* value) { return value->type.dim_order == kChannelsLast; }

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, const std::string& op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

bool wants_channels_last(const std::string& op) {
  static constexpr std::array<std::string_view, 5> kOps = {
      "cortex_m::quantized_conv2d", "cortex_m::quantized_depthwise_conv2d", "cortex_m::quantized_transpose_conv2d",
      "cortex_m::quantized_avg_pool2d", "cortex_m::quantized_max_pool2d"};
  return is_one_of(kOps, op);
}

// Same result in either order, of the input's order.
bool takes_either(const std::string& op) {
  static constexpr std::array<std::string_view, 2> kOps = {"aten::max_pool2d_with_indices",
                                                           "aten::upsample_nearest2d.vec"};
  return is_one_of(kOps, op);
}

bool is_elementwise(const std::string& op) {
  static constexpr std::array<std::string_view, 62> kOps = {"cortex_m::quantize_per_tensor",
                                                            "cortex_m::dequantize_per_tensor",
                                                            "cortex_m::quantized_activation",
                                                            "cortex_m::quantized_add",
                                                            "cortex_m::quantized_mul",
                                                            "cortex_m::quantized_div",
                                                            "cortex_m::minimum",
                                                            "cortex_m::maximum",
                                                            "aten::abs",
                                                            "aten::add.Scalar",
                                                            "aten::add.Tensor",
                                                            "aten::clamp",
                                                            "aten::cos",
                                                            "aten::cosh",
                                                            "aten::div.Scalar",
                                                            "aten::div.Tensor",
                                                            "aten::elu",
                                                            "aten::eq.Scalar",
                                                            "aten::eq.Tensor",
                                                            "aten::erf",
                                                            "aten::exp",
                                                            "aten::expm1",
                                                            "aten::floor",
                                                            "aten::ceil",
                                                            "aten::ge.Scalar",
                                                            "aten::ge.Tensor",
                                                            "aten::gelu",
                                                            "aten::gt.Scalar",
                                                            "aten::gt.Tensor",
                                                            "aten::hardtanh",
                                                            "aten::le.Scalar",
                                                            "aten::le.Tensor",
                                                            "aten::leaky_relu",
                                                            "aten::log",
                                                            "aten::log1p",
                                                            "aten::logical_and",
                                                            "aten::logical_not",
                                                            "aten::logical_or",
                                                            "aten::lt.Scalar",
                                                            "aten::lt.Tensor",
                                                            "aten::maximum",
                                                            "aten::minimum",
                                                            "aten::mul.Scalar",
                                                            "aten::mul.Tensor",
                                                            "aten::ne.Scalar",
                                                            "aten::ne.Tensor",
                                                            "aten::neg",
                                                            "aten::pow.Tensor_Scalar",
                                                            "aten::pow.Tensor_Tensor",
                                                            "aten::reciprocal",
                                                            "aten::relu",
                                                            "aten::round",
                                                            "aten::rsqrt",
                                                            "aten::sigmoid",
                                                            "aten::sign",
                                                            "aten::silu",
                                                            "aten::sin",
                                                            "aten::sqrt",
                                                            "aten::sub.Scalar",
                                                            "aten::sub.Tensor",
                                                            "aten::tanh",
                                                            "aten::where.self"};
  return is_one_of(kOps, op);
}

bool is_order_copy(const Node& node) {
  return (node.op == "dim_order_ops::_clone_dim_order" || node.op == "dim_order_ops::_to_dim_order_copy" ||
          node.op == "aten::clone" || node.op == "aten::contiguous") &&
         node.arg(0).tensor()->type.dtype == node.output()->type.dtype;
}

class Layouts {
 public:
  Layouts(Graph& graph, const LayoutOptions& options) : graph_(graph), options_(options) {}

  void operator()() {
    forget_orders();
    for (Node* node : graph_.node_list()) assign(node);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      graph_.set_output(i, ordered(graph_.outputs()[i], output_orders_[i], nullptr));
    }
    // State is written and read in its own order.
    for (const StateUpdate& update : graph_.state_updates()) {
      Value* value = ordered(update.update, update.state->type.dim_order, nullptr);
      if (value != update.update) graph_.replace_update(update.state, value);
    }
    graph_.erase_dead();
  }

 private:
  void forget_orders() {
    for (Value* input : graph_.inputs()) {
      if (is_image(input) && options_.channels_last_inputs) input->type.dim_order = kChannelsLast;
    }
    for (const Value* output : graph_.outputs()) {
      const bool last = is_image(output) && options_.channels_last_outputs;
      output_orders_.push_back(last ? kChannelsLast : output->type.dim_order);
    }
    for (Node* node : graph_.node_list()) {
      if (is_order_copy(*node)) {
        graph_.replace_uses(node->output(), node->arg(0).tensor());
        continue;
      }
      for (Value* output : node->outputs()) output->type.dim_order.clear();
    }
    graph_.erase_dead();
  }

  // The value in another order: a copy, which the planner drops where no byte moves.
  Value* ordered(Value* value, const std::vector<uint8_t>& order, Node* before) {
    if (value->type.dim_order == order) return value;
    Value*& copy = copies_[{value, order}];
    if (copy != nullptr) return copy;
    if (value->is_constant()) {
      copy = graph_.add_constant(value->name, value->data);
    } else {
      Ints dims;
      for (size_t i = 0; i < value->type.sizes.size(); ++i) {
        dims.push_back(order.empty() ? static_cast<int64_t>(i) : static_cast<int64_t>(order[i]));
      }
      copy = Builder(graph_, before)("dim_order_ops::_clone_dim_order", {value, false, dims}, value->name + "_order");
      copy->quantization = value->quantization;
      // As early as the value is there, so that every user finds it.
      if (value->producer() != nullptr) graph_.move_before(copy->producer(), graph_.next(value->producer()));
      if (value->producer() == nullptr) graph_.move_before(copy->producer(), graph_.nodes().front().get());
    }
    copy->type.dim_order = order;
    return copy;
  }
  void require(Node* node, size_t index, const std::vector<uint8_t>& order) {
    Value* value = node->arg(index).tensor();
    if (value != nullptr) graph_.set_arg(node, index, ordered(value, order, node));
  }

  void assign(Node* node) {
    if (wants_channels_last(node->op)) {
      require(node, 0, kChannelsLast);
      node->output()->type.dim_order = kChannelsLast;
    } else if (takes_either(node->op)) {
      for (Value* output : node->outputs()) output->type.dim_order = node->arg(0).tensor()->type.dim_order;
    } else if (is_elementwise(node->op)) {
      elementwise(node);
    } else if (node->op == "aten::cat") {
      concat(node);
    } else if (node->op == "aten::slice_copy.Tensor" || node->op == "aten::slice_copy") {
      slice(node);
    } else if (node->op == "aten::permute_copy" || node->op == "cortex_m::transpose") {
      permute(node);
    } else if (node->op == "aten::constant_pad_nd") {
      pad(node);
    } else if (node->op == "aten::mean.dim") {
      mean(node);
    } else {
      contiguous(node);
    }
  }

  void contiguous(Node* node) {
    Arguments args = node->args();
    for (Argument& argument : args) {
      argument.each_tensor([&](Value*& value) { value = ordered(value, {}, node); });
    }
    graph_.set_args(node, std::move(args));
  }

  // All operands in one order: channels last as soon as one image is.
  void elementwise(Node* node) {
    bool last = false;
    for (const Argument& argument : node->args()) {
      const Value* value = argument.tensor();
      if (value != nullptr && is_image(value) && is_last(value) && value->type.sizes == node->output()->type.sizes) {
        last = true;
      }
    }
    const std::vector<uint8_t> order = last ? kChannelsLast : std::vector<uint8_t>();
    Arguments args = node->args();
    for (Argument& argument : args) {
      argument.each_tensor(
          [&](Value*& value) { value = ordered(value, is_image(value) ? order : std::vector<uint8_t>(), node); });
    }
    graph_.set_args(node, std::move(args));
    node->output()->type.dim_order = order;
  }

  // An image that lies channels last as the [N, H, W, C] tensor that its memory is, and back.
  Value* as_memory(Value* image, Node* before) {
    return Builder(graph_, before)("aten::permute_copy", {image, Ints{0, 2, 3, 1}});
  }
  void from_memory(Node* node, Value* memory) {
    Value* image = Builder(graph_, node)("aten::permute_copy", {memory, Ints{0, 3, 1, 2}}, node->name);
    image->type.dim_order = kChannelsLast;
    image->quantization = node->output()->quantization;
    graph_.replace_uses(node->output(), image);
  }
  static int64_t memory_dim(int64_t dim) {
    constexpr int64_t kPlace[] = {0, 3, 1, 2};
    return kPlace[dim < 0 ? dim + 4 : dim];
  }

  void concat(Node* node) {
    Tensors inputs = *node->arg(0).get<Tensors>();
    const bool last =
        std::any_of(inputs.begin(), inputs.end(), [](const Value* value) { return is_image(value) && is_last(value); });
    if (!last) return contiguous(node);
    for (Value*& input : inputs) input = as_memory(ordered(input, kChannelsLast, node), node);
    const int64_t dim = *node->arg(1).get<int64_t>();
    from_memory(node, Builder(graph_, node)("aten::cat", {inputs, memory_dim(dim)}));
  }

  void slice(Node* node) {
    Value* input = node->arg(0).tensor();
    if (!is_image(input) || !is_last(input)) return contiguous(node);
    Arguments args = node->args();
    args[0] = as_memory(input, node);
    args[1] = memory_dim(*args[1].get<int64_t>());
    from_memory(node, Builder(graph_, node)(node->op, std::move(args)));
  }

  void permute(Node* node) {
    Value* input = node->arg(0).tensor();
    const Ints dims = *node->arg(1).get<Ints>();
    const size_t rank = dims.size();
    const std::vector<uint8_t>& order = input->type.dim_order;
    // Where each of the output's dimensions lies when nothing moves.
    std::vector<uint8_t> free;
    for (size_t place = 0; place < rank; ++place) {
      const size_t dim = order.empty() ? place : order[place];
      for (size_t i = 0; i < rank; ++i) {
        if (wrap(dims[i], rank, "dimension") == dim) free.push_back(static_cast<uint8_t>(i));
      }
    }
    const bool sorted = std::is_sorted(free.begin(), free.end());
    if (sorted || free == kChannelsLast) {
      Value* view = Builder(graph_, node)("aten::permute_copy", {input, dims}, node->name);
      view->type.dim_order = sorted ? std::vector<uint8_t>() : kChannelsLast;
      view->quantization = node->output()->quantization;
      graph_.replace_uses(node->output(), view);
      return;
    }
    if (rank != 4 || order != kChannelsLast) return contiguous(node);
    Ints memory_dims;
    for (const int64_t dim : dims) memory_dims.push_back(memory_dim(dim));
    graph_.set_args(node, {as_memory(input, node), memory_dims});
  }

  // cortex_m's pad counts dimensions as they lie in memory, right-aligned among four.
  void pad(Node* node) {
    Value* input = node->arg(0).tensor();
    const Ints pads = *node->arg(1).get<Ints>();
    const size_t rank = input->type.sizes.size();
    const bool negative = std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; });
    if (input->type.dtype != DType::kInt8 || rank > 4 || negative) return contiguous(node);
    Ints before(4), after(4);
    for (size_t i = 0; i < rank; ++i) {
      const size_t dim = input->type.dim_order.empty() ? i : input->type.dim_order[i];
      const size_t pair = 2 * (rank - 1 - dim);
      if (pair + 1 >= pads.size()) continue;
      before[4 - rank + i] = pads[pair];
      after[4 - rank + i] = pads[pair + 1];
    }
    const int64_t value = static_cast<int64_t>(node->arg(2).number().value_or(0));
    Value* padded = Builder(graph_, node)("cortex_m::pad", {input, before, after, value}, node->name);
    padded->type.dim_order = input->type.dim_order;
    padded->quantization = node->output()->quantization;
    graph_.replace_uses(node->output(), padded);
  }

  void mean(Node* node) {
    Value* input = node->arg(0).tensor();
    const Ints* dims = node->arg(1).get<Ints>();
    const bool keep = *node->arg(2).get<bool>();
    Ints sorted = dims == nullptr ? Ints() : *dims;
    for (int64_t& dim : sorted) dim = dim < 0 ? dim + 4 : dim;
    std::sort(sorted.begin(), sorted.end());
    if (!is_image(input) || !is_last(input) || sorted != Ints{2, 3}) return contiguous(node);
    Arguments args = node->args();
    args[0] = as_memory(input, node);
    args[1] = Ints{1, 2};
    Value* result = Builder(graph_, node)(node->op, std::move(args), node->name);
    if (keep) return from_memory(node, result);
    graph_.replace_uses(node->output(), result);
  }

  Graph& graph_;
  const LayoutOptions& options_;
  std::vector<std::vector<uint8_t>> output_orders_;
  std::map<std::pair<Value*, std::vector<uint8_t>>, Value*> copies_;
};

}  // namespace

void assign_layouts(Graph& graph, const LayoutOptions& options) { Layouts(graph, options)(); }

}  // namespace wick::compiler
