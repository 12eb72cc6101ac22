// Operators that copy a tensor as it is: into another dtype, another dim_order, another tensor. Knows their signatures;
// elements keep their logical index.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

void require_cast(Prepare& p, uint32_t out_arg, DType from, DType to) {
  p.require(from == to || (from != DType::kUInt64 && to != DType::kUInt64), Code::kUnsupported, out_arg,
            "no cast between ", dtype_name(from), " and ", dtype_name(to));
}

// x, broadcast to the output's sizes.
Status finish_broadcast(Prepare& p, const Tensor& x, const Tensor& out, uint32_t out_arg) {
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
  p.require(broadcast_sizes(x, out, sizes, &rank), Code::kInvalidProgram, out_arg,
            "the source's sizes do not broadcast to the output's");
  if (p.failed()) return p.status();
  Tensor common = out;
  common.sizes = sizes;
  common.rank = static_cast<uint8_t>(rank);
  p.require_same_sizes(out_arg, out, common);
  if (p.failed()) return p.status();
  CopyEnd in = copy_end(x);
  broadcast_strides(x, out.rank, in.strides);
  return finish_copy(p, in, copy_end(out), out.sizes, out.rank, out.dynamic);
}

Status copied(Prepare& p, uint32_t out_arg, bool may_cast = false) {
  const Tensor x = p.tensor(0);
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  if (may_cast) {
    require_cast(p, out_arg, x.dtype, out.dtype);
  } else {
    p.require_dtype(out_arg, out, x.dtype);
  }
  p.resize(out_arg, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  return finish_copy(p, copy_end(x), copy_end(out), out.sizes, out.rank, out.dynamic);
}

// An explicit dim_order must be the output's own.
void require_dim_order(Prepare& p, uint32_t arg, const Tensor& out) {
  if (p.is_none(arg)) return;
  const IntList order = p.int_list(arg);
  bool same = order.count == out.rank;
  for (uint32_t i = 0; same && i < out.rank; ++i) same = order.items[i] == out.dim_order[i];
  p.require(p.failed() || same, Code::kInvalidProgram, arg, "is not the output's dim_order");
}

void require_blocking(Prepare& p, uint32_t arg) {
  p.require(!p.boolean(arg), Code::kUnsupported, arg, "non_blocking must be false");
}

}  // namespace

// (self, out)
Status aten_alias_copy(Prepare& p) { return copied(p, 1); }
Status aten_detach_copy(Prepare& p) { return copied(p, 1); }
Status aten_lift_fresh_copy(Prepare& p) { return copied(p, 1); }

// (self, memory_format, out): the output's dim_order says it all.
Status aten_clone(Prepare& p) { return copied(p, 2); }

// (self, non_blocking, memory_format, out)
Status aten_to_copy(Prepare& p) {
  require_blocking(p, 1);
  return copied(p, 3, true);
}

// (self, non_blocking, dim_order, out)
Status dim_order_to_dim_order_copy(Prepare& p) {
  require_blocking(p, 1);
  const Tensor out = p.output(3);
  if (p.failed()) return p.status();
  require_dim_order(p, 2, out);
  return copied(p, 3, true);
}
Status dim_order_clone(Prepare& p) {
  require_blocking(p, 1);
  const Tensor out = p.output(3);
  if (p.failed()) return p.status();
  require_dim_order(p, 2, out);
  return copied(p, 3);
}

// (self, src, non_blocking, out)
Status aten_copy(Prepare& p) {
  const Tensor x = p.tensor(0), source = p.tensor(1);
  require_blocking(p, 2);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  p.require_dtype(3, out, x.dtype);
  require_cast(p, 1, source.dtype, out.dtype);
  p.resize(3, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  return finish_broadcast(p, source, out, 3);
}

// (self, src, non_blocking) -> self
Status aten_copy_inplace(Prepare& p) {
  const Tensor out = p.output(0), source = p.tensor(1);
  p.keeps_state();  // ExecuTorch writes back mutable buffers this way, and nothing else
  require_blocking(p, 2);
  p.require_arg_count(3);
  require_cast(p, 1, source.dtype, out.dtype);
  if (p.failed()) return p.status();
  return finish_broadcast(p, source, out, 0);
}

// (self, value, out): every element is the value of a tensor.
Status aten_fill_tensor(Prepare& p) {
  const Tensor x = p.tensor(0), value = p.tensor(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  p.require_dtype(2, out, x.dtype);
  require_cast(p, 1, value.dtype, out.dtype);
  p.resize(2, &out, x.sizes, x.rank);
  p.require(p.failed() || value.numel() == 1, Code::kInvalidProgram, 1, "expected one element");
  if (p.failed()) return p.status();
  CopyEnd in = copy_end(value);
  for (int32_t& stride : in.strides) stride = 0;
  return finish_copy(p, in, copy_end(out), out.sizes, out.rank, out.dynamic);
}

}  // namespace wick::ops
