// Type promotion, dimension arguments and broadcasting of PyTorch's generic operators.
#include "runtime/ops/aten_common.h"

#include "kernels/element.h"

namespace wick::ops {

bool is_floating(DType dtype) { return kernels::is_floating(dtype); }
bool is_integral(DType dtype) { return !is_floating(dtype) && dtype != DType::kBool; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_floating(a) || is_floating(b)) {
    if (!is_floating(a)) return b;
    if (!is_floating(b)) return a;
    return a == DType::kFloat64 || b == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  }
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (a == DType::kUInt8) return b == DType::kInt8 ? DType::kInt16 : b;
  if (b == DType::kUInt8) return a == DType::kInt8 ? DType::kInt16 : a;
  return a > b ? a : b;  // int8 to int64 are numbered by width
}

DType promote(DType tensor, const Scalar& scalar) {
  if (is_floating(tensor) || scalar.kind == Scalar::Kind::kBool) return tensor;
  if (scalar.kind == Scalar::Kind::kFloat) return DType::kFloat32;
  return tensor == DType::kBool ? DType::kInt64 : tensor;
}

bool castable(DType from, DType to) {
  if (is_floating(from) && !is_floating(to)) return false;
  return from == DType::kBool || to != DType::kBool;
}

void require_arithmetic(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(t.dtype <= DType::kBFloat16, Code::kUnsupported, arg, "no arithmetic on ", dtype_name(t.dtype));
}

void require_castable(Prepare& p, uint32_t out_arg, DType from, DType to) {
  p.require(castable(from, to), Code::kInvalidProgram, out_arg, "is ", dtype_name(to), ", but the result is ",
            dtype_name(from));
}

void require_integer(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(!is_floating(t.dtype), Code::kInvalidProgram, arg, "expected an integer or bool tensor, found ",
            dtype_name(t.dtype));
}

void require_loop(Prepare& p, uint32_t arg, bool has_loop, DType dtype) {
  const bool left_out = dtype == DType::kFloat64 && !kernels::kFloat64Math;
  p.require(has_loop, Code::kUnsupported, arg, "this operator does not take ", dtype_name(dtype),
            left_out ? " in this build (WICK_FLOAT64_MATH is off)" : "");
}

void require_real(Prepare& p, uint32_t arg, DType dtype) {
  require_loop(p, arg, is_floating(dtype) && (kernels::kFloat64Math || dtype != DType::kFloat64), dtype);
}

uint32_t axis(Prepare& p, uint32_t arg, int64_t dim, uint32_t rank) {
  const int64_t dims = rank > 0 ? rank : 1;
  if (!p.require(dim >= -dims && dim < dims, Code::kInvalidProgram, arg, "dimension ", dim,
                 " is outside of a tensor of rank ", rank)) {
    return 0;
  }
  return static_cast<uint32_t>(dim < 0 ? dim + dims : dim);
}

uint32_t dim_mask(Prepare& p, uint32_t arg, uint32_t rank, bool empty_is_all) {
  const bool none = p.is_none(arg);
  const IntList dims = p.int_list(arg);
  if (none || (dims.count == 0 && empty_is_all)) return (1u << kMaxRank) - 1;
  uint32_t mask = 0;
  for (uint32_t i = 0; i < dims.count; ++i) {
    const uint32_t bit = 1u << axis(p, arg, dims.items[i], rank);
    p.require((mask & bit) == 0, Code::kInvalidProgram, arg, "names dimension ", dims.items[i], " twice");
    mask |= bit;
  }
  return mask;
}

void resize_to_broadcast(Prepare& p, uint32_t out_arg, Tensor* out, const Tensor* const* operands, uint32_t count) {
  int32_t sizes[kMaxRank];
  Tensor common;
  common.sizes = sizes;
  for (uint32_t i = 0; i < count; ++i) {
    int32_t wider[kMaxRank];
    uint32_t rank;
    if (!p.require(broadcast_sizes(common, *operands[i], wider, &rank), Code::kInvalidProgram, out_arg,
                   "the operands' sizes do not broadcast to one another")) {
      return;
    }
    for (uint32_t d = 0; d < rank; ++d) sizes[d] = wider[d];
    common.rank = static_cast<uint8_t>(rank);
  }
  p.resize(out_arg, out, sizes, common.rank);
}

WalkPlan plan_broadcast(const Tensor& out, const Tensor* const* operands, uint32_t count) {
  WalkPlan plan(1 + count, out.dynamic);
  int32_t strides[kernels::kMaxOperands][kMaxRank] = {};
  strides_of(out, strides[0]);
  for (uint32_t k = 0; k < count; ++k) {
    if (operands[k] != nullptr) broadcast_strides(*operands[k], out.rank, strides[1 + k]);  // else a constant
  }
  for (uint32_t i = 0; i < out.rank; ++i) {
    plan.add(out.sizes[i], strides[0][i], strides[1][i], strides[2][i], strides[3][i]);
  }
  plan.sort();
  plan.merge();
  return plan;
}

}  // namespace wick::ops
