// Operators that are copies between cleverly chosen strides: as_strided_copy, diagonal_copy, unfold_copy, pixel_shuffle
// and back, select_scatter, slice_scatter. Nothing is computed when they run.
#include "runtime/ops/aten_args.h"
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

void shift(CopyEnd& end, int64_t elements) {
  end.data = offset(end.data, elements * static_cast<int64_t>(dtype_bytes(end.dtype)));
}

// The last steps of an operator whose output's elements are the input's at other strides.
Status finish(Prepare& p, const Tensor& x, uint32_t out_arg, Tensor& out, const CopyEnd& from, const int32_t* sizes,
              uint32_t rank) {
  require_same_dtype(p, out_arg, out, x);
  p.resize(out_arg, &out, sizes, rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  return finish_copy(p, from, copy_end(out), sizes, rank, x.dynamic || out.dynamic);
}

}  // namespace

// (self, size, stride, storage_offset, out): counts in memory order, whatever the input's dim_order.
Status aten_as_strided_copy(Prepare& p) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0);
  const IntList size = p.int_list(1), stride = p.int_list(2);
  const int64_t start = p.is_none(3) ? 0 : p.integer(3);
  Tensor out = p.output(4);
  p.require(start >= 0 && start <= INT32_MAX, Code::kInvalidProgram, 3, "storage offset of ", start);
  p.require(size.count == stride.count && size.count <= kMaxRank, Code::kInvalidProgram, 2, "has ", stride.count,
            " entries, expected ", size.count);
  if (p.failed()) return p.status();
  CopyEnd from = {x.as<uint8_t>(), x.dtype, {}};
  int32_t sizes[kMaxRank];
  int64_t last = start;
  bool empty = false;
  for (uint32_t i = 0; i < size.count && !p.failed(); ++i) {
    p.require(size.items[i] >= 0 && size.items[i] <= INT32_MAX && stride.items[i] >= 0 && stride.items[i] <= INT32_MAX,
              Code::kInvalidProgram, 2, "size ", size.items[i], " with stride ", stride.items[i]);
    sizes[i] = static_cast<int32_t>(size.items[i]);
    from.strides[i] = static_cast<int32_t>(stride.items[i]);
    empty = empty || size.items[i] == 0;
    if (!p.failed() && size.items[i] > 1) last += (size.items[i] - 1) * stride.items[i];
    p.require(last <= INT64_MAX / 4, Code::kInvalidProgram, 2, "reaches too far");
  }
  p.require(empty || last < static_cast<int64_t>(x.numel()), Code::kInvalidProgram, 1, "reaches to element ", last,
            " of ", x.numel());
  if (p.failed()) return p.status();
  if (!empty) shift(from, start);
  return finish(p, x, 4, out, from, sizes, size.count);
}

// (self, offset, dim1, dim2, out)
Status aten_diagonal_copy(Prepare& p) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0);
  const int32_t diagonal = p.int32_in(1, -kMaxExtent, kMaxExtent);
  const uint32_t row = dimension(p, 2, x.rank), column = dimension(p, 3, x.rank);
  Tensor out = p.output(4);
  p.require(x.rank >= 2 && row != column, Code::kInvalidProgram, 3, "expected two different dimensions");
  if (p.failed()) return p.status();
  const CopyEnd whole = copy_end(x);
  CopyEnd from = whole;
  const int32_t rows = x.sizes[row] - (diagonal < 0 ? -diagonal : 0);
  const int32_t columns = x.sizes[column] - (diagonal > 0 ? diagonal : 0);
  const int32_t length = rows < columns ? rows : columns;
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i == row || i == column) continue;
    sizes[rank] = x.sizes[i];
    from.strides[rank++] = whole.strides[i];
  }
  sizes[rank] = length > 0 ? length : 0;
  from.strides[rank++] = whole.strides[row] + whole.strides[column];
  if (length > 0) {
    shift(from, diagonal < 0 ? -static_cast<int64_t>(diagonal) * whole.strides[row]
                             : static_cast<int64_t>(diagonal) * whole.strides[column]);
  }
  return finish(p, x, 4, out, from, sizes, rank);
}

