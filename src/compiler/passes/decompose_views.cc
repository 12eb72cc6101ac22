// Views and copies: in a functional graph each is an operator that gives a tensor of its own, or nothing at all.
#include <numeric>

#include "compiler/passes/decompose.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

Replacement identity(Builder&, const Node& node) { return {node.arg(0).tensor()}; }

// Everything that keeps the elements in logical order: the output's sizes say the rest.
Replacement reshape(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  const Shape& sizes = node.output()->type.sizes;
  if (x->type.sizes == sizes) return {x};
  return {b("aten::view_copy", {x, sizes}, node.name)};
}

Replacement permute(Builder& b, const Node& node) {
  return {b("aten::permute_copy", {node.arg(0), node.arg(1)}, node.name)};
}

Replacement swap(Builder& b, const Node& node) {
  const size_t rank = sizes_of(node).size();
  if (rank == 0) return {node.arg(0).tensor()};
  Ints dims(rank);
  std::iota(dims.begin(), dims.end(), int64_t{0});
  std::swap(dims[wrap(int_arg(node, 1), rank, "dimension")], dims[wrap(int_arg(node, 2), rank, "dimension")]);
  return {b("aten::permute_copy", {node.arg(0), dims}, node.name)};
}

Replacement swap_last(Builder& b, const Node& node) {
  const size_t rank = sizes_of(node).size();
  if (rank < 2) return {node.arg(0).tensor()};
  Ints dims(rank);
  std::iota(dims.begin(), dims.end(), int64_t{0});
  std::swap(dims[rank - 1], dims[rank - 2]);
  return {b("aten::permute_copy", {node.arg(0), dims}, node.name)};
}

Replacement reverse_dims(Builder& b, const Node& node) {
  Ints dims(sizes_of(node).size());
  std::iota(dims.rbegin(), dims.rend(), int64_t{0});
  return {b("aten::permute_copy", {node.arg(0), dims}, node.name)};
}

Replacement move_dims(Builder& b, const Node& node) {
  const size_t rank = sizes_of(node).size();
  const auto list = [&](size_t i) {
    const auto* one = node.arg(i).get<int64_t>();
    return one != nullptr ? Ints{*one} : ints_arg(node, i);
  };
  const Ints from = list(1), to = list(2);
  Ints dims(rank, -1);
  std::vector<bool> used(rank);
  for (size_t i = 0; i < from.size(); ++i) {
    dims[wrap(to[i], rank, "dimension")] = static_cast<int64_t>(wrap(from[i], rank, "dimension"));
    used[wrap(from[i], rank, "dimension")] = true;
  }
  size_t next = 0;
  for (int64_t& dim : dims) {
    if (dim >= 0) continue;
    while (used[next]) ++next;
    dim = static_cast<int64_t>(next++);
  }
  return {b("aten::permute_copy", {node.arg(0), dims}, node.name)};
}

Replacement expand(Builder& b, const Node& node) {
  const Shape& sizes = node.output()->type.sizes;
  if (sizes_of(node) == sizes) return {node.arg(0).tensor()};
  return {b("aten::expand_copy", {node.arg(0), sizes}, node.name)};
}

Replacement slice(Builder& b, const Node& node) {
  if (sizes_of(node) == node.output()->type.sizes && int_arg(node, 4) == 1) return {node.arg(0).tensor()};
  return {b("aten::slice_copy.Tensor", {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4)}, node.name)};
}

Replacement narrow(Builder& b, const Node& node) {
  const size_t dim = wrap(int_arg(node, 1), sizes_of(node).size(), "dimension");
  const int64_t size = sizes_of(node)[dim], start = int_arg(node, 2) < 0 ? int_arg(node, 2) + size : int_arg(node, 2);
  return {b("aten::slice_copy.Tensor", {node.arg(0), static_cast<int64_t>(dim), start, start + int_arg(node, 3), 1},
            node.name)};
}

Replacement select(Builder& b, const Node& node) {
  return {b("aten::select_copy.int", {node.arg(0), node.arg(1), node.arg(2)}, node.name)};
}

// Parts of any sizes along one dimension: the outputs say which.
Replacement parts_along(Builder& b, const Node& node, const Argument& dim_argument) {
  const size_t dim = wrap(*dim_argument.get<int64_t>(), sizes_of(node).size(), "dimension");
  Ints sizes;
  for (const Value* output : node.outputs()) sizes.push_back(output->type.sizes[dim]);
  if (sizes.size() == 1) return {node.arg(0).tensor()};
  return b.node("aten::split_with_sizes_copy", {node.arg(0), sizes, static_cast<int64_t>(dim)}, node.name)->outputs();
}
Replacement split(Builder& b, const Node& node) { return parts_along(b, node, node.arg(2)); }

Replacement unbind(Builder& b, const Node& node) {
  Replacement out;
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    out.push_back(b("aten::select_copy.int", {node.arg(0), node.arg(1), static_cast<int64_t>(i)}, node.name));
  }
  return out;
}

