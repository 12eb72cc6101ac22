// Operators along one dimension that keep it: softmax, running sums, the k largest. Knows their signatures; the
// arithmetic is the kernels'.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

// Rows of `x` along `dim`, with the walk over all other dimensions.
kernels::Rows rows(Prepare& p, const Tensor& x, const Tensor& out, uint32_t dim) {
  int32_t in_strides[kMaxRank], out_strides[kMaxRank];
  strides_of(x, in_strides);
  strides_of(out, out_strides);
  WalkPlan plan(2, out.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i != dim) plan.add(x.sizes[i], out_strides[i], in_strides[i]);
  }
  plan.sort();
  plan.merge();
  const uint32_t bytes[] = {dtype_bytes(out.dtype), dtype_bytes(x.dtype)};
  kernels::Rows r = {};
  r.walk = plan.pack(p, bytes);
  r.count = x.rank > 0 ? static_cast<uint32_t>(x.size(dim)) : 1;
  r.in_step = x.rank > 0 ? in_strides[dim] : 1;
  r.out_step = x.rank > 0 ? out_strides[dim] : 1;
  r.in_dtype = x.dtype;
  r.out_dtype = out.dtype;
  r.in = x.as<uint8_t>();
  r.out = out.as<uint8_t>();
  return r;
}

template <typename T, bool kLog>
Status run_softmax(const void* params, RunContext&) {
  kernels::softmax<T>(*static_cast<const kernels::Rows*>(params), kLog);
  return {};
}

// (self, dim, half_to_float, out)
template <bool kLog>
Status softmax(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  const bool half_to_float = p.boolean(2);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  p.require(!half_to_float, Code::kUnsupported, 2, "half_to_float must be false");
  require_real(p, 0, x.dtype);
  if (p.failed()) return p.status();
  p.require_dtype(3, out, x.dtype);
  p.resize(3, &out, x.sizes, x.rank);
  const uint32_t at = axis(p, 1, dim, x.rank);
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();
  const kernels::Rows r = rows(p, x, out, at);
  return with_real(x.dtype, [&](auto type) { return p.finish(run_softmax<decltype(type), kLog>, r); });
}

template <typename T>
Status run_cumsum(const void* params, RunContext&) {
  kernels::cumsum<T>(*static_cast<const kernels::Rows*>(params));
  return {};
}

template <typename T>
Status run_topk(const void* params, RunContext& context) {
  kernels::topk<T>(*static_cast<const kernels::TopK*>(params), context.scratch);
  return {};
}

}  // namespace

Status aten_softmax(Prepare& p) { return softmax<false>(p); }
Status aten_log_softmax(Prepare& p) { return softmax<true>(p); }

// (self, dim, dtype?, out)
Status aten_cumsum(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  if (p.failed()) return p.status();
  require_arithmetic(p, 0, x);
  require_arithmetic(p, 3, out);
  require_castable(p, 3, x.dtype, out.dtype);
  p.resize(3, &out, x.sizes, x.rank);
  const uint32_t at = axis(p, 1, dim, x.rank);
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();
  const kernels::Rows r = rows(p, x, out, at);
  return with_computed(out.dtype, [&](auto type) { return p.finish(run_cumsum<decltype(type)>, r); });
}

// (self, k, dim, largest, sorted, values, indices)
Status aten_topk(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t k = p.integer(1), dim = p.integer(2);
  const bool largest = p.boolean(3);
  Tensor values = p.output(5), indices = p.output(6);
  p.require_arg_count(7);
  if (p.failed()) return p.status();
  require_arithmetic(p, 0, x);
  p.require_dtype(5, values, x.dtype);
  p.require_dtype(6, indices, DType::kInt64);
  const uint32_t at = axis(p, 2, dim, x.rank);
  if (p.failed()) return p.status();
  const int32_t count = x.rank > 0 ? x.size(at) : 1;
  p.require(k >= 0 && k <= count, Code::kInvalidProgram, 1, "asks for ", k, " of ", count, " elements");
  if (p.failed()) return p.status();
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) sizes[i] = i == at ? static_cast<int32_t>(k) : x.sizes[i];
  p.resize(5, &values, sizes, x.rank);
  p.resize(6, &indices, sizes, x.rank);
  if (p.failed()) return p.status();
  if (values.numel() == 0 || k == 0) return p.finish_nothing();
  int32_t in_strides[kMaxRank], value_strides[kMaxRank], index_strides[kMaxRank];
  strides_of(x, in_strides);
  strides_of(values, value_strides);
  strides_of(indices, index_strides);
  WalkPlan plan(3, x.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i) {
    if (i != at) plan.add(x.sizes[i], value_strides[i], index_strides[i], in_strides[i]);
  }
  plan.sort();
  plan.merge();
  const uint32_t width = dtype_bytes(x.dtype);
  const uint32_t bytes[] = {width, 8, width};
  kernels::TopK t = {};
  t.walk = plan.pack(p, bytes);
  t.count = static_cast<uint32_t>(count);
  t.k = static_cast<uint32_t>(k);
  t.values_step = x.rank > 0 ? value_strides[at] : 1;
  t.indices_step = x.rank > 0 ? index_strides[at] : 1;
  t.in_step = x.rank > 0 ? in_strides[at] : 1;
  t.dtype = x.dtype;
  t.largest = largest;
  t.values = values.as<uint8_t>();
  t.indices = indices.as<uint8_t>();
  t.in = x.as<uint8_t>();
  return with_computed(x.dtype, [&](auto type) {
    using T = decltype(type);
    p.scratch(kernels::topk_scratch_bytes<T>(t.k));
    return p.finish(run_topk<T>, t);
  });
}

}  // namespace wick::ops