// (self, dimension, size, step, out): windows along a dimension; their elements become the last one.
Status aten_unfold_copy(Prepare& p) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0);
  const uint32_t dim = dimension(p, 1, x.rank);
  const int32_t size = p.int32_in(2, 0, INT32_MAX), step = p.int32_in(3, 1, INT32_MAX);
  Tensor out = p.output(4);
  p.require(x.rank < kMaxRank, Code::kUnsupported, 0, "rank ", static_cast<uint32_t>(x.rank), " is too large");
  if (p.failed()) return p.status();
  const int32_t length = x.rank > 0 ? x.sizes[dim] : 1;
  p.require(size <= length, Code::kInvalidProgram, 2, "window of ", size, " along a size of ", length);
  if (p.failed()) return p.status();
  CopyEnd from = copy_end(x);
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) sizes[i] = x.sizes[i];
  from.strides[x.rank] = x.rank > 0 ? from.strides[dim] : 1;
  sizes[x.rank] = size;
  if (x.rank > 0) {
    sizes[dim] = (length - size) / step + 1;
    // A step that is never taken need not fit.
    from.strides[dim] = sizes[dim] > 1 ? from.strides[dim] * step : 0;
  }
  return finish(p, x, 4, out, from, sizes, x.rank + 1u);
}

namespace {

// (self, factor, out). The larger image's axes are split into (position, phase); the smaller one has the phases as
// channels.
Status prepare_pixels(Prepare& p, bool shuffle) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0);
  const int32_t factor = p.int32_in(1, 1, 1 << 12);
  Tensor out = p.output(2);
  require_same_dtype(p, 2, out, x);
  p.require(x.rank >= 3 && x.rank + 2u <= kMaxRank, Code::kUnsupported, 0, "expected rank 3 to ", kMaxRank - 2,
            ", found ", static_cast<uint32_t>(x.rank));
  if (p.failed()) return p.status();
  const uint32_t c = x.rank - 3u, h = c + 1, w = c + 2;
  const int32_t square = factor * factor;
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < c; ++i) sizes[i] = x.sizes[i];
  if (shuffle) {
    p.require(x.sizes[c] % square == 0, Code::kInvalidProgram, 0, x.sizes[c], " channels, expected a multiple of ",
              square);
    p.require(x.sizes[h] <= INT32_MAX / factor && x.sizes[w] <= INT32_MAX / factor, Code::kInvalidProgram, 1,
              "the image becomes too large");
  } else {
    p.require(x.sizes[h] % factor == 0 && x.sizes[w] % factor == 0, Code::kInvalidProgram, 0, "image of ", x.sizes[h],
              " by ", x.sizes[w], ", expected multiples of ", factor);
    p.require(x.sizes[c] <= INT32_MAX / square, Code::kInvalidProgram, 1, "there would be too many channels");
  }
  if (p.failed()) return p.status();
  sizes[c] = shuffle ? x.sizes[c] / square : x.sizes[c] * square;
  sizes[h] = shuffle ? x.sizes[h] * factor : x.sizes[h] / factor;
  sizes[w] = shuffle ? x.sizes[w] * factor : x.sizes[w] / factor;
  p.resize(2, &out, sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();

  CopyEnd from = copy_end(x), to = copy_end(out);
  CopyEnd &small = shuffle ? from : to, &large = shuffle ? to : from;
  const int32_t* small_sizes = shuffle ? x.sizes : sizes;
  // Leading dimensions, channels of the larger image, vertical phase, horizontal phase, rows, columns.
  int32_t loops[kMaxRank];
  for (uint32_t i = 0; i < c; ++i) loops[i] = sizes[i];
  loops[c] = small_sizes[c] / square;
  loops[c + 1] = loops[c + 2] = factor;
  loops[c + 3] = small_sizes[h];
  loops[c + 4] = small_sizes[w];
  const int32_t channel = small.strides[c], row = small.strides[h], column = small.strides[w];
  small.strides[c] = channel * square;
  small.strides[c + 1] = channel * factor;
  small.strides[c + 2] = channel;
  small.strides[c + 3] = row;
  small.strides[c + 4] = column;
  const int32_t large_row = large.strides[h], large_column = large.strides[w];
  large.strides[c + 1] = large_row;
  large.strides[c + 2] = large_column;
  large.strides[c + 3] = large_row * factor;
  large.strides[c + 4] = large_column * factor;
  return finish_copy(p, from, to, loops, c + 5, x.dynamic || out.dynamic);
}

