// The runs of picking operators, and what their prepare functions share.
#include "runtime/ops/pick_plan.h"

#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

void run_first(const FirstCopy& copy) {
  if (copy.needed) kernels::strided_copy(copy.item.copy, copy.item.in, copy.item.out);
}

}  // namespace

FirstCopy plan_first_copy(Prepare& p, const Tensor& x, const Tensor& out) {
  const CopyEnd from = copy_end(x), to = copy_end(out);
  WalkPlan plan(2, x.dynamic || out.dynamic);
  for (uint32_t i = 0; i < out.rank; ++i) plan.add(out.sizes[i], to.strides[i], from.strides[i]);
  FirstCopy copy = {plan_copy(p, plan, from, to), x.data != out.data || !same_layout(x, out)};
  return copy;
}

Status run_index(const void* params, RunContext& context) {
  const auto& p = *static_cast<const IndexParams*>(params);
  run_first(p.copy);
  kernels::BadIndex bad = {};
  void* other = p.other != nullptr ? p.other : const_cast<uint8_t*>(p.value);
  if (kernels::pick_by_index(p.pick, p.picked, other, &bad)) return {};
  if (context.error != nullptr) {
    context.error->add("index ", bad.value, " is outside of a dimension of ", p.pick.indices[bad.which].size);
  }
  return Code::kInvalidArgument;
}

Status run_mask(const void* params, RunContext& context) {
  const auto& p = *static_cast<const MaskParams*>(params);
  run_first(p.copy);
  const uint32_t count = kernels::pick_by_mask(p.pick, p.mask, p.picked, p.other);
  if (count <= p.pick.limit && (!p.exact || count == p.pick.limit)) return {};
  if (context.error != nullptr) {
    context.error->add("the mask picks ", count, " elements, the other tensor has ", p.pick.limit);
  }
  return Code::kInvalidArgument;
}

void require_index_dtype(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(t.dtype == DType::kInt64 || t.dtype == DType::kInt32, Code::kInvalidProgram, arg,
            "expected indices of int32 or int64, found ", dtype_name(t.dtype));
}

bool strides_as(const Tensor& t, const int32_t* sizes, uint32_t rank, int32_t strides[kMaxRank]) {
  if (t.rank > rank) return false;
  for (uint32_t i = 0; i < t.rank; ++i) {
    if (t.sizes[i] != 1 && t.sizes[i] != sizes[rank - t.rank + i]) return false;
  }
  broadcast_strides(t, rank, strides);
  return true;
}

}  // namespace wick::ops
