// Operators that join tensors or take them apart. Knows their signatures; each tensor of a list is one strided move.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

// `end` from element `index` of a dimension on.
CopyEnd from_index(const CopyEnd& end, uint32_t dim, int64_t index) {
  CopyEnd moved = end;
  moved.data = offset(end.data, index * end.strides[dim] * dtype_bytes(end.dtype));
  return moved;
}

// Without dimension `dim`.
CopyEnd without(const CopyEnd& end, uint32_t dim, uint32_t rank) {
  CopyEnd fewer = end;
  for (uint32_t i = dim; i + 1 < rank; ++i) fewer.strides[i] = end.strides[i + 1];
  return fewer;
}

Status finish_parts(Prepare& p, const Tensor& x, uint32_t dim, const int64_t* sizes, uint32_t count, bool equal,
                    uint32_t out_arg) {
  const uint32_t outs = p.list_size(out_arg);
  p.require_arg_count(out_arg + 1);
  p.require(p.failed() || outs == count, Code::kInvalidProgram, out_arg, "has ", outs, " tensors, expected ", count);
  if (p.failed()) return p.status();
  CopyList copies(p, count, false);
  const CopyEnd in = copy_end(x);
  int64_t begin = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor out = p.list_output(out_arg, i);
    if (p.failed()) return p.status();
    int32_t expected[kMaxRank];
    for (uint32_t d = 0; d < x.rank; ++d) expected[d] = x.sizes[d];
    const int64_t size = equal ? (begin + sizes[0] <= x.size(dim) ? sizes[0] : x.size(dim) - begin) : sizes[i];
    expected[dim] = static_cast<int32_t>(size);
    Tensor like = x;
    like.sizes = expected;
    p.require_same_sizes(out_arg, out, like);
    p.require_dtype(out_arg, out, x.dtype);
    if (p.failed()) return p.status();
    copies.add(p, from_index(in, dim, size > 0 ? begin : 0), copy_end(out), expected, x.rank, x.dynamic);
    begin += size;
  }
  return copies.finish(p);
}

uint32_t axis_of(Prepare& p, uint32_t arg, const Tensor& x) {
  const int64_t dim = p.integer(arg);
  p.require(p.failed() || x.rank > 0, Code::kInvalidProgram, 0, "a tensor of rank 0 has no dimensions");
  return p.failed() ? 0 : axis(p, arg, dim, x.rank);
}

// An entry of `cat` that PyTorch passes over: the empty tensor of old, of one dimension.
bool is_legacy_empty(const Tensor& t) { return t.rank == 1 && t.sizes[0] == 0; }

}  // namespace

// (tensors, dim, out)
Status aten_cat(Prepare& p) {
  const uint32_t count = p.list_size(0);
  const int64_t dim_argument = p.integer(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  if (p.failed()) return p.status();
  const uint32_t dim = axis(p, 1, dim_argument, out.rank);
  int32_t sizes[kMaxRank];
  int64_t total = 0;
  bool casts = false;
  uint32_t used = 0;
  for (uint32_t i = 0; i < count && !p.failed(); ++i) {
    const Tensor x = p.list_tensor(0, i);
    p.require(x.rank != Prepare::kNoTensor, Code::kInvalidProgram, 0, "entry ", i, " is None");
    if (p.failed() || is_legacy_empty(x)) continue;
    p.require(x.rank == out.rank && x.rank > 0, Code::kInvalidProgram, 0, "entry ", i, " is of rank ",
              static_cast<uint32_t>(x.rank), ", the output of rank ", static_cast<uint32_t>(out.rank));
    if (p.failed()) break;
    for (uint32_t d = 0; d < x.rank; ++d) {
      if (used == 0) sizes[d] = x.sizes[d];
      p.require(d == dim || sizes[d] == x.sizes[d], Code::kInvalidProgram, 0, "entry ", i, " has size ", x.sizes[d],
                " in dimension ", d, ", the first one ", sizes[d]);
    }
    if (x.dtype != out.dtype) {
      casts = true;
      require_arithmetic(p, 0, x);
      require_arithmetic(p, 2, out);
      require_castable(p, 2, x.dtype, out.dtype);
    }
    total += x.sizes[dim];
    ++used;
  }
  p.require(total <= INT32_MAX, Code::kInvalidProgram, 2, "too many elements");
  if (p.failed()) return p.status();
  if (used == 0) return out.numel() == 0 ? p.finish_nothing() : Code::kInvalidProgram;
  sizes[dim] = static_cast<int32_t>(total);
  p.resize(2, &out, sizes, out.rank);
  if (p.failed()) return p.status();
  CopyList copies(p, used, casts);
  const CopyEnd to = copy_end(out);
  int64_t begin = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor x = p.list_tensor(0, i);
    if (is_legacy_empty(x)) continue;
    copies.add(p, copy_end(x), from_index(to, dim, x.sizes[dim] > 0 ? begin : 0), x.sizes, x.rank, out.dynamic);
    begin += x.sizes[dim];
  }
  return copies.finish(p);
}

