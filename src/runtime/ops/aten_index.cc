// Operators that pick elements by an index tensor. Knows their signatures; indices are judged when they are read.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  kernels::Gather gather;
  const uint8_t *in, *index;
  uint8_t* out;
};

Status run_gather(const void* params, RunContext& context) {
  const Params& g = *static_cast<const Params*>(params);
  int64_t bad;
  if (kernels::gather(g.gather, g.in, g.index, g.out, &bad)) return {};
  if (context.error != nullptr) {
    context.error->add("index ", bad, " is outside of a dimension of ", g.gather.in_size);
  }
  return Code::kInvalidArgument;
}

// `plan`: out, in (standing still along `dim`), index.
Status finish_gather(Prepare& p, WalkPlan& plan, const Tensor& x, uint32_t dim, const Tensor& index,
                     const Tensor& out) {
  plan.sort();
  plan.merge();
  const uint32_t width = dtype_bytes(x.dtype), index_width = dtype_bytes(index.dtype);
  Params params = {};
  kernels::Gather& g = params.gather;
  g.element = plan.take_contiguous_run() * width;
  int32_t steps[kernels::kMaxOperands];
  g.run = plan.take_run(steps);
  const uint32_t bytes[] = {width, width, index_width};
  g.walk = plan.pack(p, bytes);
  g.out_step = steps[0] * static_cast<int32_t>(width);
  g.in_step = steps[1] * static_cast<int32_t>(width);
  g.index_step = steps[2] * static_cast<int32_t>(index_width);
  int32_t strides[kMaxRank];
  strides_of(x, strides);
  g.in_size = x.rank > 0 ? x.size(dim) : 1;
  g.in_stride = x.rank > 0 ? strides[dim] * static_cast<int32_t>(width) : 0;
  g.wide = index.dtype == DType::kInt64;
  params.in = x.as<uint8_t>();
  params.index = index.as<uint8_t>();
  params.out = out.as<uint8_t>();
  if (p.failed()) return p.status();
  return p.finish(run_gather, params);
}

void require_index(Prepare& p, uint32_t arg, const Tensor& index) {
  p.require(index.dtype == DType::kInt64 || index.dtype == DType::kInt32, Code::kInvalidProgram, arg,
            "expected int32 or int64, found ", dtype_name(index.dtype));
}

}  // namespace

// (self, dim, index, out)
Status aten_index_select(Prepare& p) {
  const Tensor x = p.tensor(0), index = p.tensor(2);
  const int64_t dim = p.integer(1);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  p.require_dtype(3, out, x.dtype);
  require_index(p, 2, index);
  p.require(index.rank <= 1, Code::kInvalidProgram, 2, "expected a rank of at most 1");
  if (p.failed()) return p.status();
  const uint32_t at = axis(p, 1, dim, x.rank);
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) sizes[i] = i == at ? static_cast<int32_t>(index.numel()) : x.sizes[i];
  p.require(x.rank > 0 || index.numel() == 1, Code::kInvalidProgram, 2, "expected one index into a tensor of rank 0");
  p.resize(3, &out, sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t in_strides[kMaxRank], out_strides[kMaxRank];
  strides_of(x, in_strides);
  strides_of(out, out_strides);
  WalkPlan plan(3, out.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i)
    plan.add(sizes[i], out_strides[i], i == at ? 0 : in_strides[i], i == at ? 1 : 0);
  return finish_gather(p, plan, x, at, index, out);
}

// (self, dim, index, sparse_grad, out)
Status aten_gather(Prepare& p) {
  const Tensor x = p.tensor(0), index = p.tensor(2);
  const int64_t dim = p.integer(1);
  Tensor out = p.output(4);
  p.require_arg_count(5);
  p.require_dtype(4, out, x.dtype);
  require_index(p, 2, index);
  if (p.failed()) return p.status();
  const uint32_t at = axis(p, 1, dim, x.rank);
  p.resize(4, &out, index.sizes, index.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  p.require(index.rank == x.rank || (index.rank <= 1 && x.rank <= 1), Code::kInvalidProgram, 2,
            "expected the input's rank");
  for (uint32_t i = 0; i < x.rank && !p.failed(); ++i) {
    p.require(i == at || index.sizes[i] <= x.sizes[i], Code::kInvalidProgram, 2, "has size ", index.sizes[i],
              " in dimension ", i, ", the input ", x.sizes[i]);
  }
  if (p.failed()) return p.status();
  int32_t in_strides[kMaxRank] = {}, out_strides[kMaxRank], index_strides[kMaxRank];
  strides_of(x, in_strides);
  strides_of(out, out_strides);
  strides_of(index, index_strides);
  WalkPlan plan(3, out.dynamic);
  for (uint32_t i = 0; i < index.rank; ++i) {
    plan.add(out.sizes[i], out_strides[i], i == at ? 0 : in_strides[i], index_strides[i]);
  }
  return finish_gather(p, plan, x, at, index, out);
}

// (weight, indices, padding_idx, scale_grad_by_freq, sparse, out): the last three matter to training alone.
Status aten_embedding(Prepare& p) {
  const Tensor w = p.tensor(0), index = p.tensor(1);
  Tensor out = p.output(5);
  p.require_arg_count(6);
  p.require_rank(0, w, 2);
  p.require_dtype(5, out, w.dtype);
  require_index(p, 1, index);
  p.require(index.rank < kMaxRank, Code::kUnsupported, 1, "rank ", static_cast<uint32_t>(index.rank), " is too large");
  if (p.failed()) return p.status();
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < index.rank; ++i) sizes[i] = index.sizes[i];
  sizes[index.rank] = w.sizes[1];
  p.resize(5, &out, sizes, index.rank + 1u);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t w_strides[kMaxRank], out_strides[kMaxRank], index_strides[kMaxRank];
  strides_of(w, w_strides);
  strides_of(out, out_strides);
  strides_of(index, index_strides);
  WalkPlan plan(3, out.dynamic);
  for (uint32_t i = 0; i < index.rank; ++i) plan.add(sizes[i], out_strides[i], 0, index_strides[i]);
  plan.add(sizes[index.rank], out_strides[index.rank], w_strides[1], 0);
  return finish_gather(p, plan, w, 0, index, out);
}

}  // namespace wick::ops
