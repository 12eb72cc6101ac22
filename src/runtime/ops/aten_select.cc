// Operators that choose between elements: where, masked_fill, clamp by tensors. Knows their signatures; the choosing is
// the kernels'.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

template <typename T>
Status run_select(const void* params, RunContext&) {
  kernels::map_select(*static_cast<const kernels::SelectMap<T>*>(params));
  return {};
}

// out = condition ? a : b; a is null for `constant`.
Status select(Prepare& p, uint32_t condition_arg, const Tensor& condition, const Tensor* a, const Scalar& constant,
              const Tensor& b, uint32_t out_arg) {
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  p.require(condition.dtype == DType::kBool || condition.dtype == DType::kUInt8, Code::kInvalidProgram, condition_arg,
            "expected bool or uint8, found ", dtype_name(condition.dtype));
  require_arithmetic(p, out_arg, b);
  if (a != nullptr) require_arithmetic(p, out_arg, *a);
  if (p.failed()) return p.status();
  const DType common = a != nullptr ? promote(a->dtype, b.dtype) : b.dtype;
  require_castable(p, out_arg, common, out.dtype);
  const Tensor* operands[3] = {&condition, a, &b};
  const Tensor* shaped[3] = {&condition, &b, a};
  resize_to_broadcast(p, out_arg, &out, shaped, a != nullptr ? 3 : 2);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  WalkPlan plan = plan_broadcast(out, operands, 3);
  int32_t steps[kernels::kMaxOperands];
  const uint32_t run = plan.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), 1, a != nullptr ? dtype_bytes(a->dtype) : 0, dtype_bytes(b.dtype)};
  const kernels::Walk walk = plan.pack(p, bytes);
  return with_computed(common, [&](auto type) {
    using T = decltype(type);
    kernels::SelectMap<T> m = {};
    m.walk = walk;
    m.run = run;
    m.out = lane(out, steps[0]);
    m.c = lane(condition, steps[1]);
    if (a != nullptr) m.a = lane(*a, steps[2]);
    m.b = lane(b, steps[3]);
    m.a_constant = a == nullptr;
    m.constant = scalar_as<T>(constant);
    if (p.failed()) return p.status();
    return p.finish(run_select<T>, m);
  });
}

template <typename T>
struct ClampTensors {
  kernels::BinaryMap<T> low, high;  // without a loop where there is no bound
};

template <typename T>
Status run_clamp(const void* params, RunContext&) {
  const ClampTensors<T>& c = *static_cast<const ClampTensors<T>*>(params);
  if (c.low.loop != nullptr) kernels::map_binary(c.low);
  if (c.high.loop != nullptr) kernels::map_binary(c.high);
  return {};
}

template <typename T>
kernels::BinaryMap<T> clamp_by(Prepare& p, const kernels::BinaryLoops& loops, const Tensor& out, const Tensor& x,
                               const Tensor& bound) {
  const Tensor* operands[2] = {&x, &bound};
  WalkPlan plan = plan_broadcast(out, operands, 2);
  int32_t steps[kernels::kMaxOperands];
  kernels::BinaryMap<T> m = {};
  m.run = plan.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), dtype_bytes(x.dtype), dtype_bytes(bound.dtype)};
  m.walk = plan.pack(p, bytes);
  m.loop = loop_as<T>(loops);
  m.out = lane(out, steps[0]);
  m.a = lane(x, steps[1]);
  m.b = lane(bound, steps[2]);
  return m;
}

}  // namespace

Status aten_where(Prepare& p) {
  const Tensor condition = p.tensor(0), a = p.tensor(1), b = p.tensor(2);
  if (p.failed()) return p.status();
  return select(p, 0, condition, &a, {}, b, 3);
}

Status aten_masked_fill_scalar(Prepare& p) {
  const Tensor x = p.tensor(0), mask = p.tensor(1);
  const Scalar value = p.scalar(2);
  if (p.failed()) return p.status();
  return select(p, 1, mask, nullptr, value, x, 3);
}

Status aten_clamp_tensor(Prepare& p) {
  const Tensor x = p.tensor(0);
  Tensor low, high;
  const bool has_low = p.optional_tensor(1, &low), has_high = p.optional_tensor(2, &high);
  Tensor out = p.output(3);
  p.require_arg_count(4);
  p.require(has_low || has_high, Code::kInvalidProgram, 1, "neither bound is given");
  const Tensor* shaped[3] = {&x};
  uint32_t count = 1;
  if (has_low) shaped[count++] = &low;
  if (has_high) shaped[count++] = &high;
  if (p.failed()) return p.status();
  DType common = x.dtype;
  for (uint32_t i = 0; i < count; ++i) {
    require_arithmetic(p, i, *shaped[i]);
    common = promote(common, shaped[i]->dtype);
  }
  require_arithmetic(p, 3, out);
  require_castable(p, 3, common, out.dtype);
  resize_to_broadcast(p, 3, &out, shaped, count);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  return with_computed(common, [&](auto type) {
    using T = decltype(type);
    ClampTensors<T> c = {};
    // The second bound works on the first one's result.
    if (has_low) c.low = clamp_by<T>(p, kernels::kMaximum, out, x, low);
    if (has_high) c.high = clamp_by<T>(p, kernels::kMinimum, out, has_low ? out : x, high);
    if (p.failed()) return p.status();
    return p.finish(run_clamp<T>, c);
  });
}

// The first half of a dimension times the sigmoid of the second.
Status aten_glu(Prepare& p) {
  const Tensor x = p.tensor(0);
  const int64_t dim = p.integer(1);
  Tensor out = p.output(2);
  p.require_arg_count(3);
  if (p.failed()) return p.status();
  const uint32_t at = axis(p, 1, dim, x.rank);
  p.require(x.rank > 0 && x.size(at) % 2 == 0, Code::kInvalidProgram, 1, "expected a dimension of even size");
  require_real(p, 0, is_floating(x.dtype) ? x.dtype : DType::kFloat32);
  require_castable(p, 2, is_floating(x.dtype) ? x.dtype : DType::kFloat32, out.dtype);
  if (p.failed()) return p.status();
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) sizes[i] = i == at ? x.sizes[i] / 2 : x.sizes[i];
  p.resize(2, &out, sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t in_strides[kMaxRank], out_strides[kMaxRank];
  strides_of(x, in_strides);
  strides_of(out, out_strides);
  WalkPlan plan(3, out.dynamic);
  for (uint32_t i = 0; i < out.rank; ++i) plan.add(sizes[i], out_strides[i], in_strides[i], in_strides[i]);
  plan.sort();
  plan.merge();
  int32_t steps[kernels::kMaxOperands];
  const uint32_t run = plan.take_run(steps);
  const uint32_t width = dtype_bytes(x.dtype);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), width, width};
  const kernels::Walk walk = plan.pack(p, bytes);
  Tensor half = x;
  half.data = offset(x.data, static_cast<int64_t>(sizes[at]) * in_strides[at] * width);
  return with_real(x.dtype, [&](auto type) {
    using T = decltype(type);
    kernels::BinaryMap<T> m = {};
    m.walk = walk;
    m.run = run;
    m.loop = loop_as<T>(kernels::kGlu);
    m.out = lane(out, steps[0]);
    m.a = lane(x, steps[1]);
    m.b = lane(half, steps[2]);
    return p.finish(
        [](const void* params, RunContext&) -> Status {
          kernels::map_binary(*static_cast<const kernels::BinaryMap<T>*>(params));
          return {};
        },
        m);
  });
}

}  // namespace wick::ops