Replacement unfold(Builder& b, const Node& node) {
  return {b("aten::unfold_copy", {node.arg(0), node.arg(1), node.arg(2), node.arg(3)}, node.name)};
}

Replacement cat(Builder& b, const Node& node) { return {b("aten::cat", {node.arg(0), node.arg(1)}, node.name)}; }

Replacement stack(Builder& b, const Node& node) {
  const Tensors& inputs = *node.arg(0).get<Tensors>();
  const size_t rank = inputs[0]->type.sizes.size();
  const size_t dim = wrap(int_arg(node, 1), rank + 1, "dimension");
  Tensors parts;
  for (Value* input : inputs) {
    Shape sizes = input->type.sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), 1);
    parts.push_back(b("aten::view_copy", {input, sizes}));
  }
  return {b("aten::cat", {parts, static_cast<int64_t>(dim)}, node.name)};
}

Replacement tile(Builder& b, const Node& node) {
  Ints repeats = ints_arg(node, 1);
  while (repeats.size() < sizes_of(node).size()) repeats.insert(repeats.begin(), 1);
  return {b("aten::repeat", {node.arg(0), repeats}, node.name)};
}

// Another dtype, or the tensor itself: where bytes lie is settled later.
Replacement to_dtype(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  const DType dtype = node.output()->type.dtype;
  if (x->type.dtype == dtype) return {x};
  return {b("dim_order_ops::_to_dim_order_copy", {x, dtype}, node.name)};
}

// Each element `repeats` times along a dimension.
Replacement repeat_interleave(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  const int64_t repeats = int_arg(node, 1);
  Shape sizes = x->type.sizes;
  if (node.arg(2).is_none()) sizes = {x->type.numel()};
  const size_t dim = node.arg(2).is_none() ? 0 : wrap(int_arg(node, 2), sizes.size(), "dimension");
  Shape apart = sizes, spread;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(dim) + 1, 1);
  spread = apart;
  spread[dim + 1] = repeats;
  Value* wide = b("aten::expand_copy", {b("aten::view_copy", {x, apart}), spread});
  return {b("aten::view_copy", {wide, node.output()->type.sizes}, node.name)};
}

constexpr RewriteRule kRules[] = {
    {"aten::alias", identity},
    {"aten::clone", to_dtype},
    {"aten::contiguous", identity},
    {"aten::detach", identity},
    {"aten::detach_copy", identity},
    {"aten::alias_copy", identity},
    {"aten::lift_fresh", identity},
    {"aten::lift_fresh_copy", identity},
    {"aten::_to_copy", to_dtype},
    {"aten::to.device", to_dtype},
    {"aten::to.dtype", to_dtype},
    {"aten::to.dtype_layout", to_dtype},
    {"aten::to.other", to_dtype},
    {"aten::type_as", to_dtype},
    {"aten::view", reshape},
    {"aten::view_as", reshape},
    {"aten::_unsafe_view", reshape},
    {"aten::reshape", reshape},
    {"aten::reshape_as", reshape},
    {"aten::flatten.using_ints", reshape},
    {"aten::unflatten.int", reshape},
    {"aten::squeeze", reshape},
    {"aten::squeeze.dim", reshape},
    {"aten::squeeze.dims", reshape},
    {"aten::squeeze_copy", reshape},
    {"aten::squeeze_copy.dim", reshape},
    {"aten::squeeze_copy.dims", reshape},
    {"aten::unsqueeze", reshape},
    {"aten::unsqueeze_copy", reshape},
    {"aten::permute", permute},
    {"aten::transpose.int", swap},
    {"aten::transpose_copy.int", swap},
    {"aten::swapaxes", swap},
    {"aten::t", reverse_dims},
    {"aten::t_copy", reverse_dims},
    {"aten::numpy_T", reverse_dims},
    {"aten::mT", swap_last},
    {"aten::movedim.int", move_dims},
    {"aten::movedim.intlist", move_dims},
    {"aten::expand", expand},
    {"aten::expand_as", expand},
    {"aten::slice.Tensor", slice},
    {"aten::narrow", narrow},
    {"aten::narrow_copy", narrow},
    {"aten::select.int", select},
    {"aten::chunk", split},
    {"aten::split.Tensor", split},
    {"aten::split.sizes", split},
    {"aten::split_with_sizes", split},
    {"aten::split_copy.Tensor", split},
    {"aten::tensor_split.sections", split},
    {"aten::unbind.int", unbind},
    {"aten::unbind_copy.int", unbind},
    {"aten::unfold", unfold},
    {"aten::concat", cat},
    {"aten::concatenate", cat},
    {"aten::stack", stack},
    {"aten::tile", tile},
    {"aten::repeat_interleave.self_int", repeat_interleave},
};

}  // namespace

std::span<const RewriteRule> view_rules() { return kRules; }

}  // namespace wick::compiler