// (tensors, dim, out)
Status aten_stack(Prepare& p) {
  const uint32_t count = p.list_size(0);
  const int64_t dim_argument = p.integer(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  p.require(p.failed() || count > 0, Code::kInvalidProgram, 0, "an empty list");
  if (p.failed()) return p.status();
  const Tensor first = p.list_tensor(0, 0);
  p.require(first.rank < kMaxRank, Code::kUnsupported, 0, "rank above ", kMaxRank);
  if (p.failed()) return p.status();
  const uint32_t dim = axis(p, 1, dim_argument, first.rank + 1u);
  int32_t sizes[kMaxRank];
  for (uint32_t d = 0; d <= first.rank; ++d) {
    sizes[d] = d == dim ? static_cast<int32_t>(count) : first.sizes[d < dim ? d : d - 1];
  }
  p.resize(2, &out, sizes, first.rank + 1u);
  if (p.failed()) return p.status();
  CopyList copies(p, count, false);
  const CopyEnd to = copy_end(out);
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor x = p.list_tensor(0, i);
    p.require(x.rank != Prepare::kNoTensor, Code::kInvalidProgram, 0, "entry ", i, " is None");
    p.require_same_sizes(0, x, first);
    p.require_dtype(0, x, out.dtype);
    if (p.failed()) return p.status();
    copies.add(p, copy_end(x), without(from_index(to, dim, i), dim, out.rank), x.sizes, x.rank, out.dynamic);
  }
  return copies.finish(p);
}

// (self, split_size, dim, outs)
Status aten_split_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t size = p.integer(1);
  const uint32_t dim = axis_of(p, 2, x);
  if (p.failed()) return p.status();
  const int64_t whole = x.size(dim);
  p.require(size > 0 || (size == 0 && whole == 0), Code::kInvalidProgram, 1, "parts of ", size);
  if (p.failed()) return p.status();
  const int64_t count = whole == 0 ? 1 : (whole - 1) / size + 1;
  return finish_parts(p, x, dim, &size, static_cast<uint32_t>(count), true, 3);
}

// (self, split_sizes, dim, outs)
Status aten_split_with_sizes_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList sizes = p.int_list(1);
  const uint32_t dim = axis_of(p, 2, x);
  if (p.failed()) return p.status();
  int64_t left = x.size(dim);
  for (uint32_t i = 0; i < sizes.count; ++i) {
    if (!p.require(sizes.items[i] >= 0 && sizes.items[i] <= left, Code::kInvalidProgram, 1, "the parts exceed ",
                   x.size(dim))) {
      return p.status();
    }
    left -= sizes.items[i];
  }
  p.require(left == 0, Code::kInvalidProgram, 1, "the parts leave ", left, " of ", x.size(dim));
  if (p.failed()) return p.status();
  return finish_parts(p, x, dim, sizes.items, sizes.count, false, 3);
}

