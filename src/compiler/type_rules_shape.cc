// Output types of operators that view, reshape, cut and join.
#include <algorithm>

#include "compiler/type_rules.h"

namespace wick::compiler {

namespace {

// Of one operator. Far beyond real models; a planner's work grows with the square.
constexpr int64_t kMostOutputs = 4096;

std::string dimension(const Call& call) { return call.op() + ": dimension"; }

size_t dim_at(const Call& call, size_t i, size_t rank) {
  return wrap(call.integer(i), std::max<size_t>(rank, 1), dimension(call));
}

Types with_sizes(const Call& call, Shape sizes) { return {checked_type(call, call.tensor(0).dtype, std::move(sizes))}; }

// One size may be -1: what is left.
Shape filled_sizes(const Call& call, Shape sizes, int64_t numel) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1) {
      call.require(open == nullptr, "more than one size is -1");
      open = &size;
    } else {
      call.require(size >= 0 && size <= (int64_t{1} << 31), "a size is negative or too large");
      call.require(size == 0 || known <= (int64_t{1} << 31) / size, "the output would be too large");
      known *= size;
    }
  }
  if (open != nullptr) {
    call.require(known > 0 && numel % known == 0, "the size -1 has no answer");
    *open = numel / known;
    known = numel;
  }
  if (known != numel) call.fail("the sizes hold ", known, " elements, the input ", numel);
  return sizes;
}

Types view(const Call& call) { return with_sizes(call, filled_sizes(call, call.ints(1), call.tensor(0).numel())); }

Types view_as(const Call& call) {
  return with_sizes(call, filled_sizes(call, call.tensor(1).sizes, call.tensor(0).numel()));
}

Types flatten(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  if (x.empty()) return with_sizes(call, {1});
  const size_t first = dim_at(call, 1, x.size());
  const size_t last = dim_at(call, 2, x.size());
  call.require(first <= last, "start_dim lies behind end_dim");
  Shape sizes(x.begin(), x.begin() + static_cast<int64_t>(first));
  int64_t product = 1;
  for (size_t i = first; i <= last; ++i) product *= x[i];
  sizes.push_back(product);
  sizes.insert(sizes.end(), x.begin() + static_cast<int64_t>(last) + 1, x.end());
  return with_sizes(call, std::move(sizes));
}

Types unflatten(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 1, sizes.size());
  const Shape parts = filled_sizes(call, call.ints(2), sizes[dim]);
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  sizes.insert(sizes.begin() + static_cast<int64_t>(dim), parts.begin(), parts.end());
  return with_sizes(call, std::move(sizes));
}

Types permute(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  const Ints& dims = call.ints(1);
  call.require(dims.size() == x.size(), "dims must name each dimension once");
  std::vector<bool> seen(x.size(), false);
  Shape sizes;
  for (const int64_t dim : dims) {
    const size_t at = wrap(dim, x.size(), dimension(call));
    call.require(!seen[at], "dims must name each dimension once");
    seen[at] = true;
    sizes.push_back(x[at]);
  }
  return with_sizes(call, std::move(sizes));
}

Types transpose(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  const size_t a = dim_at(call, 1, sizes.size());
  const size_t b = dim_at(call, 2, sizes.size());
  if (!sizes.empty()) std::swap(sizes[a], sizes[b]);
  return with_sizes(call, std::move(sizes));
}

Types transpose_matrix(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(sizes.size() <= 2, "takes at most two dimensions");
  std::reverse(sizes.begin(), sizes.end());
  return with_sizes(call, std::move(sizes));
}

Types transpose_last(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(sizes.size() >= 2, "needs two dimensions");
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return with_sizes(call, std::move(sizes));
}

Types reverse_dims(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  std::reverse(sizes.begin(), sizes.end());
  return with_sizes(call, std::move(sizes));
}

Types squeeze_where(const Call& call, const std::vector<bool>& dims) {
  Shape sizes;
  const Shape& x = call.tensor(0).sizes;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(dims[i] && x[i] == 1)) sizes.push_back(x[i]);
  }
  return with_sizes(call, std::move(sizes));
}