// The input copied, then a source over a part of it: [start, start + count * step) along `dim`. `drops_dim`: the source
// has no such dimension.
Status finish_part(Prepare& p, const Tensor& x, uint32_t source_arg, uint32_t out_arg, uint32_t dim, int32_t start,
                   int32_t step, int32_t count, bool drops_dim) {
  const Tensor source = p.tensor(source_arg);
  Tensor out = p.output(out_arg);
  require_same_dtype(p, source_arg, source, x);
  require_same_dtype(p, out_arg, out, x);
  p.resize(out_arg, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  CopyEnd part = copy_end(out);
  shift(part, static_cast<int64_t>(start) * part.strides[dim]);
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i == dim && drops_dim) continue;
    sizes[rank] = i == dim ? count : x.sizes[i];
    part.strides[rank++] = i == dim && count > 1 ? part.strides[i] * step : part.strides[i];
  }
  Tensor expected;
  expected.sizes = sizes;
  expected.rank = static_cast<uint8_t>(rank);
  p.require_same_sizes(source_arg, source, expected);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  const bool dynamic = x.dynamic || out.dynamic || source.dynamic;
  CopyList copies(p, 2, false);
  copies.add(p, copy_end(x), copy_end(out), x.sizes, x.rank, dynamic);
  if (source.numel() > 0) copies.add(p, copy_end(source), part, sizes, rank, dynamic);
  return copies.finish(p);
}

}  // namespace

Status aten_pixel_shuffle(Prepare& p) { return prepare_pixels(p, true); }
Status aten_pixel_unshuffle(Prepare& p) { return prepare_pixels(p, false); }

// (self, src, dim, index, out)
Status aten_select_scatter(Prepare& p) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0);
  p.require(x.rank >= 1, Code::kInvalidProgram, 0, "expected rank 1 or more");
  const uint32_t dim = dimension(p, 2, x.rank);
  if (p.failed()) return p.status();
  const int32_t size = x.sizes[dim];
  const int32_t index = p.int32(3);
  p.require(index >= -size && index < size, Code::kInvalidProgram, 3, index, " is outside of a dimension of ", size);
  if (p.failed()) return p.status();
  return finish_part(p, x, 1, 4, dim, index < 0 ? index + size : index, 1, 1, true);
}

// (self, src, dim, start, end, step, out)
Status aten_slice_scatter(Prepare& p) {
  p.require_arg_count(7);
  const Tensor x = p.tensor(0);
  p.require(x.rank >= 1, Code::kInvalidProgram, 0, "expected rank 1 or more");
  const uint32_t dim = dimension(p, 2, x.rank);
  if (p.failed()) return p.status();
  const int64_t size = x.sizes[dim];
  int64_t start = p.is_none(3) ? 0 : p.integer(3), end = p.is_none(4) ? size : p.integer(4);
  const int32_t step = p.int32_in(5, 1, INT32_MAX);
  if (p.failed()) return p.status();
  const auto clamped = [size](int64_t at) {
    if (at < 0) at = at < -size ? 0 : at + size;
    return at < size ? at : size;
  };
  start = clamped(start);
  end = clamped(end);
  const int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
  return finish_part(p, x, 1, 6, dim, static_cast<int32_t>(count > 0 ? start : 0), step, static_cast<int32_t>(count),
                     false);
}

}  // namespace wick::ops
