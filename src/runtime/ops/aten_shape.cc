// Operators that show a tensor's elements under other indices. Knows their signatures; every one is a strided move.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

// The input as the output will see it: strides by the output's dimensions, and a start.
struct View {
  int32_t sizes[kMaxRank];
  int32_t strides[kMaxRank];
  uint32_t rank = 0;
  int64_t start = 0;  // elements

  void add(int32_t size, int32_t stride) {
    sizes[rank] = size;
    strides[rank++] = stride;
  }
};

View view_of(const Tensor& t) {
  View v;
  strides_of(t, v.strides);
  for (uint32_t i = 0; i < t.rank; ++i) v.sizes[i] = t.sizes[i];
  v.rank = t.rank;
  return v;
}

Status finish_view(Prepare& p, const Tensor& x, const View& view, uint32_t out_arg) {
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  p.require_dtype(out_arg, out, x.dtype);
  p.resize(out_arg, &out, view.sizes, view.rank);
  if (p.failed()) return p.status();
  CopyEnd in = {offset(x.data, view.start * dtype_bytes(x.dtype)), x.dtype, {}};
  for (uint32_t i = 0; i < view.rank; ++i) in.strides[i] = view.strides[i];
  return finish_copy(p, in, copy_end(out), view.sizes, view.rank, out.dynamic);
}

void contiguous_strides(const int32_t* sizes, uint32_t rank, int32_t strides[kMaxRank]) {
  int32_t step = 1;
  for (uint32_t i = rank; i-- > 0;) {
    strides[i] = step;
    step *= sizes[i] > 0 ? sizes[i] : 1;
  }
}

struct TwoCopies {
  CopyItem first, second;  // by way of scratch
};

Status run_two_copies(const void* params, RunContext& context) {
  const TwoCopies& c = *static_cast<const TwoCopies*>(params);
  uint8_t* scratch = static_cast<uint8_t*>(context.scratch);
  kernels::strided_copy(c.first.copy, c.first.in, scratch);
  kernels::strided_copy(c.second.copy, scratch, c.second.out);
  return {};
}

// Elements in logical order go to elements in logical order, whatever the sizes on either side.
Status finish_reshape(Prepare& p, const Tensor& x, const int32_t* sizes, uint32_t rank, uint32_t out_arg) {
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  p.require_dtype(out_arg, out, x.dtype);
  p.resize(out_arg, &out, sizes, rank);
  p.require(p.failed() || x.numel() == out.numel(), Code::kInvalidProgram, out_arg, "has ", out.numel(),
            " elements, the input ", x.numel());
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();
  CopyEnd in = copy_end(x), to = copy_end(out);
  if (same_sizes(x, out)) return finish_copy(p, in, to, out.sizes, out.rank, out.dynamic);
  if (is_contiguous(x)) {
    contiguous_strides(out.sizes, out.rank, in.strides);
    return finish_copy(p, in, to, out.sizes, out.rank, out.dynamic);
  }
  if (is_contiguous(out)) {
    contiguous_strides(x.sizes, x.rank, to.strides);
    return finish_copy(p, in, to, x.sizes, x.rank, out.dynamic);
  }
  CopyEnd between = {nullptr, x.dtype, {}};
  TwoCopies copies;
  contiguous_strides(x.sizes, x.rank, between.strides);
  WalkPlan first(2, out.dynamic), second(2, out.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i) first.add(x.sizes[i], between.strides[i], in.strides[i]);
  copies.first = plan_copy(p, first, in, between);
  contiguous_strides(out.sizes, out.rank, between.strides);
  for (uint32_t i = 0; i < out.rank; ++i) second.add(out.sizes[i], to.strides[i], between.strides[i]);
  copies.second = plan_copy(p, second, between, to);
  p.scratch(x.bytes());
  return p.finish(run_two_copies, copies);
}

Status permuted(Prepare& p, const Tensor& x, const uint8_t* dims, uint32_t out_arg) {
  const View from = view_of(x);
  View v;
  for (uint32_t i = 0; i < x.rank; ++i) v.add(from.sizes[dims[i]], from.strides[dims[i]]);
  return finish_view(p, x, v, out_arg);
}