Types squeeze(const Call& call) { return squeeze_where(call, std::vector<bool>(call.tensor(0).sizes.size(), true)); }

Types squeeze_dim(const Call& call) {
  std::vector<bool> dims(call.tensor(0).sizes.size(), false);
  const size_t at = dim_at(call, 1, dims.size());
  if (!dims.empty()) dims[at] = true;
  return squeeze_where(call, dims);
}

Types squeeze_dims(const Call& call) {
  const size_t rank = call.tensor(0).sizes.size();
  return squeeze_where(call, call.ints(1).empty() ? std::vector<bool>(rank, false) : call.dims(1, rank));
}

Types unsqueeze(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  const size_t at = wrap(call.integer(1), sizes.size() + 1, dimension(call));
  sizes.insert(sizes.begin() + static_cast<int64_t>(at), 1);
  return with_sizes(call, std::move(sizes));
}

Types expand_to(const Call& call, const Ints& wanted) {
  const Shape& x = call.tensor(0).sizes;
  call.require(wanted.size() >= x.size(), "size has too few dimensions");
  Shape sizes = wanted;
  const size_t skip = wanted.size() - x.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i < skip) {
      call.require(sizes[i] >= 0, "a new dimension needs a size");
    } else if (sizes[i] == -1) {
      sizes[i] = x[i - skip];
    } else if (x[i - skip] != 1 && x[i - skip] != sizes[i]) {
      call.fail("size ", x[i - skip], " does not expand to ", sizes[i]);
    }
  }
  return with_sizes(call, std::move(sizes));
}

Types expand(const Call& call) { return expand_to(call, call.ints(1)); }
Types expand_as(const Call& call) { return expand_to(call, call.tensor(1).sizes); }

Types repeat(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  Shape repeats = call.ints(1);
  if (call.op() == "aten::tile" && repeats.size() < x.size())
    repeats.insert(repeats.begin(), x.size() - repeats.size(), 1);
  call.require(repeats.size() >= x.size(), "repeats has too few dimensions");
  const size_t skip = repeats.size() - x.size();
  for (size_t i = 0; i < repeats.size(); ++i) {
    call.require(repeats[i] >= 0 && repeats[i] <= (int64_t{1} << 31), "a repeat is negative or too large");
    if (i >= skip) repeats[i] *= x[i - skip];
  }
  return with_sizes(call, std::move(repeats));
}

Types select(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 1, sizes.size());
  wrap(call.integer(2), static_cast<size_t>(sizes[dim]), call.op() + ": index");
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  return with_sizes(call, std::move(sizes));
}

int64_t clamped(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index < -size ? 0 : index < 0 ? index + size : index, 0, size);
}

// dim, start, end and step from argument `first` on
Shape sliced(const Call& call, size_t first) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  int64_t& size = sizes[dim_at(call, first, sizes.size())];
  const int64_t begin = call.has(first + 1) ? clamped(call.integer(first + 1), size) : 0;
  const int64_t end = call.has(first + 2) ? clamped(call.integer(first + 2), size) : size;
  const int64_t step = call.integer(first + 3);
  call.require(step > 0, "step must be positive");
  size = begin < end ? (end - begin - 1) / step + 1 : 0;
  return sizes;
}

Types slice(const Call& call) { return with_sizes(call, sliced(call, 1)); }

Types slice_scatter(const Call& call) {
  call.require(sliced(call, 2) == call.tensor(1).sizes, "src has not the sizes of the slice");
  return {call.tensor(0)};
}

Types select_scatter(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 2, sizes.size());
  wrap(call.integer(3), static_cast<size_t>(sizes[dim]), call.op() + ": index");
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  call.require(sizes == call.tensor(1).sizes, "src has not the sizes of the selection");
  return {call.tensor(0)};
}

