// aten::index and index_put: what the list of index tensors, or a mask in their place, points at.
#include "kernels/element.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/pick_plan.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

using kernels::PickAction;

// The list of index tensors: which dimensions they are for, and the sizes that they broadcast to.
struct Indices {
  Tensor tensors[kMaxRank];
  uint32_t listed = 0;
  uint32_t first = 0, last = 0;  // dimensions that are indexed
  uint32_t count = 0;
  bool adjacent = true;
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
};

bool is_mask(const Tensor& t) { return t.dtype == DType::kBool || t.dtype == DType::kUInt8; }

Indices read_indices(Prepare& p, const Tensor& x) {
  Indices r;
  r.listed = p.tensor_list(1, r.tensors, kMaxRank);
  Tensor common;
  common.sizes = r.sizes;
  bool masked = false;
  for (uint32_t i = 0; i < r.listed && !p.failed(); ++i) {
    const Tensor& t = r.tensors[i];
    if (t.rank == Prepare::kNoTensor) continue;
    if (r.count == 0) r.first = i;
    if (r.count > 0 && r.last + 1 != i) r.adjacent = false;
    r.last = i;
    ++r.count;
    if (is_mask(t)) {
      masked = true;
      p.require(t.rank >= 1 && i + t.rank <= x.rank, Code::kInvalidProgram, 1, "mask of rank ",
                static_cast<uint32_t>(t.rank), " at dimension ", i, " of a tensor of rank ",
                static_cast<uint32_t>(x.rank));
      continue;
    }
    require_index_dtype(p, 1, t);
    int32_t sizes[kMaxRank];
    if (!p.require(broadcast_sizes(common, t, sizes, &r.rank), Code::kInvalidProgram, 1,
                   "the index tensors' sizes do not broadcast to one another")) {
      return r;
    }
    for (uint32_t d = 0; d < r.rank; ++d) r.sizes[d] = sizes[d];
    common.rank = static_cast<uint8_t>(r.rank);
  }
  p.require(r.listed <= x.rank, Code::kInvalidProgram, 1, r.listed, " index tensors for a tensor of rank ",
            static_cast<uint32_t>(x.rank));
  p.require(r.count >= 1, Code::kUnsupported, 1, "no index tensor at all");
  p.require(!masked || r.count == 1, Code::kUnsupported, 1, "a mask beside other index tensors");
  return r;
}

// Sizes of what indexing gives: indexed dimensions are replaced by the indices' own, which stand in front when the
// indexed dimensions are not adjacent. `at` is where they stand.
uint32_t indexed_sizes(const Tensor& x, const Indices& r, int32_t sizes[2 * kMaxRank], uint32_t* at) {
  uint32_t rank = 0;
  *at = r.adjacent ? r.first : 0;
  if (!r.adjacent) {
    for (uint32_t d = 0; d < r.rank; ++d) sizes[rank++] = r.sizes[d];
  }
  for (uint32_t i = 0; i < x.rank; ++i) {
    const bool indexed = i < r.listed && r.tensors[i].rank != Prepare::kNoTensor;
    if (!indexed) {
      sizes[rank++] = x.sizes[i];
    } else if (r.adjacent && i == r.first) {
      for (uint32_t d = 0; d < r.rank; ++d) sizes[rank++] = r.sizes[d];
    }
  }
  return rank;
}

// Fills the walk. `other_strides` are by dimensions of what indexing gives.
void plan_index(Prepare& p, const Tensor& x, const Tensor& picked, const Indices& r, uint32_t at,
                const int32_t* other_strides, kernels::PickByIndex& pick) {
  p.require(r.count <= kernels::kMaxPicks, Code::kUnsupported, 1, r.count, " index tensors, at most ",
            kernels::kMaxPicks, " are supported");
  if (p.failed()) return;
  int32_t strides[kMaxRank], index_strides[kernels::kMaxPicks][kMaxRank] = {};
  strides_of(picked, strides);
  pick.dtype = x.dtype;
  kernels::Nest<2> rest;
  uint32_t other_dim = at == 0 && !r.adjacent ? r.rank : 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    const bool indexed = i < r.listed && r.tensors[i].rank != Prepare::kNoTensor;
    if (!indexed) {
      rest.add(x.sizes[i], {other_strides[other_dim++], strides[i]});
      continue;
    }
    if (r.adjacent && i == r.first) other_dim += r.rank;
    const Tensor& t = r.tensors[i];
    broadcast_strides(t, r.rank, index_strides[pick.count]);
    pick.indices[pick.count++] = {t.data, t.dtype == DType::kInt64, true, x.sizes[i], strides[i]};
  }
  kernels::Nest<2 + kernels::kMaxPicks> positions;
  for (uint32_t d = 0; d < r.rank; ++d) {
    positions.add(r.sizes[d], {other_strides[at + d], 0, index_strides[0][d], index_strides[1][d], index_strides[2][d],
                               index_strides[3][d]});
  }
  pick.positions = positions.narrowed<4>();
  pick.rest = rest.narrowed<4>();
  p.require(!pick.positions.too_deep && !pick.rest.too_deep, Code::kUnsupported, 1,
            "dimensions are too scattered in memory");
}

