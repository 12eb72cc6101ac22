#include "compiler/passes/cancel_moves.h"

#include "compiler/passes/rewrite.h"

namespace wick::compiler {

namespace {

// The node of that operator that makes the value, or null.
const Node* made_by(const Value* value, const char* op) {
  const Node* producer = value->producer();
  return producer != nullptr && producer->op == op ? producer : nullptr;
}

// Order of the dimensions that have more than one index: where it rises, no element moves.
bool moves_nothing(const Shape& sizes, const Ints& dims) {
  int64_t last = -1;
  for (const int64_t dim : dims) {
    if (sizes[static_cast<size_t>(dim)] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return true;
}

Replacement view(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Shape& sizes = node.output()->type.sizes;
  if (x->type.sizes == sizes) return {x};
  if (const Node* inner = made_by(x, "aten::view_copy")) return {b("aten::view_copy", {inner->arg(0), sizes})};
  return {};
}

Ints non_negative(Ints dims) {
  for (int64_t& dim : dims) dim = static_cast<int64_t>(wrap(dim, dims.size(), "dimension"));
  return dims;
}

Replacement permute(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Ints dims = non_negative(ints_arg(node, 1));
  const Shape& sizes = node.output()->type.sizes;
  if (moves_nothing(x->type.sizes, dims)) {
    if (x->type.sizes == sizes) return {x};
    return {b("aten::view_copy", {x, sizes})};
  }
  const Node* inner = made_by(x, "aten::permute_copy");
  if (inner == nullptr) return {};
  const Ints first = non_negative(ints_arg(*inner, 1));
  Ints both;
  for (const int64_t dim : dims) both.push_back(first[static_cast<size_t>(dim)]);
  return {b("aten::permute_copy", {inner->arg(0), both})};
}

constexpr RewriteRule kRules[] = {{"aten::view_copy", view}, {"aten::permute_copy", permute}};

}  // namespace

size_t cancel_moves(Graph& graph) {
  const size_t count = rewrite(graph, kRules);
  graph.erase_dead();
  return count;
}

}  // namespace wick::compiler
