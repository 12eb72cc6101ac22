// Reductions over dimensions. Knows their signatures; the sums are the kernels'.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

constexpr uint32_t kAllDims = (1u << kMaxRank) - 1;

enum class Kind : uint8_t { kSum, kMean, kProd, kVar, kMax, kMin, kAny };

struct Job {
  Kind kind;
  uint32_t dims;  // bits
  bool keepdim;
  bool has_values = true;
  uint32_t values_arg = 0;
  bool has_indices = false;
  uint32_t indices_arg = 0;
  double correction = 0;
};

template <typename T>
Status run_reduce(const void* params, RunContext&) {
  kernels::reduce(*static_cast<const kernels::Reduce<T>*>(params));
  return {};
}

template <typename T>
T initial(Kind kind) {
  constexpr bool kReal = T(0.5) != T(0);
  switch (kind) {
    case Kind::kProd:
      return T(1);
    case Kind::kMax:
      return kReal ? static_cast<T>(-__builtin_huge_val()) : static_cast<T>(INT64_MIN);
    case Kind::kMin:
      return kReal ? static_cast<T>(__builtin_huge_val()) : static_cast<T>(INT64_MAX);
    default:
      return T(0);
  }
}

const kernels::ReduceLoops& loops_of(Kind kind) {
  switch (kind) {
    case Kind::kProd:
      return kernels::kProd;
    case Kind::kMax:
      return kernels::kMax;
    case Kind::kMin:
      return kernels::kMin;
    case Kind::kAny:
      return kernels::kAny;
    default:
      return kernels::kSum;
  }
}

// An output with the sizes that are left; its strides by the input's dimensions.
Tensor reduced_output(Prepare& p, uint32_t arg, const Tensor& x, const Job& job, int32_t strides[kMaxRank]) {
  Tensor out = p.output(arg);
  int32_t sizes[kMaxRank], own[kMaxRank];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    const bool reduced = (job.dims >> i & 1) != 0;
    if (!reduced || job.keepdim) sizes[rank++] = reduced ? 1 : x.sizes[i];
  }
  p.resize(arg, &out, sizes, rank);
  if (p.failed()) return out;
  strides_of(out, own);
  rank = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    const bool reduced = (job.dims >> i & 1) != 0;
    strides[i] = reduced ? 0 : own[rank];
    if (!reduced || job.keepdim) ++rank;
  }
  return out;
}

template <typename Loops>
Status finish_reduce(Prepare& p, const Tensor& x, const Job& job, const Loops& loops) {
  int32_t x_strides[kMaxRank], value_strides[kMaxRank] = {}, index_strides[kMaxRank] = {};
  Tensor values, indices;
  if (job.has_values) values = reduced_output(p, job.values_arg, x, job, value_strides);
  if (job.has_indices) {
    indices = reduced_output(p, job.indices_arg, x, job, index_strides);
    p.require_dtype(job.indices_arg, indices, DType::kInt64);
  }
  if (p.failed()) return p.status();
  strides_of(x, x_strides);
  uint32_t reduced = 1, kept = 1;
  for (uint32_t i = 0; i < x.rank; ++i) {
    ((job.dims >> i & 1) != 0 ? reduced : kept) *= static_cast<uint32_t>(x.sizes[i]);
  }
  if (kept == 0) return p.finish_nothing();
  p.require(reduced > 0 || (job.kind != Kind::kMax && job.kind != Kind::kMin), Code::kInvalidProgram, 0,
            "no elements to find an extreme of");

  WalkPlan outer(3, x.dynamic), inner(1, x.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i) {
    if ((job.dims >> i & 1) == 0) {
      outer.add(x.sizes[i], x_strides[i], value_strides[i], index_strides[i]);
    } else if (reduced > 0) {
      inner.add(x.sizes[i], x_strides[i]);
    }
  }
  outer.sort();
  outer.merge();
  if (!job.has_indices) inner.sort();  // positions count in logical order
  inner.merge();
  int32_t steps[kernels::kMaxOperands];
  const uint32_t run = inner.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(x.dtype), dtype_bytes(values.dtype), 8};
  const kernels::Walk outer_walk = outer.pack(p, bytes);
  const kernels::Walk inner_walk = inner.pack(p, bytes);
  // Sums are taken in the result's type, extremes in the operand's.
  const bool by_operand = job.kind == Kind::kMax || job.kind == Kind::kMin || job.kind == Kind::kAny;
  return with_computed(by_operand ? x.dtype : values.dtype, [&](auto type) {
    using T = decltype(type);
    kernels::Reduce<T> r = {};
    r.outer = outer_walk;
    r.inner = inner_walk;
    r.run = reduced == 0 ? 0 : run;
    r.run_step = steps[0];
    r.loop = loop_as<T>(loops);
    r.init = initial<T>(job.kind);
    if (job.kind == Kind::kVar) r.second = loop_as<T>(kernels::kSquares);
    r.mean_of = static_cast<T>(reduced);
    if (job.kind == Kind::kMean || job.kind == Kind::kVar) {
      const double freedom = static_cast<double>(reduced) - job.correction;
      r.divide = true;
      r.divisor = static_cast<T>(freedom > 0 ? freedom : 0);
    }
    r.in_dtype = x.dtype;
    r.out_dtype = values.dtype;
    r.in = x.as<uint8_t>();
    r.values = job.has_values ? values.as<uint8_t>() : nullptr;
    r.indices = job.has_indices ? indices.as<uint8_t>() : nullptr;
    if (p.failed()) return p.status();
    return p.finish(run_reduce<T>, r);
  });
}

