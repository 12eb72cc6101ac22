// Elementwise operators of one tensor. Knows their signatures; the arithmetic is the kernels'.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

using kernels::UnaryLoops;

enum class Result : uint8_t {
  kSame,       // the dtype computed in
  kPredicate,  // 0 or 1, in any dtype
};

template <typename T>
Status run_unary(const void* params, RunContext&) {
  kernels::map_unary(*static_cast<const kernels::UnaryMap<T>*>(params));
  return {};
}

// `computed`: the dtype whose type the loop computes in.
Status finish_unary(Prepare& p, const UnaryLoops& loops, DType computed, uint32_t out_arg, const Scalar extra[3]) {
  const Tensor x = p.tensor(0);
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  require_arithmetic(p, 0, x);
  require_arithmetic(p, out_arg, out);
  if (p.failed()) return p.status();
  p.resize(out_arg, &out, x.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  const Tensor* operands[] = {&x};
  WalkPlan plan = plan_broadcast(out, operands, 1);
  int32_t steps[kernels::kMaxOperands];
  const uint32_t run = plan.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), dtype_bytes(x.dtype)};
  const kernels::Walk walk = plan.pack(p, bytes);
  return with_computed(computed, [&](auto type) {
    using T = decltype(type);
    kernels::UnaryMap<T> m = {walk, run, loop_as<T>(loops), lane(out, steps[0]), lane(x, steps[1]), {}};
    for (uint32_t i = 0; i < 3; ++i) m.extra[i] = scalar_as<T>(extra[i]);
    require_loop(p, 0, m.loop != nullptr, computed);
    if (p.failed()) return p.status();
    return p.finish(run_unary<T>, m);
  });
}

Status unary_with(Prepare& p, const UnaryLoops& loops, uint32_t out_arg, Scalar extra0, Scalar extra1 = {},
                  Scalar extra2 = {}, Result result = Result::kSame) {
  const Tensor x = p.tensor(0);
  const Tensor out = p.output(out_arg);
  if (p.failed()) return p.status();
  DType computed = x.dtype;
  // Functions of real numbers take integers as float, or as double when the result is.
  if (loops.i64 == nullptr && loops.f32 != nullptr && !is_floating(x.dtype)) {
    computed = out.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  }
  if (result == Result::kSame) require_castable(p, out_arg, computed, out.dtype);
  const Scalar extra[3] = {extra0, extra1, extra2};
  return finish_unary(p, loops, computed, out_arg, extra);
}

// Not inlined: thirty operators are one call of it.
[[gnu::noinline]] Status unary(Prepare& p, const UnaryLoops& loops, Result result = Result::kSame,
                               uint32_t out_arg = 1) {
  return unary_with(p, loops, out_arg, {}, {}, {}, result);
}

constexpr double kInfinity = __builtin_huge_val();

// The bounds of `dtype`'s computed type.
Scalar lowest(DType dtype) {
  return is_floating(dtype) ? float_scalar(-kInfinity) : Scalar{Scalar::Kind::kInt, INT64_MIN, 0};
}
Scalar highest(DType dtype) {
  return is_floating(dtype) ? float_scalar(kInfinity) : Scalar{Scalar::Kind::kInt, INT64_MAX, 0};
}

// A bound must be a value of an integer dtype.
void require_fits(Prepare& p, uint32_t arg, const Scalar& s, DType dtype) {
  if (is_floating(dtype) || dtype == DType::kBool) return;
  const uint32_t bits = dtype_bytes(dtype) * 8;
  const int64_t value = scalar_as<int64_t>(s);
  const bool is_unsigned = dtype == DType::kUInt8;
  const int64_t high = is_unsigned ? 255 : INT64_MAX >> (64 - bits);
  p.require(value >= (is_unsigned ? 0 : -high - 1) && value <= high, Code::kInvalidProgram, arg, "bound ", value,
            " is not a value of ", dtype_name(dtype));
}

}  // namespace

Status aten_clamp(Prepare& p) {
  const Tensor x = p.tensor(0);
  const Tensor out = p.output(3);
  const bool has_low = !p.is_none(1), has_high = !p.is_none(2);
  p.require(has_low || has_high, Code::kInvalidProgram, 1, "neither bound is given");
  if (p.failed()) return p.status();
  DType computed = x.dtype;
  Scalar low, high;
  if (has_low) computed = promote(computed, low = p.scalar(1));
  if (has_high) computed = promote(computed, high = p.scalar(2));
  if (!has_low) low = lowest(computed);
  if (!has_high) high = highest(computed);
  require_castable(p, 3, computed, out.dtype);
  if (has_low) require_fits(p, 1, low, out.dtype);
  if (has_high) require_fits(p, 2, high, out.dtype);
  const Scalar extra[3] = {low, high, {}};
  return finish_unary(p, kernels::kClamp, computed, 3, extra);
}