Status sliced(Prepare& p, const Tensor& x, uint32_t at, int64_t start, int64_t count, int64_t step, uint32_t out_arg) {
  View v = view_of(x);
  // With at most one element the step is never taken, and it may be huge.
  v.start = count > 0 ? start * v.strides[at] : 0;
  v.sizes[at] = static_cast<int32_t>(count);
  v.strides[at] = count > 1 ? static_cast<int32_t>(step * v.strides[at]) : 0;
  return finish_view(p, x, v, out_arg);
}

Status selected(Prepare& p, const Tensor& x, uint32_t at, int64_t index, uint32_t out_arg) {
  const View from = view_of(x);
  View v;
  v.start = index * from.strides[at];
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i != at) v.add(from.sizes[i], from.strides[i]);
  }
  return finish_view(p, x, v, out_arg);
}

// A dimension argument of a tensor that must have one.
uint32_t axis_of(Prepare& p, uint32_t arg, const Tensor& x) {
  const int64_t dim = p.integer(arg);
  p.require(p.failed() || x.rank > 0, Code::kInvalidProgram, arg, "a tensor of rank 0 has no dimensions");
  return p.failed() ? 0 : axis(p, arg, dim, x.rank);
}

}  // namespace

// (self, size, out)
Status aten_view_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList wanted = p.int_list(1);
  if (p.failed()) return p.status();
  p.require(wanted.count <= kMaxRank, Code::kUnsupported, 1, "rank ", wanted.count, ", at most ", kMaxRank,
            " is supported");
  int32_t sizes[kMaxRank];
  uint32_t open = kMaxRank;
  uint64_t known = 1;
  for (uint32_t i = 0; i < wanted.count && !p.failed(); ++i) {
    const int64_t size = wanted.items[i];
    p.require(size >= -1 && size <= INT32_MAX && (size != -1 || open == kMaxRank), Code::kInvalidProgram, 1,
              "a size of ", size);
    if (p.failed()) break;
    if (size == -1) {
      open = i;
    } else {
      known *= static_cast<uint64_t>(size);
      p.require(known <= INT32_MAX, Code::kInvalidProgram, 1, "too many elements");
    }
    sizes[i] = static_cast<int32_t>(size);
  }
  if (p.failed()) return p.status();
  if (open < kMaxRank) {
    p.require(known > 0 && x.numel() % known == 0, Code::kInvalidProgram, 1, x.numel(),
              " elements do not divide among the other dimensions");
    if (p.failed()) return p.status();
    sizes[open] = static_cast<int32_t>(x.numel() / known);
  }
  return finish_reshape(p, x, sizes, wanted.count, 2);
}

// (self, dims, out)
Status aten_permute_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList dims = p.int_list(1);
  p.require(p.failed() || dims.count == x.rank, Code::kInvalidProgram, 1, "names ", dims.count,
            " dimensions of a tensor of rank ", static_cast<uint32_t>(x.rank));
  uint8_t order[kMaxRank];
  uint32_t seen = 0;
  for (uint32_t i = 0; i < dims.count && !p.failed(); ++i) {
    const uint32_t at = axis(p, 1, dims.items[i], x.rank);
    p.require((seen >> at & 1) == 0, Code::kInvalidProgram, 1, "names dimension ", at, " twice");
    seen |= 1u << at;
    order[i] = static_cast<uint8_t>(at);
  }
  if (p.failed()) return p.status();
  return permuted(p, x, order, 2);
}

Status aten_t_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  p.require(x.rank <= 2, Code::kInvalidProgram, 0, "expected a rank of at most 2");
  if (p.failed()) return p.status();
  static constexpr uint8_t kSwapped[2] = {1, 0}, kSame[1] = {0};
  return permuted(p, x, x.rank == 2 ? kSwapped : kSame, 1);
}

// (self, dim0, dim1, out)
Status aten_transpose_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim0 = p.integer(1), dim1 = p.integer(2);
  if (p.failed()) return p.status();
  const uint32_t a = axis(p, 1, dim0, x.rank), b = axis(p, 2, dim1, x.rank);
  if (p.failed()) return p.status();
  uint8_t order[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) order[i] = static_cast<uint8_t>(i == a ? b : i == b ? a : i);
  return permuted(p, x, order, 3);
}

