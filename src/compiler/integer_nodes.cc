#include "compiler/integer_nodes.h"

#include <algorithm>

namespace wick::compiler {

Value* IntegerNodes::wide(Value* x) {
  return x->type.dtype == DType::kInt64 ? x : call_("aten::_to_copy", {x, DType::kInt64});
}

Value* IntegerNodes::lookup(Value* x, const Ints& entries) {
  Value* index = call_.view(add(wide(x), 128), {x->type.numel()});
  return call_.view(call_("aten::index_select", {call_.int64s(entries), 0, index}), x->type.sizes);
}

Value* IntegerNodes::shift_right(Value* a, int64_t bits) {
  return bits == 0 ? a : call_("aten::bitwise_right_shift.Tensor_Scalar", {a, bits});
}

// Half of the divisor less one for negative numbers, then the floor.
Value* IntegerNodes::divide_by_power_of_two(Value* a, int64_t bits) {
  if (bits == 0) return a;
  Value* sign = shift_right(a, 63);  // -1 or 0
  return shift_right(add(add(a, sign), int64_t{1} << (bits - 1)), bits);
}

Value* IntegerNodes::requantized(Value* a, const TfFactor& factor) {
  Value* x = mul(a, int64_t{1} << std::max(factor.shift, 0));
  x = shift_right(add(mul(x, int64_t{factor.multiplier}), int64_t{1} << 30), 31);
  return divide_by_power_of_two(x, std::max(-factor.shift, 0));
}

Value* IntegerNodes::to_int8(Value* a, int64_t zero_point) {
  return call_("aten::_to_copy", {clamp(add(a, zero_point), -128, 127), DType::kInt8});
}

}  // namespace wick::compiler
