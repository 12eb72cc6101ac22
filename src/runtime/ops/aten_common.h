// What PyTorch's generic operators share: type promotion, dimension arguments, and operands as the kernels want them.
// Knows PyTorch's rules; refuses to know any single operator.
#pragma once

#include "kernels/portable.h"
#include "runtime/op.h"
#include "runtime/ops/walk_plan.h"

namespace wick::ops {

bool is_floating(DType dtype);
bool is_integral(DType dtype);  // not bool
// The dtype that two operands are computed in.
DType promote(DType a, DType b);
DType promote(DType tensor, const Scalar& scalar);
// Whether a result may be stored as `to`: not a real number as an integer, nor a number as a bool.
bool castable(DType from, DType to);

// Refuses what generic arithmetic has no rules for (wider unsigned integers).
void require_arithmetic(Prepare& p, uint32_t arg, const Tensor& t);
void require_castable(Prepare& p, uint32_t out_arg, DType from, DType to);
void require_integer(Prepare& p, uint32_t arg, const Tensor& t);

// A scalar in the type that is computed in.
template <typename T>
T scalar_as(const Scalar& s) {
  return s.kind == Scalar::Kind::kFloat ? static_cast<T>(s.f) : static_cast<T>(s.i);
}
template <>
inline int64_t scalar_as<int64_t>(const Scalar& s) {
  return s.kind == Scalar::Kind::kFloat ? kernels::int64_of(s.f) : s.i;
}
inline Scalar float_scalar(double value) { return {Scalar::Kind::kFloat, 0, value}; }

// A dimension argument, counted from the end when negative.
uint32_t axis(Prepare& p, uint32_t arg, int64_t dim, uint32_t rank);
// A list of dimensions as bits; None (and an empty list, if `empty_is_all`) means all of them.
uint32_t dim_mask(Prepare& p, uint32_t arg, uint32_t rank, bool empty_is_all);

// Gives the output the common sizes of the operands.
void resize_to_broadcast(Prepare& p, uint32_t out_arg, Tensor* out, const Tensor* const* operands, uint32_t count);
// The walk of `out` and operands that broadcast to it, in memory order and merged; a null operand stands still.
WalkPlan plan_broadcast(const Tensor& out, const Tensor* const* operands, uint32_t count);

// `bytes` further on; null stays null while memory is only being measured.
inline uint8_t* offset(void* data, int64_t bytes) {
  return data == nullptr ? nullptr : static_cast<uint8_t*>(data) + bytes;
}
inline kernels::Lane lane(const Tensor& t, int32_t step) { return {t.as<uint8_t>(), step, t.dtype}; }

template <typename T, typename Loops>
auto loop_as(const Loops& loops) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return loops.f32;
  } else if constexpr (T(0.5) != T(0)) {
    return loops.f64;
  } else {
    return loops.i64;
  }
}

// Calls fn(T{}) with the type that `dtype` is computed in.
template <typename Fn>
Status with_computed(DType dtype, Fn fn) {
  if (dtype == DType::kFloat64) return fn(double{});
  if (is_floating(dtype)) return fn(float{});
  return fn(int64_t{});
}
// The same without integers, for functions of real numbers; require_real() has judged the dtype.
template <typename Fn>
Status with_real([[maybe_unused]] DType dtype, Fn fn) {
  if constexpr (kernels::kFloat64Math) {
    if (dtype == DType::kFloat64) return fn(double{});
  }
  return fn(float{});
}
void require_real(Prepare& p, uint32_t arg, DType dtype);
// Refuses a dtype that an operator has no loop for.
void require_loop(Prepare& p, uint32_t arg, bool has_loop, DType dtype);

}  // namespace wick::ops