// (self, dim, outs)
Status aten_unbind_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t dim = axis_of(p, 1, x);
  const uint32_t outs = p.list_size(2);
  p.require_arg_count(3);
  if (p.failed()) return p.status();
  p.require(outs == static_cast<uint32_t>(x.size(dim)), Code::kInvalidProgram, 2, "has ", outs, " tensors, expected ",
            x.size(dim));
  if (p.failed()) return p.status();
  int32_t sizes[kMaxRank];
  for (uint32_t d = 0; d + 1 < x.rank; ++d) sizes[d] = x.sizes[d < dim ? d : d + 1];
  Tensor like = x;
  like.sizes = sizes;
  like.rank = static_cast<uint8_t>(x.rank - 1);
  CopyList copies(p, outs, false);
  const CopyEnd in = copy_end(x);
  for (uint32_t i = 0; i < outs; ++i) {
    const Tensor out = p.list_output(2, i);
    if (p.failed()) return p.status();
    p.require_same_sizes(2, out, like);
    p.require_dtype(2, out, x.dtype);
    if (p.failed()) return p.status();
    copies.add(p, without(from_index(in, dim, i), dim, x.rank), copy_end(out), sizes, like.rank, x.dynamic);
  }
  return copies.finish(p);
}

// (self, shifts, dims, out): every shifted dimension goes in two parts, so 2^n moves in all. Without dims the
// elements shift in logical order.
Status aten_roll(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList shifts = p.int_list(1), dims = p.int_list(2);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  p.require_dtype(3, out, x.dtype);
  p.resize(3, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  const bool flat = dims.count == 0;
  p.require(shifts.count == (flat ? 1 : dims.count), Code::kInvalidProgram, 1, shifts.count, " shifts for ", dims.count,
            " dimensions");
  p.require(!flat || x.rank <= 1 || (is_contiguous(x) && is_contiguous(out)), Code::kUnsupported, 0,
            "rolling all dimensions as one needs contiguous memory (dim_order 0, 1, 2, ...)");
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();
  CopyEnd in = copy_end(x), to = copy_end(out);
  int32_t sizes[kMaxRank];
  uint32_t rank = x.rank;
  for (uint32_t i = 0; i < rank; ++i) sizes[i] = x.sizes[i];
  if (flat) {
    rank = 1;
    sizes[0] = static_cast<int32_t>(x.numel());
    in.strides[0] = to.strides[0] = 1;
  }
  int32_t shift[kMaxRank] = {};
  for (uint32_t i = 0; i < shifts.count; ++i) {
    const uint32_t at = flat ? 0 : axis(p, 2, dims.items[i], rank);
    if (p.failed()) return p.status();
    if (rank == 0) continue;
    const int64_t size = sizes[at];
    const int64_t rest = shifts.items[i] % size;
    shift[at] = static_cast<int32_t>((shift[at] + (rest < 0 ? rest + size : rest)) % size);
  }
  uint32_t moves = 1;
  for (uint32_t d = 0; d < rank; ++d) moves *= shift[d] != 0 ? 2 : 1;
  CopyList copies(p, moves, false);
  for (uint32_t m = 0; m < moves; ++m) {
    // Bit k of m: which part of the k-th shifted dimension.
    uint32_t bits = m;
    int32_t part[kMaxRank];
    CopyEnd from = in, into = to;
    for (uint32_t d = 0; d < rank; ++d) {
      part[d] = sizes[d];
      if (shift[d] == 0) continue;
      const bool wraps = (bits & 1) != 0;
      bits >>= 1;
      part[d] = wraps ? shift[d] : sizes[d] - shift[d];
      from = from_index(from, d, wraps ? sizes[d] - shift[d] : 0);
      into = from_index(into, d, wraps ? 0 : shift[d]);
    }
    copies.add(p, from, into, part, rank, out.dynamic);
  }
  return copies.finish(p);
}

}  // namespace wick::ops
