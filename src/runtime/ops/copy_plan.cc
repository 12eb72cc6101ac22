// Plans of moves, and the functions that run them.
#include "runtime/ops/copy_plan.h"

namespace wick::ops {

namespace {

struct Items {
  const void* items;
  uint32_t count;
};

Status run_copy(const void* params, RunContext&) {
  const CopyItem& item = *static_cast<const CopyItem*>(params);
  kernels::strided_copy(item.copy, item.in, item.out);
  return {};
}

Status run_cast(const void* params, RunContext&) {
  kernels::map_cast(*static_cast<const kernels::CastMap*>(params));
  return {};
}

Status run_copies(const void* params, RunContext&) {
  const Items& list = *static_cast<const Items*>(params);
  const CopyItem* items = static_cast<const CopyItem*>(list.items);
  for (uint32_t i = 0; i < list.count; ++i) kernels::strided_copy(items[i].copy, items[i].in, items[i].out);
  return {};
}

Status run_casts(const void* params, RunContext&) {
  const Items& list = *static_cast<const Items*>(params);
  const kernels::CastMap* items = static_cast<const kernels::CastMap*>(list.items);
  for (uint32_t i = 0; i < list.count; ++i) kernels::map_cast(items[i]);
  return {};
}

WalkPlan plan_of(const CopyEnd& in, const CopyEnd& out, const int32_t* sizes, uint32_t rank, bool dynamic) {
  WalkPlan plan(2, dynamic);
  for (uint32_t i = 0; i < rank; ++i) plan.add(sizes[i], out.strides[i], in.strides[i]);
  return plan;
}

kernels::CastMap plan_cast(Prepare& p, WalkPlan& plan, const CopyEnd& in, const CopyEnd& out) {
  plan.sort();
  plan.merge();
  int32_t steps[kernels::kMaxOperands];
  kernels::CastMap m = {};
  m.run = plan.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), dtype_bytes(in.dtype)};
  m.walk = plan.pack(p, bytes);
  m.out = {out.data, steps[0], out.dtype};
  m.x = {in.data, steps[1], in.dtype};
  return m;
}

}  // namespace

CopyEnd copy_end(const Tensor& t) {
  CopyEnd end = {t.as<uint8_t>(), t.dtype, {}};
  strides_of(t, end.strides);
  return end;
}

CopyItem plan_copy(Prepare& p, WalkPlan& plan, const CopyEnd& in, const CopyEnd& out) {
  plan.sort();
  plan.merge();
  const uint32_t width = dtype_bytes(out.dtype);
  CopyItem item = {};
  item.copy.run_bytes = plan.take_contiguous_run() * width;
  item.copy.align = width < 4 ? width : 4;
  const uint32_t bytes[] = {width, width};
  item.copy.walk = plan.pack(p, bytes);
  item.in = in.data;
  item.out = out.data;
  return item;
}

Status finish_copy(Prepare& p, WalkPlan& plan, const CopyEnd& in, const CopyEnd& out) {
  const CopyItem item = plan_copy(p, plan, in, out);
  if (p.failed()) return p.status();
  return p.finish(run_copy, item);
}

Status finish_copy(Prepare& p, const CopyEnd& in, const CopyEnd& out, const int32_t* sizes, uint32_t rank,
                   bool dynamic) {
  if (p.failed()) return p.status();
  for (uint32_t i = 0; i < rank; ++i) {
    if (sizes[i] == 0) return p.finish_nothing();
  }
  WalkPlan plan = plan_of(in, out, sizes, rank, dynamic);
  if (in.dtype == out.dtype) return finish_copy(p, plan, in, out);
  const kernels::CastMap m = plan_cast(p, plan, in, out);
  return p.finish(run_cast, m);
}

CopyList::CopyList(Prepare& p, uint32_t count, bool casts)
    : items_(p.persistent(count * static_cast<uint32_t>(casts ? sizeof(kernels::CastMap) : sizeof(CopyItem)))),
      casts_(casts) {}

void CopyList::add(Prepare& p, const CopyEnd& in, const CopyEnd& out, const int32_t* sizes, uint32_t rank,
                   bool dynamic) {
  for (uint32_t i = 0; i < rank; ++i) {
    if (sizes[i] == 0) return;
  }
  WalkPlan plan = plan_of(in, out, sizes, rank, dynamic);
  if (casts_) {
    const kernels::CastMap m = plan_cast(p, plan, in, out);
    if (p.may_write()) static_cast<kernels::CastMap*>(items_)[count_] = m;
  } else {
    const CopyItem item = plan_copy(p, plan, in, out);
    if (p.may_write()) static_cast<CopyItem*>(items_)[count_] = item;
  }
  ++count_;
}

Status CopyList::finish(Prepare& p) {
  if (p.failed()) return p.status();
  return p.finish(casts_ ? run_casts : run_copies, Items{items_, count_});
}

}  // namespace wick::ops