// A mask over the leading dimensions, or over any that follow each other.
void plan_mask(Prepare& p, const Tensor& x, const Tensor& picked, const Indices& r, kernels::PickByMask& pick,
               int32_t other_step, const int32_t* other_strides) {
  const Tensor& mask = r.tensors[r.first];
  int32_t strides[kMaxRank], mask_strides[kMaxRank];
  strides_of(picked, strides);
  strides_of(mask, mask_strides);
  kernels::Nest<2> positions, rest;
  for (uint32_t i = 0; i < mask.rank; ++i) {
    p.require(mask.sizes[i] == x.sizes[r.first + i], Code::kInvalidProgram, 1, "mask has size ", mask.sizes[i],
              " in dimension ", i, ", expected ", x.sizes[r.first + i]);
    positions.add(mask.sizes[i], {mask_strides[i], strides[r.first + i]});
  }
  uint32_t other_dim = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i == r.first) ++other_dim;  // the picked places
    if (i >= r.first && i < r.first + mask.rank) continue;
    rest.add(x.sizes[i], {other_strides[other_dim++], strides[i]});
  }
  pick.positions = positions.narrowed<8>();
  pick.rest = rest.narrowed<4>();
  pick.other_step = other_step;
  pick.dtype = x.dtype;
  p.require(!pick.positions.too_deep && !pick.rest.too_deep, Code::kUnsupported, 1,
            "dimensions are too scattered in memory");
}

// Sizes of what a mask gives, with `count` picked places.
uint32_t masked_sizes(const Tensor& x, const Indices& r, int32_t count, int32_t sizes[2 * kMaxRank]) {
  const uint32_t mask_rank = r.tensors[r.first].rank;
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i == r.first) sizes[rank++] = count;
    if (i < r.first || i >= r.first + mask_rank) sizes[rank++] = x.sizes[i];
  }
  return rank;
}

}  // namespace

// (self, indices, out)
Status aten_index(Prepare& p) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0);
  const Indices r = read_indices(p, x);
  Tensor out = p.output(2);
  require_same_dtype(p, 2, out, x);
  if (p.failed()) return p.status();
  int32_t sizes[2 * kMaxRank], strides[kMaxRank];
  if (is_mask(r.tensors[r.first])) {
    MaskParams params = {};
    p.require(r.first < out.rank, Code::kInvalidProgram, 2, "has rank ", static_cast<uint32_t>(out.rank));
    if (p.failed()) return p.status();
    const int32_t count = out.sizes[r.first];
    p.resize(2, &out, sizes, masked_sizes(x, r, count, sizes));
    if (p.failed()) return p.status();
    strides_of(out, strides);
    plan_mask(p, x, x, r, params.pick, strides[r.first], strides);
    params.pick.limit = static_cast<uint32_t>(count);
    params.pick.action = PickAction::kRead;
    params.mask = r.tensors[r.first].as<const uint8_t>();
    params.picked = x.data;
    params.other = out.data;
    params.exact = true;
    return p.finish(run_mask, params);
  }
  uint32_t at = 0;
  const uint32_t rank = indexed_sizes(x, r, sizes, &at);
  p.require(rank <= kMaxRank, Code::kUnsupported, 2, "result of rank ", rank);
  p.resize(2, &out, sizes, rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  strides_of(out, strides);
  IndexParams params = {};
  plan_index(p, x, x, r, at, strides, params.pick);
  params.pick.action = PickAction::kRead;
  params.picked = x.data;
  params.other = out.data;
  return p.finish(run_index, params);
}

namespace {

// (self, indices, values, accumulate, out); in place, out is self.
Status prepare_index_put(Prepare& p, uint32_t out_arg) {
  const Tensor x = p.tensor(0);
  const Indices r = read_indices(p, x);
  const Tensor values = p.tensor(2);
  const PickAction action = p.boolean(3) ? PickAction::kAdd : PickAction::kWrite;
  Tensor out = p.output(out_arg);
  require_same_dtype(p, out_arg, out, x);
  require_same_dtype(p, 2, values, x);
  p.resize(out_arg, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t sizes[2 * kMaxRank], strides[kMaxRank] = {};
  if (is_mask(r.tensors[r.first])) {
    // Values broadcast: one place serves all when their size there is 1 or they have no such dimension.
    const uint32_t rank = masked_sizes(x, r, 1, sizes);
    const uint32_t behind = rank - r.first - 1;
    const bool one_for_all = values.rank <= behind || values.sizes[values.rank - 1 - behind] == 1;
    if (!one_for_all) sizes[r.first] = values.sizes[values.rank - 1 - behind];
    p.require(strides_as(values, sizes, rank, strides), Code::kInvalidProgram, 2,
              "does not broadcast to the picked elements");
    MaskParams params = {};
    plan_mask(p, x, out, r, params.pick, one_for_all ? 0 : strides[r.first], strides);
    if (p.failed()) return p.status();
    params.pick.limit = one_for_all ? UINT32_MAX : static_cast<uint32_t>(sizes[r.first]);
    params.pick.action = action;
    params.copy = plan_first_copy(p, x, out);
    params.mask = r.tensors[r.first].as<const uint8_t>();
    params.picked = out.data;
    params.other = values.data;
    params.exact = !one_for_all;
    return p.finish(run_mask, params);
  }
  uint32_t at = 0;
  const uint32_t rank = indexed_sizes(x, r, sizes, &at);
  p.require(rank <= kMaxRank, Code::kUnsupported, 2, "picked elements of rank ", rank);
  p.require(p.failed() || strides_as(values, sizes, rank, strides), Code::kInvalidProgram, 2,
            "does not broadcast to the picked elements");
  IndexParams params = {};
  if (!p.failed()) plan_index(p, x, out, r, at, strides, params.pick);
  if (p.failed()) return p.status();
  params.pick.action = action;
  params.copy = plan_first_copy(p, x, out);
  params.picked = out.data;
  params.other = values.data;
  return p.finish(run_index, params);
}

}  // namespace

Status aten_index_put(Prepare& p) {
  p.require_arg_count(5);
  return prepare_index_put(p, 4);
}

Status aten_index_put_in_place(Prepare& p) {
  p.require_arg_count(4);
  return prepare_index_put(p, 0);
}

}  // namespace wick::ops
