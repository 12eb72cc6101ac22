// Operators that make a tensor from numbers. Knows their signatures and how a number becomes an element.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Fill {
  void* out;
  uint32_t count;
  uint32_t element;
  uint8_t pattern[8];
};

Status run_fill(const void* params, RunContext&) {
  const Fill& f = *static_cast<const Fill*>(params);
  kernels::fill(f.out, f.count, f.pattern, f.element);
  return {};
}

Status filled(Prepare& p, const Tensor& out, const Scalar& value) {
  if (p.failed()) return p.status();
  Fill f = {out.data, out.numel(), dtype_bytes(out.dtype), {}};
  if (f.count == 0) return p.finish_nothing();
  // Stored as an element first: aligned for any.
  alignas(8) uint8_t element[8] = {};
  if (value.kind == Scalar::Kind::kFloat) {
    kernels::store_block(out.dtype, &value.f, 1, element, 1);
  } else if (out.dtype == DType::kUInt64) {
    kernels::store_block(DType::kInt64, &value.i, 1, element, 1);
  } else {
    kernels::store_block(out.dtype, &value.i, 1, element, 1);
  }
  for (uint32_t i = 0; i < f.element; ++i) f.pattern[i] = element[i];
  return p.finish(run_fill, f);
}

// An output whose sizes are an argument.
Tensor sized_output(Prepare& p, uint32_t size_arg, uint32_t out_arg) {
  const IntList wanted = p.int_list(size_arg);
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  p.require(wanted.count <= kMaxRank, Code::kUnsupported, size_arg, "rank ", wanted.count, ", at most ", kMaxRank,
            " is supported");
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < wanted.count && !p.failed(); ++i) {
    p.require(wanted.items[i] >= 0 && wanted.items[i] <= INT32_MAX, Code::kInvalidProgram, size_arg, "a size of ",
              wanted.items[i]);
    sizes[i] = static_cast<int32_t>(wanted.items[i]);
  }
  if (!p.failed()) p.resize(out_arg, &out, sizes, wanted.count);
  return out;
}

// An output of argument 0's sizes.
Tensor like_output(Prepare& p, uint32_t out_arg) {
  const Tensor x = p.tensor(0);
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  p.resize(out_arg, &out, x.sizes, x.rank);
  return out;
}

Scalar whole(int64_t value) { return {Scalar::Kind::kInt, value, 0}; }

template <typename T>
struct Range {
  T start, step;
  uint32_t count;
  void* out;
  DType dtype;
};

template <typename T>
Status run_arange(const void* params, RunContext&) {
  const Range<T>& r = *static_cast<const Range<T>*>(params);
  kernels::arange(r.start, r.step, r.count, r.out, r.dtype);
  return {};
}

Status range(Prepare& p, const Scalar& start, const Scalar& end, const Scalar& step, uint32_t out_arg) {
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  require_arithmetic(p, out_arg, out);
  if (p.failed()) return p.status();
  const double first = start.as_double(), by = step.as_double(), span = end.as_double() - first;
  p.require(by != 0 && span / by >= 0, Code::kInvalidProgram, out_arg, "the step leads away from the end");
  if (p.failed()) return p.status();
  const double count = __builtin_ceil(span / by);
  p.require(count <= INT32_MAX, Code::kInvalidProgram, out_arg, "too many elements");
  if (p.failed()) return p.status();
  const int32_t size = static_cast<int32_t>(count);
  p.resize(out_arg, &out, &size, 1);
  if (p.failed()) return p.status();
  if (size == 0) return p.finish_nothing();
  const uint32_t n = static_cast<uint32_t>(size);
  if (!is_floating(out.dtype) && start.kind != Scalar::Kind::kFloat && step.kind != Scalar::Kind::kFloat) {
    return p.finish(run_arange<int64_t>, Range<int64_t>{start.i, step.i, n, out.data, out.dtype});
  }
  return p.finish(run_arange<double>, Range<double>{first, by, n, out.data, out.dtype});
}

}  // namespace

Status aten_full(Prepare& p) {
  const Scalar value = p.scalar(1);
  return filled(p, sized_output(p, 0, 2), value);
}
Status aten_full_like(Prepare& p) {
  const Scalar value = p.scalar(1);
  return filled(p, like_output(p, 3), value);
}
Status aten_fill_scalar(Prepare& p) {
  const Scalar value = p.scalar(1);
  return filled(p, like_output(p, 2), value);
}
Status aten_zeros(Prepare& p) { return filled(p, sized_output(p, 0, 1), whole(0)); }
Status aten_ones(Prepare& p) { return filled(p, sized_output(p, 0, 1), whole(1)); }
Status aten_scalar_tensor(Prepare& p) {
  const Scalar value = p.scalar(0);
  Tensor out = p.output(1);
  p.require_arg_count(2);
  p.require(p.failed() || out.numel() == 1, Code::kInvalidProgram, 1, "expected one element");
  return filled(p, out, value);
}

// Memory whose content is nobody's promise: nothing to do.
Status aten_empty(Prepare& p) {
  (void)sized_output(p, 0, 2);
  return p.failed() ? p.status() : p.finish_nothing();
}
Status dim_order_empty(Prepare& p) { return aten_empty(p); }

Status aten_arange(Prepare& p) {
  const Scalar end = p.scalar(0);
  return range(p, whole(0), end, whole(1), 1);
}
Status aten_arange_start(Prepare& p) {
  const Scalar start = p.scalar(0), end = p.scalar(1), step = p.scalar(2);
  return range(p, start, end, step, 3);
}

}  // namespace wick::ops