// (self, dim, out)
Status aten_unsqueeze_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  if (p.failed()) return p.status();
  p.require(x.rank < kMaxRank, Code::kUnsupported, 0, "rank above ", kMaxRank);
  const uint32_t at = axis(p, 1, dim, x.rank + 1u);
  if (p.failed()) return p.status();
  const View from = view_of(x);
  View v;
  for (uint32_t i = 0; i <= x.rank; ++i) {
    if (i == at) v.add(1, 0);
    if (i < x.rank) v.add(from.sizes[i], from.strides[i]);
  }
  return finish_view(p, x, v, 2);
}

namespace {
Status squeezed(Prepare& p, const Tensor& x, uint32_t dims) {
  const View from = view_of(x);
  View v;
  for (uint32_t i = 0; i < x.rank; ++i) {
    if ((dims >> i & 1) == 0 || from.sizes[i] != 1) v.add(from.sizes[i], from.strides[i]);
  }
  return finish_view(p, x, v, 2);
}
}  // namespace

// (self, dim, out)
Status aten_squeeze_copy_dim(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  if (p.failed()) return p.status();
  const uint32_t at = axis(p, 1, dim, x.rank);
  if (p.failed()) return p.status();
  return squeezed(p, x, 1u << at);
}
// (self, dims, out)
Status aten_squeeze_copy_dims(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t dims = dim_mask(p, 1, x.rank, false);
  if (p.failed()) return p.status();
  return squeezed(p, x, dims);
}

// (self, size, implicit, out)
Status aten_expand_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList wanted = p.int_list(1);
  p.require(!p.boolean(2), Code::kUnsupported, 2, "implicit must be false");
  if (p.failed()) return p.status();
  p.require(wanted.count >= x.rank && wanted.count <= kMaxRank, Code::kInvalidProgram, 1, wanted.count,
            " sizes for a tensor of rank ", static_cast<uint32_t>(x.rank));
  if (p.failed()) return p.status();
  const View from = view_of(x);
  const uint32_t missing = wanted.count - x.rank;
  View v;
  for (uint32_t i = 0; i < wanted.count; ++i) {
    const int64_t size = wanted.items[i];
    const bool is_new = i < missing;
    const int32_t own = is_new ? 1 : from.sizes[i - missing];
    const bool kept = !is_new && (size == -1 || size == own);
    if (!p.require(kept || (own == 1 && size >= 0 && size <= INT32_MAX), Code::kInvalidProgram, 1, "a dimension of ",
                   own, " cannot become ", size)) {
      return p.status();
    }
    v.add(kept ? own : static_cast<int32_t>(size), kept ? from.strides[i - missing] : 0);
  }
  return finish_view(p, x, v, 3);
}

// (self, repeats, out)
Status aten_repeat(Prepare& p) {
  const Tensor x = p.tensor(0);
  const IntList repeats = p.int_list(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  p.require_dtype(2, out, x.dtype);
  if (p.failed()) return p.status();
  p.require(repeats.count >= x.rank && repeats.count <= kMaxRank, Code::kInvalidProgram, 1, repeats.count,
            " repeats for a tensor of rank ", static_cast<uint32_t>(x.rank));
  if (p.failed()) return p.status();
  const uint32_t missing = repeats.count - x.rank;
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < repeats.count; ++i) {
    const int64_t own = i < missing ? 1 : x.sizes[i - missing];
    const int64_t times = repeats.items[i];
    if (!p.require(times >= 0 && times <= INT32_MAX && own * times <= INT32_MAX, Code::kInvalidProgram, 1, times,
                   " repeats of ", own)) {
      return p.status();
    }
    sizes[i] = static_cast<int32_t>(own * times);
  }
  p.resize(2, &out, sizes, repeats.count);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  const CopyEnd in = copy_end(x), to = copy_end(out);
  WalkPlan plan(2, out.dynamic);
  for (uint32_t i = 0; i < repeats.count; ++i) {
    const int32_t own = i < missing ? 1 : x.sizes[i - missing];
    plan.add(static_cast<int32_t>(repeats.items[i]), to.strides[i] * own, 0);
    plan.add(own, to.strides[i], i < missing ? 0 : in.strides[i - missing]);
  }
  return finish_copy(p, plan, in, to);
}