Types narrow(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  int64_t& size = sizes[dim_at(call, 1, sizes.size())];
  const int64_t start = call.integer(2) < 0 ? call.integer(2) + size : call.integer(2);
  const int64_t length = call.integer(3);
  call.require(start >= 0 && length >= 0 && start <= size && length <= size - start, "start and length lie outside");
  size = length;
  return with_sizes(call, std::move(sizes));
}

// Parts of the given sizes along a dimension.
Types parts(const Call& call, size_t dim, const Ints& lengths) {
  Types types;
  for (const int64_t length : lengths) {
    TensorType part = call.tensor(0);
    part.dim_order.clear();
    part.sizes[dim] = length;
    types.push_back(std::move(part));
  }
  return types;
}

Types even_parts(const Call& call, size_t dim, int64_t length) {
  const int64_t size = call.tensor(0).sizes[dim];
  call.require(length > 0 && size / length < kMostOutputs, "the parts must have a size, and be fewer than 4,096");
  Ints lengths;
  for (int64_t at = 0; at < size; at += length) lengths.push_back(std::min(length, size - at));
  if (lengths.empty()) lengths.push_back(0);
  return parts(call, dim, lengths);
}

Types split(const Call& call) {
  const size_t rank = call.tensor(0).sizes.size();
  call.require(rank > 0, "the input has no dimensions");
  return even_parts(call, dim_at(call, 2, rank), call.integer(1));
}

Types chunk(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  call.require(!x.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 2, x.size());
  const int64_t chunks = call.integer(1);
  call.require(chunks > 0, "chunks must be positive");
  return even_parts(call, dim, std::max<int64_t>((x[dim] + chunks - 1) / chunks, 1));
}

Types split_sizes(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  call.require(!x.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 2, x.size());
  int64_t sum = 0;
  for (const int64_t length : call.ints(1)) {
    call.require(length >= 0 && length <= x[dim], "a part's size is negative or too large");
    sum += length;
  }
  call.require(sum == x[dim], "the parts do not add up to the whole");
  return parts(call, dim, call.ints(1));
}

Types tensor_split(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  call.require(!x.empty(), "the input has no dimensions");
  const size_t dim = dim_at(call, 2, x.size());
  const int64_t sections = call.integer(1);
  call.require(sections > 0 && sections < kMostOutputs, "sections must be positive and fewer than 4,096");
  Ints lengths(static_cast<size_t>(sections), x[dim] / sections);
  for (size_t i = 0; i < static_cast<size_t>(x[dim] % sections); ++i) ++lengths[i];
  return parts(call, dim, lengths);
}

Types unbind(const Call& call) {
  TensorType one = call.tensor(0);
  call.require(!one.sizes.empty(), "the input has no dimensions");
  one.dim_order.clear();
  const size_t dim = dim_at(call, 1, one.sizes.size());
  const int64_t count = one.sizes[dim];
  call.require(count < kMostOutputs, "there would be 4,096 outputs or more");
  one.sizes.erase(one.sizes.begin() + static_cast<int64_t>(dim));
  return Types(static_cast<size_t>(count), one);
}

// The tensors to join; those that PyTorch ignores (one-dimensional and empty) left out.
std::vector<const TensorType*> joined(const Call& call) {
  std::vector<const TensorType*> list;
  const auto all = call.tensors(0);
  call.require(!all.empty(), "there is nothing to join");
  for (const TensorType* type : all) {
    call.require(type != nullptr, "a tensor is missing");
    if (type->sizes != Shape{0}) list.push_back(type);
  }
  if (list.empty()) list.push_back(all[0]);
  return list;
}

Types cat(const Call& call) {
  const auto list = joined(call);
  Shape sizes = list[0]->sizes;
  DType dtype = list[0]->dtype;
  call.require(!sizes.empty(), "tensors without dimensions cannot be joined");
  const size_t dim = dim_at(call, 1, sizes.size());
  for (size_t i = 1; i < list.size(); ++i) {
    Shape other = list[i]->sizes;
    call.require(other.size() == sizes.size(), "the tensors differ in rank");
    sizes[dim] += other[dim];
    other[dim] = sizes[dim];
    call.require(other == sizes, "the tensors differ in a dimension along which they are not joined");
    dtype = promote(dtype, list[i]->dtype);
  }
  return {checked_type(call, dtype, std::move(sizes))};
}

