#include "compiler/quantize/memory_format.h"

#include <algorithm>
#include <numeric>

#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

bool starts_with_any(const std::string& op, std::initializer_list<const char*> starts) {
  return std::any_of(starts.begin(), starts.end(), [&op](const char* start) { return op.starts_with(start); });
}

std::vector<size_t> contiguous(size_t rank) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

const Value* first_tensor(const Node& node) {
  const Value* first = nullptr;
  for (Argument argument : node.args()) {
    argument.each_tensor([&first](Value*& value) { first = first == nullptr ? value : first; });
  }
  return first;
}

}  // namespace

MemoryFormats::MemoryFormats(const Graph& graph) {
  const Order channels_last = {0, 2, 3, 1};
  for (const Value* input : graph.inputs()) {
    if (input->type.sizes.size() == 4) orders_[input] = channels_last;
  }
  for (const Value* constant : graph.constants()) {
    if (constant->type.sizes.size() == 4) orders_[constant] = channels_last;
  }
  for (const auto& node : graph.nodes()) {
    for (const Value* output : node->outputs()) {
      const Order order = order_behind(*node, output);
      if (order != contiguous(output->type.sizes.size())) orders_[output] = order;
    }
  }
}

MemoryFormats::Order MemoryFormats::order_of(const Value* value) const {
  const auto found = orders_.find(value);
  return found != orders_.end() ? found->second : contiguous(value->type.sizes.size());
}

MemoryFormats::Order MemoryFormats::order_behind(const Node& node, const Value* output) const {
  const size_t rank = output->type.sizes.size();
  const std::string& op = node.op;
  if (starts_with_any(op, {"aten::conv"}) && rank == 4) return {0, 2, 3, 1};
  const Value* from = first_tensor(node);
  if (from == nullptr || from->type.sizes.size() != rank) return contiguous(rank);
  if (starts_with_any(op, {"aten::permute", "aten::transpose", "aten::t"}) && op != "aten::tanh" &&
      op != "aten::tanh_") {
    Order dims = contiguous(rank);
    if (const auto* list = node.arg(1).get<Ints>()) {
      for (size_t i = 0; i < rank; ++i) dims[i] = wrap((*list)[i], rank, "dims");
    } else if (node.args().size() > 2 && node.arg(2).get<int64_t>() != nullptr) {
      std::swap(dims[wrap(*node.arg(1).get<int64_t>(), rank, "dim")],
                dims[wrap(*node.arg(2).get<int64_t>(), rank, "dim")]);
    }
    // Output dimension i is input dimension dims[i]: the outermost byte order stays.
    Order order;
    for (const size_t dim : order_of(from)) {
      order.push_back(static_cast<size_t>(std::find(dims.begin(), dims.end(), dim) - dims.begin()));
    }
    return order;
  }
  if (starts_with_any(op, {"aten::softmax", "aten::log_softmax", "aten::_softmax", "aten::reshape", "aten::view",
                           "aten::matmul", "aten::bmm", "aten::linear", "aten::contiguous", "aten::layer_norm",
                           "aten::flip", "aten::repeat", "aten::tile", "aten::gather", "aten::index"})) {
    return contiguous(rank);
  }
  // Elementwise operators, pools, slices, pads and joins keep the order of the operand that has the output's size.
  const Value* model = from;
  for (Argument argument : node.args()) {
    argument.each_tensor([&](Value*& value) {
      if (model->type.sizes != output->type.sizes && value->type.sizes == output->type.sizes) model = value;
    });
  }
  return order_of(model);
}

bool MemoryFormats::is_channels_last(const Value* value) const {
  const Shape& sizes = value->type.sizes;
  if (sizes.size() != 4) return false;
  if (sizes[1] == 1 || (sizes[2] == 1 && sizes[3] == 1)) return true;
  const Order order = order_of(value);
  return order[0] == 0 && order[1] == 2;
}

}  // namespace wick::compiler
