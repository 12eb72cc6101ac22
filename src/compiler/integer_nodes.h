// Integer arithmetic as nodes of ATen operators, for what no integer operator computes: tables of wide entries,
// products with fixed-point factors in 64 bits, rounded exactly as core/quant.h does. Slow, but exact and small.
#pragma once

#include "compiler/tflite_call.h"

namespace wick::compiler {

class IntegerNodes {
 public:
  explicit IntegerNodes(TfCall& call) : call_(call) {}
  // int8 to int64: entries for -128 .. 127.
  Value* lookup(Value* x, const Ints& entries);
  Value* wide(Value* x);  // to int64
  Value* add(Value* a, Value* b) { return call_("aten::add.Tensor", {a, b}); }
  Value* sub(Value* a, Value* b) { return call_("aten::sub.Tensor", {a, b}); }
  Value* mul(Value* a, Value* b) { return call_("aten::mul.Tensor", {a, b}); }
  Value* add(Value* a, int64_t number) { return number == 0 ? a : call_("aten::add.Scalar", {a, number}); }
  Value* mul(Value* a, int64_t number) { return number == 1 ? a : call_("aten::mul.Scalar", {a, number}); }
  Value* clamp(Value* a, int64_t low, int64_t high) { return call_("aten::clamp", {a, low, high}); }
  // floor(a / 2^bits)
  Value* shift_right(Value* a, int64_t bits);
  // a / 2^bits, half away from zero.
  Value* divide_by_power_of_two(Value* a, int64_t bits);
  Value* requantized(Value* a, const TfFactor& factor);
  Value* to_int8(Value* a, int64_t zero_point);

 private:
  TfCall& call_;
};

}  // namespace wick::compiler