Status aten_hardtanh(Prepare& p) {
  const Tensor x = p.tensor(0);
  const Scalar low = p.scalar(1), high = p.scalar(2);
  if (p.failed()) return p.status();
  require_fits(p, 1, low, x.dtype);
  require_fits(p, 2, high, x.dtype);
  return unary_with(p, kernels::kClamp, 3, low, high);
}

Status aten_leaky_relu(Prepare& p) { return unary_with(p, kernels::kLeakyRelu, 2, p.scalar(1)); }

Status aten_elu(Prepare& p) {
  const double scale = p.number(2);
  return unary_with(p, kernels::kElu, 4, float_scalar(p.number(1) * scale), float_scalar(scale), p.scalar(3));
}

Status aten_gelu(Prepare& p) {
  const char* approximate = p.string(1);
  const bool tanh = approximate != nullptr && __builtin_strcmp(approximate, "tanh") == 0;
  p.require(tanh || approximate == nullptr || __builtin_strcmp(approximate, "none") == 0, Code::kInvalidProgram, 1,
            "expected \"none\" or \"tanh\", found \"", approximate == nullptr ? "" : approximate, "\"");
  return unary(p, tanh ? kernels::kGeluTanh : kernels::kGelu, Result::kSame, 2);
}

Status aten_logit(Prepare& p) {
  if (p.is_none(1)) {
    return unary_with(p, kernels::kLogit, 2, float_scalar(-kInfinity), float_scalar(kInfinity));
  }
  const double epsilon = p.number(1);
  return unary_with(p, kernels::kLogit, 2, float_scalar(epsilon), float_scalar(1.0 - epsilon));
}

Status aten_neg(Prepare& p) {
  const Tensor x = p.tensor(0);
  p.require(x.dtype != DType::kBool, Code::kInvalidProgram, 0, "a bool has no negative");
  return unary(p, kernels::kNeg);
}

Status aten_bitwise_not(Prepare& p) {
  const Tensor x = p.tensor(0);
  return unary(p, x.dtype == DType::kBool ? kernels::kLogicalNot : kernels::kBitwiseNot);
}

Status aten_logical_not(Prepare& p) { return unary(p, kernels::kLogicalNot, Result::kPredicate); }
Status aten_isnan(Prepare& p) { return unary(p, kernels::kIsNan, Result::kPredicate); }
Status aten_isinf(Prepare& p) { return unary(p, kernels::kIsInf, Result::kPredicate); }

#define WICK_UNARY(name, loops) \
  Status aten_##name(Prepare& p) { return unary(p, kernels::loops); }
WICK_UNARY(abs, kAbs)
WICK_UNARY(acos, kAcos)
WICK_UNARY(acosh, kAcosh)
WICK_UNARY(asin, kAsin)
WICK_UNARY(asinh, kAsinh)
WICK_UNARY(atan, kAtan)
WICK_UNARY(atanh, kAtanh)
WICK_UNARY(ceil, kCeil)
WICK_UNARY(cos, kCos)
WICK_UNARY(cosh, kCosh)
WICK_UNARY(erf, kErf)
WICK_UNARY(exp, kExp)
WICK_UNARY(expm1, kExpm1)
WICK_UNARY(floor, kFloor)
WICK_UNARY(log, kLog)
WICK_UNARY(log10, kLog10)
WICK_UNARY(log1p, kLog1p)
WICK_UNARY(log2, kLog2)
WICK_UNARY(reciprocal, kReciprocal)
WICK_UNARY(relu, kRelu)
WICK_UNARY(round, kRound)
WICK_UNARY(rsqrt, kRsqrt)
WICK_UNARY(sigmoid, kSigmoid)
WICK_UNARY(sign, kSign)
WICK_UNARY(silu, kSilu)
WICK_UNARY(sin, kSin)
WICK_UNARY(sinh, kSinh)
WICK_UNARY(sqrt, kSqrt)
WICK_UNARY(tan, kTan)
WICK_UNARY(tanh, kTanh)
WICK_UNARY(trunc, kTrunc)
#undef WICK_UNARY

}  // namespace wick::ops
