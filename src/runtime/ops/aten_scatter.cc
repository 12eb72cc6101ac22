// aten::scatter in its forms and masked_scatter: elements written where an index or a mask says.
#include "kernels/element.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/pick_plan.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

using kernels::PickAction;

// (self, dim, index, src or value, out)
Status prepare_scatter(Prepare& p, PickAction action, bool has_source) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0), index = p.tensor(2);
  const uint32_t dim = dimension(p, 1, x.rank);
  Tensor source;
  if (has_source) {
    source = p.tensor(3);
    require_same_dtype(p, 3, source, x);
  }
  Tensor out = p.output(4);
  require_same_dtype(p, 4, out, x);
  require_index_dtype(p, 2, index);
  p.resize(4, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  IndexParams params = {};
  if (!has_source) {
    const Scalar value = p.scalar(3);
    if (is_floating(x.dtype)) {
      kernels::store_f64(params.value, x.dtype, 0, value.as_double());
    } else {
      kernels::store_i64(params.value, x.dtype, 0, scalar_as<int64_t>(value));
    }
  }
  if (index.numel() > 0) {
    p.require(index.rank == x.rank || (index.rank <= 1 && x.rank <= 1), Code::kInvalidProgram, 2, "has rank ",
              static_cast<uint32_t>(index.rank), ", expected ", static_cast<uint32_t>(x.rank));
    p.require(!has_source || source.rank == index.rank, Code::kInvalidProgram, 3, "expected the index tensor's rank");
    for (uint32_t i = 0; i < index.rank && !p.failed(); ++i) {
      p.require(i == dim || x.rank == 0 || index.sizes[i] <= x.sizes[i], Code::kInvalidProgram, 2, "has size ",
                index.sizes[i], " in dimension ", i, ", the input ", x.rank == 0 ? 1 : x.sizes[i]);
      p.require(!has_source || index.sizes[i] <= source.sizes[i], Code::kInvalidProgram, 3, "is smaller than the ",
                "index tensor in dimension ", i);
    }
  }
  if (p.failed()) return p.status();
  int32_t strides[kMaxRank] = {}, source_strides[kMaxRank] = {}, index_strides[kMaxRank];
  strides_of(out, strides);
  strides_of(index, index_strides);
  if (has_source) strides_of(source, source_strides);
  kernels::Nest<2 + kernels::kMaxPicks> positions;
  for (uint32_t i = 0; i < index.rank; ++i) {
    positions.add(index.sizes[i], {source_strides[i], i == dim ? 0 : strides[i], index_strides[i], 0, 0, 0});
  }
  params.pick.positions = positions.narrowed<4>();
  p.require(!params.pick.positions.too_deep, Code::kUnsupported, 2, "dimensions are too scattered in memory");
  if (p.failed()) return p.status();
  params.pick.indices[0] = {index.data, index.dtype == DType::kInt64, false, x.rank > 0 ? x.sizes[dim] : 1,
                            strides[dim]};
  params.pick.count = 1;
  params.pick.action = action;
  params.pick.dtype = x.dtype;
  params.copy = plan_first_copy(p, x, out);
  params.picked = out.data;
  params.other = has_source ? source.data : nullptr;
  return p.finish(run_index, params);
}

}  // namespace

Status aten_scatter_src(Prepare& p) { return prepare_scatter(p, PickAction::kWrite, true); }
Status aten_scatter_value(Prepare& p) { return prepare_scatter(p, PickAction::kWrite, false); }
Status aten_scatter_add(Prepare& p) { return prepare_scatter(p, PickAction::kAdd, true); }

// (self, mask, source, out): the source's elements in order, one for each true place.
Status aten_masked_scatter(Prepare& p) {
  p.require_arg_count(4);
  const Tensor x = p.tensor(0), mask = p.tensor(1), source = p.tensor(2);
  Tensor out = p.output(3);
  p.require_dtype(1, mask, DType::kBool);
  require_same_dtype(p, 2, source, x);
  require_same_dtype(p, 3, out, x);
  p.require(is_contiguous(source), Code::kUnsupported, 2, "expected contiguous memory (dim_order 0, 1, 2, ...)");
  if (p.failed()) return p.status();
  const Tensor* operands[2] = {&x, &mask};
  resize_to_broadcast(p, 3, &out, operands, 2);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t strides[kMaxRank], mask_strides[kMaxRank] = {}, x_strides[kMaxRank] = {};
  strides_of(out, strides);
  broadcast_strides(mask, out.rank, mask_strides);
  broadcast_strides(x, out.rank, x_strides);
  MaskParams params = {};
  const CopyEnd to = copy_end(out);
  CopyEnd from = copy_end(x);
  WalkPlan plan(2, x.dynamic || out.dynamic);
  for (uint32_t i = 0; i < out.rank; ++i) {
    params.pick.positions.add(out.sizes[i], {mask_strides[i], strides[i]});
    plan.add(out.sizes[i], strides[i], x_strides[i]);
  }
  params.copy = {plan_copy(p, plan, from, to), true};
  params.pick.other_step = 1;
  params.pick.limit = source.numel();
  params.pick.action = PickAction::kWrite;
  params.pick.dtype = x.dtype;
  params.mask = mask.as<const uint8_t>();
  params.picked = out.data;
  params.other = source.data;
  return p.finish(run_mask, params);
}

}  // namespace wick::ops