Status reduce(Prepare& p, const Job& job, uint32_t arg_count) {
  const Tensor x = p.tensor(0);
  p.require_arg_count(arg_count);
  require_arithmetic(p, 0, x);
  if (job.has_values) {
    const Tensor values = p.output(job.values_arg);
    if (p.failed()) return p.status();
    require_arithmetic(p, job.values_arg, values);
    if (job.kind != Kind::kAny) require_castable(p, job.values_arg, x.dtype, values.dtype);
    p.require((job.kind != Kind::kMean && job.kind != Kind::kVar) || is_floating(values.dtype), Code::kInvalidProgram,
              job.values_arg, "expected a floating-point result, found ", dtype_name(values.dtype));
  }
  if (p.failed()) return p.status();
  return finish_reduce(p, x, job, loops_of(job.kind));
}

// (self, dim list, keepdim, ...)
Job over_dims(Prepare& p, Kind kind, uint32_t keepdim_arg, uint32_t out_arg, bool empty_is_all = true) {
  const Tensor x = p.tensor(0);
  return {kind, dim_mask(p, 1, x.rank, empty_is_all), p.boolean(keepdim_arg), true, out_arg};
}
// (self, dim, keepdim, ...)
Job over_dim(Prepare& p, Kind kind, uint32_t out_arg) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  const bool keepdim = p.boolean(2);
  return {kind, 1u << axis(p, 1, dim, x.rank), keepdim, true, out_arg};
}
Job over_all(Kind kind, uint32_t out_arg) { return {kind, kAllDims, false, true, out_arg}; }

// (self, dim, keepdim, values, indices)
Status extreme_of_dim(Prepare& p, Kind kind) {
  Job job = over_dim(p, kind, 3);
  job.has_indices = true;
  job.indices_arg = 4;
  return reduce(p, job, 5);
}

// (self, dim?, keepdim, indices)
Status position(Prepare& p, Kind kind) {
  const Tensor x = p.tensor(0);
  Job job = {kind, kAllDims, false, false, 0, true, 3};
  if (!p.is_none(1)) {
    const int64_t dim = p.integer(1);
    job.dims = 1u << axis(p, 1, dim, x.rank);
  }
  job.keepdim = p.boolean(2);
  return reduce(p, job, 4);
}

}  // namespace

Status aten_amax(Prepare& p) { return reduce(p, over_dims(p, Kind::kMax, 2, 3), 4); }
Status aten_amin(Prepare& p) { return reduce(p, over_dims(p, Kind::kMin, 2, 3), 4); }
Status aten_any(Prepare& p) { return reduce(p, over_dim(p, Kind::kAny, 3), 4); }
Status aten_any_all(Prepare& p) { return reduce(p, over_all(Kind::kAny, 1), 2); }
Status aten_any_dims(Prepare& p) { return reduce(p, over_dims(p, Kind::kAny, 2, 3, false), 4); }
Status aten_argmax(Prepare& p) { return position(p, Kind::kMax); }
Status aten_argmin(Prepare& p) { return position(p, Kind::kMin); }
Status aten_max_dim(Prepare& p) { return extreme_of_dim(p, Kind::kMax); }
Status aten_max_unary(Prepare& p) { return reduce(p, over_all(Kind::kMax, 1), 2); }
Status aten_mean(Prepare& p) { return reduce(p, over_dims(p, Kind::kMean, 2, 4), 5); }
Status aten_mean_dtype(Prepare& p) { return reduce(p, over_all(Kind::kMean, 2), 3); }
Status aten_min_dim(Prepare& p) { return extreme_of_dim(p, Kind::kMin); }
Status aten_min_unary(Prepare& p) { return reduce(p, over_all(Kind::kMin, 1), 2); }
Status aten_prod(Prepare& p) { return reduce(p, over_all(Kind::kProd, 2), 3); }
Status aten_prod_int(Prepare& p) { return reduce(p, over_dim(p, Kind::kProd, 4), 5); }
Status aten_sum(Prepare& p) { return reduce(p, over_dims(p, Kind::kSum, 2, 4), 5); }

Status aten_var(Prepare& p) {
  Job job = over_dims(p, Kind::kVar, 3, 4);
  job.correction = p.boolean(2) ? 1 : 0;
  return reduce(p, job, 5);
}
Status aten_var_correction(Prepare& p) {
  Job job = over_dims(p, Kind::kVar, 3, 4);
  job.correction = p.is_none(2) ? 1 : p.number(2);
  return reduce(p, job, 5);
}

}  // namespace wick::ops