// (self, dim, start?, end?, step, out)
Status aten_slice_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t at = axis_of(p, 1, x);
  if (p.failed()) return p.status();
  const int64_t size = x.size(at);
  const auto bound = [&](uint32_t arg, int64_t missing) {
    int64_t value = p.is_none(arg) ? missing : p.integer(arg);
    if (value < 0) value = value + size;
    return value < 0 ? 0 : value > size ? size : value;
  };
  const int64_t start = bound(2, 0), end = bound(3, size), step = p.integer(4);
  p.require(step > 0, Code::kInvalidProgram, 4, "a step of ", step);
  if (p.failed()) return p.status();
  return sliced(p, x, at, start, start < end ? (end - 1 - start) / step + 1 : 0, step, 5);
}

// (self, dim, start, length, out)
Status aten_narrow_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t at = axis_of(p, 1, x);
  int64_t start = p.integer(2);
  const int64_t length = p.integer(3);
  if (p.failed()) return p.status();
  const int64_t size = x.size(at);
  if (start < 0) start += size;
  p.require(start >= 0 && start <= size && length >= 0 && length <= size - start, Code::kInvalidProgram, 2, length,
            " elements from ", start, " of a dimension of ", size);
  if (p.failed()) return p.status();
  return sliced(p, x, at, start, length, 1, 4);
}

// (self, dim, index, out)
Status aten_select_copy(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t at = axis_of(p, 1, x);
  const int64_t index = p.integer(2);
  if (p.failed()) return p.status();
  const int64_t size = x.size(at);
  p.require(index >= -size && index < size, Code::kInvalidProgram, 2, "index ", index, " is outside of a dimension of ",
            size);
  if (p.failed()) return p.status();
  return selected(p, x, at, index < 0 ? index + size : index, 3);
}

// (self, dims, out)
Status aten_flip(Prepare& p) {
  const Tensor x = p.tensor(0);
  const uint32_t dims = dim_mask(p, 1, x.rank, false);
  if (p.failed()) return p.status();
  View v = view_of(x);
  for (uint32_t i = 0; i < x.rank; ++i) {
    if ((dims >> i & 1) == 0 || v.sizes[i] == 0) continue;
    v.start += static_cast<int64_t>(v.sizes[i] - 1) * v.strides[i];
    v.strides[i] = -v.strides[i];
  }
  return finish_view(p, x, v, 2);
}

// (self, diagonal, out)
Status aten_tril(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t diagonal = p.integer(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  p.require_dtype(2, out, x.dtype);
  p.require(x.rank >= 2, Code::kInvalidProgram, 0, "expected a rank of at least 2");
  p.resize(2, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();
  const CopyEnd in = copy_end(x), to = copy_end(out);
  const uint32_t row = x.rank - 2u, column = x.rank - 1u;
  WalkPlan plan(2, out.dynamic);
  for (uint32_t i = 0; i < row; ++i) plan.add(x.sizes[i], to.strides[i], in.strides[i]);
  plan.sort();
  plan.merge();
  const int32_t width = static_cast<int32_t>(dtype_bytes(x.dtype));
  const uint32_t bytes[] = {dtype_bytes(x.dtype), dtype_bytes(x.dtype)};
  struct Params {
    kernels::Tril tril;
    const uint8_t* in;
    uint8_t* out;
  } params = {};
  kernels::Tril& t = params.tril;
  t.walk = plan.pack(p, bytes);
  t.rows = static_cast<uint32_t>(x.sizes[row]);
  t.columns = static_cast<uint32_t>(x.sizes[column]);
  t.element = dtype_bytes(x.dtype);
  t.diagonal = diagonal > INT32_MAX ? INT32_MAX : diagonal < INT32_MIN ? INT32_MIN : static_cast<int32_t>(diagonal);
  t.out_row = to.strides[row] * width;
  t.out_column = to.strides[column] * width;
  t.in_row = in.strides[row] * width;
  t.in_column = in.strides[column] * width;
  params.in = in.data;
  params.out = to.data;
  return p.finish(
      [](const void* kept, RunContext&) -> Status {
        const Params& r = *static_cast<const Params*>(kept);
        kernels::tril(r.tril, r.in, r.out);
        return {};
      },
      params);
}

}  // namespace wick::ops