Types stack(const Call& call) {
  const auto list = call.tensors(0);
  call.require(!list.empty() && list[0] != nullptr, "there is nothing to join");
  Shape sizes = list[0]->sizes;
  DType dtype = list[0]->dtype;
  for (const TensorType* type : list) {
    call.require(type != nullptr && type->sizes == sizes, "the tensors differ in their sizes");
    dtype = promote(dtype, type->dtype);
  }
  const size_t dim = wrap(call.integer(1), sizes.size() + 1, dimension(call));
  sizes.insert(sizes.begin() + static_cast<int64_t>(dim), static_cast<int64_t>(list.size()));
  return {checked_type(call, dtype, std::move(sizes))};
}

Types movedim(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  const Ints from = call.op() == "aten::movedim.int" ? Ints{call.integer(1)} : call.ints(1);
  const Ints to = call.op() == "aten::movedim.int" ? Ints{call.integer(2)} : call.ints(2);
  call.require(from.size() == to.size(), "source and destination differ in length");
  std::vector<int64_t> sizes(x.size(), -1);
  std::vector<bool> moved(x.size(), false);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t source = wrap(from[i], x.size(), dimension(call));
    const size_t target = wrap(to[i], x.size(), dimension(call));
    call.require(!moved[source] && sizes[target] == -1, "a dimension is named twice");
    moved[source] = true;
    sizes[target] = x[source];
  }
  size_t next = 0;
  for (int64_t& size : sizes) {
    if (size != -1) continue;
    while (moved[next]) ++next;
    size = x[next++];
  }
  return with_sizes(call, std::move(sizes));
}

void add(TypeRules& rules, TypeRule rule, std::initializer_list<const char*> names) {
  for (const char* name : names) rules[std::string("aten::") + name] = rule;
}

}  // namespace

void add_shape_rules(TypeRules& rules) {
  add(rules, view, {"view", "reshape", "view_copy", "_unsafe_view"});
  add(rules, view_as, {"view_as", "reshape_as"});
  add(rules, flatten, {"flatten.using_ints"});
  add(rules, unflatten, {"unflatten.int"});
  add(rules, permute, {"permute", "permute_copy"});
  add(rules, transpose, {"transpose.int", "transpose_copy.int", "swapaxes"});
  add(rules, transpose_matrix, {"t", "t_copy"});
  add(rules, transpose_last, {"mT"});
  add(rules, reverse_dims, {"numpy_T"});
  add(rules, movedim, {"movedim.int", "movedim.intlist"});
  add(rules, squeeze, {"squeeze", "squeeze_copy"});
  add(rules, squeeze_dim, {"squeeze.dim", "squeeze_copy.dim"});
  add(rules, squeeze_dims, {"squeeze.dims", "squeeze_copy.dims"});
  add(rules, unsqueeze, {"unsqueeze", "unsqueeze_copy"});
  add(rules, expand, {"expand", "expand_copy"});
  add(rules, expand_as, {"expand_as"});
  add(rules, repeat, {"repeat", "tile"});
  add(rules, select, {"select.int", "select_copy.int"});
  add(rules, slice, {"slice.Tensor", "slice_copy.Tensor"});
  add(rules, slice_scatter, {"slice_scatter"});
  add(rules, select_scatter, {"select_scatter"});
  add(rules, narrow, {"narrow", "narrow_copy"});
  add(rules, split, {"split.Tensor", "split_copy.Tensor"});
  add(rules, chunk, {"chunk"});
  add(rules, split_sizes, {"split.sizes", "split_with_sizes", "split_with_sizes_copy"});
  add(rules, tensor_split, {"tensor_split.sections"});
  add(rules, unbind, {"unbind.int", "unbind_copy.int"});
  add(rules, cat, {"cat", "concat", "concatenate"});
  add(rules, stack, {"stack"});
}

}  // namespace wick::compiler
