// ONNX's elementwise operators as ATen's: arithmetic, comparisons, activations, casts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

using Names = std::map<std::string, const char*, std::less<>>;

const Names& unary_names() {
  static const Names names = {
      {"Abs", "aten::abs"},
      {"Acos", "aten::acos"},
      {"Acosh", "aten::acosh"},
      {"Asin", "aten::asin"},
      {"Asinh", "aten::asinh"},
      {"Atan", "aten::atan"},
      {"Atanh", "aten::atanh"},
      {"BitwiseNot", "aten::bitwise_not"},
      {"Ceil", "aten::ceil"},
      {"Cos", "aten::cos"},
      {"Cosh", "aten::cosh"},
      {"Erf", "aten::erf"},
      {"Exp", "aten::exp"},
      {"Floor", "aten::floor"},
      {"HardSwish", "aten::hardswish"},

      {"IsNaN", "aten::isnan"},
      {"Log", "aten::log"},
      {"Mish", "aten::mish"},
      {"Neg", "aten::neg"},
      {"Not", "aten::logical_not"},
      {"Reciprocal", "aten::reciprocal"},
      {"Relu", "aten::relu"},
      {"Round", "aten::round"},
      {"Sigmoid", "aten::sigmoid"},
      {"Sign", "aten::sign"},
      {"Sin", "aten::sin"},
      {"Sinh", "aten::sinh"},
      {"Softplus", "aten::softplus"},
      {"Sqrt", "aten::sqrt"},
      {"Tan", "aten::tan"},
      {"Tanh", "aten::tanh"},
  };
  return names;
}

const Names& binary_names() {
  static const Names names = {
      {"Add", "aten::add.Tensor"},
      {"And", "aten::logical_and"},
      {"BitwiseAnd", "aten::bitwise_and.Tensor"},
      {"BitwiseOr", "aten::bitwise_or.Tensor"},
      {"BitwiseXor", "aten::bitwise_xor.Tensor"},
      {"Equal", "aten::eq.Tensor"},
      {"Greater", "aten::gt.Tensor"},
      {"GreaterOrEqual", "aten::ge.Tensor"},
      {"Less", "aten::lt.Tensor"},
      {"LessOrEqual", "aten::le.Tensor"},
      {"Mul", "aten::mul.Tensor"},
      {"Or", "aten::logical_or"},
      {"Pow", "aten::pow.Tensor_Tensor"},
      {"Sub", "aten::sub.Tensor"},
      {"Xor", "aten::logical_xor"},
  };
  return names;
}

const Names& fold_names() {
  static const Names names = {
      {"Max", "aten::maximum"}, {"Mean", "aten::add.Tensor"}, {"Min", "aten::minimum"}, {"Sum", "aten::add.Tensor"}};
  return names;
}

void unary(OnnxCall& call) { call.set(call(unary_names().at(call.node().op), {call.in(0)})); }
void binary(OnnxCall& call) { call.set(call(binary_names().at(call.node().op), {call.in(0), call.in(1)})); }

// Pow's type is that of its base.
void pow(OnnxCall& call) {
  Value* base = call.in(0);
  Value* exponent = call.in(1);
  if (exponent->type.dtype != base->type.dtype) {
    exponent = call("aten::_to_copy", {exponent, base->type.dtype});
  }
  if (exponent->is_constant() && exponent->type.numel() == 1 &&
      exponent->type.sizes.size() <= base->type.sizes.size()) {
    call.set(call("aten::pow.Tensor_Scalar", {base, files::element(*exponent->data, 0)}));
  } else {
    call.set(call("aten::pow.Tensor_Tensor", {base, exponent}));
  }
}

// Integers are divided towards zero.
void div(OnnxCall& call) {
  if (is_float(call.dtype(0))) {
    call.set(call("aten::div.Tensor", {call.in(0), call.in(1)}));
  } else {
    call.set(call("aten::div.Tensor_mode", {call.in(0), call.in(1), "trunc"}));
  }
}

void mod(OnnxCall& call) {
  const bool as_c = call.integer("fmod", 0) != 0;
  call.set(call(as_c ? "aten::fmod.Tensor" : "aten::remainder.Tensor", {call.in(0), call.in(1)}));
}

void bit_shift(OnnxCall& call) {
  const bool left = call.text("direction", "") == "LEFT";
  call.set(
      call(left ? "aten::bitwise_left_shift.Tensor" : "aten::bitwise_right_shift.Tensor", {call.in(0), call.in(1)}));
}

// Any number of operands.
void fold(OnnxCall& call) {
  const char* op = fold_names().at(call.node().op);
  Value* result = call.in(0);
  for (size_t i = 1; i < call.input_count(); ++i) result = call(op, {result, call.in(i)});
  if (call.node().op == "Mean") {
    result =
        call("aten::mul.Tensor", {result, call.scalar_like(result, 1.0 / static_cast<double>(call.input_count()))});
  }
  call.set(result);
}

void where(OnnxCall& call) { call.set(call("aten::where.self", {call.in(0), call.in(1), call.in(2)})); }
void identity(OnnxCall& call) { call.set(call.in(0)); }

void dropout(OnnxCall& call) {
  call.require(!call.has(2) || call.number(2) == 0, "the model is in training mode; export it for inference");
  call.set(call.in(0));
}

void cast(OnnxCall& call) {
  const DType to = onnx_dtype(call.integer("to", 0));
  call.set(call.dtype(0) == to ? call.in(0) : call("aten::_to_copy", {call.in(0), to}));
}

void cast_like(OnnxCall& call) {
  const DType to = call.dtype(1);
  call.set(call.dtype(0) == to ? call.in(0) : call("aten::_to_copy", {call.in(0), to}));
}

// Activations

Argument bound(OnnxCall& call, double value) {
  if (is_float(call.dtype(0))) return value;
  return static_cast<int64_t>(value);
}

// Bounds from attributes (opset below 11) or inputs, either of which may be absent.
void clip(OnnxCall& call) {
  Value* x = call.in(0);
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (!call.has(i) || call.in(i)->is_constant()) continue;
    x = call(i == 1 ? "aten::maximum" : "aten::minimum", {x, call.in(i)});
  }
  const auto known = [&](size_t i) { return call.has(i) && call.in(i)->is_constant(); };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = known(1) ? call.number(1) : call.real("min", -kInfinity);
  const double high = known(2) ? call.number(2) : call.real("max", kInfinity);
  const double lowest = std::numeric_limits<float>::lowest(), largest = std::numeric_limits<float>::max();
  const bool has_low = low > lowest, has_high = high < largest;
  if (has_low && has_high && is_float(call.dtype(0)) && low <= high) {
    x = call("aten::hardtanh", {x, low, high});
  } else if (low == 0 && !has_high && is_float(call.dtype(0))) {
    x = call("aten::relu", {x});
  } else if (has_low || has_high) {
    x = call("aten::clamp", {x, has_low ? bound(call, low) : Argument(), has_high ? bound(call, high) : Argument()});
  }
  call.set(x);
}

void leaky_relu(OnnxCall& call) { call.set(call("aten::leaky_relu", {call.in(0), call.real("alpha", 0.01)})); }
void elu(OnnxCall& call) { call.set(call("aten::elu", {call.in(0), call.real("alpha", 1.0)})); }

void selu(OnnxCall& call) {
  const double alpha = call.real("alpha", 1.67326319217681884765625),
               gamma = call.real("gamma", 1.05070102214813232421875);
  call.set(call("aten::elu", {call.in(0), alpha, gamma}));
}

// alpha * (exp(x / alpha) - 1) below zero.
void celu(OnnxCall& call) {
  const double alpha = call.real("alpha", 1.0);
  call.require(alpha != 0, "alpha must not be 0");
  call.set(call("aten::elu", {call.in(0), alpha, 1.0, 1.0 / alpha}));
}

void prelu(OnnxCall& call) {
  Value* x = call.in(0);
  Value* negative = call("aten::mul.Tensor", {call.in(1), x});
  Value* positive = call("aten::gt.Scalar", {x, 0});
  call.set(call("aten::where.self", {positive, x, negative}));
}

void hard_sigmoid(OnnxCall& call) {
  const double alpha = call.real("alpha", 0.2), beta = call.real("beta", 0.5);
  if (std::abs(alpha - 1.0 / 6) < 1e-6 && beta == 0.5) {
    call.set(call("aten::hardsigmoid", {call.in(0)}));
    return;
  }
  Value* x = call("aten::mul.Tensor", {call.in(0), call.scalar_like(call.in(0), alpha)});
  x = call("aten::add.Tensor", {x, call.scalar_like(x, beta)});
  call.set(call("aten::hardtanh", {x, 0.0, 1.0}));
}

void gelu(OnnxCall& call) { call.set(call("aten::gelu", {call.in(0), call.text("approximate", "none")})); }
void fast_gelu(OnnxCall& call) {
  Value* x = call.has(1) ? call("aten::add.Tensor", {call.in(0), call.in(1)}) : call.in(0);
  call.set(call("aten::gelu", {x, "tanh"}));
}

void swish(OnnxCall& call) {
  const double alpha = call.real("alpha", 1.0);
  if (alpha == 1.0) {
    call.set(call("aten::silu", {call.in(0)}));
    return;
  }
  Value* x = call("aten::mul.Tensor", {call.in(0), call.scalar_like(call.in(0), alpha)});
  call.set(call("aten::mul.Tensor", {call.in(0), call("aten::sigmoid", {x})}));
}

// Both signs, or one.
void is_inf(OnnxCall& call) {
  const bool positive = call.integer("detect_positive", 1) != 0, negative = call.integer("detect_negative", 1) != 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (positive == negative) {
    Value* found = call("aten::isinf", {call.in(0)});
    call.set(positive ? found : call("aten::logical_and", {found, call("aten::logical_not", {found})}));
  } else {
    call.set(call("aten::eq.Scalar", {call.in(0), positive ? kInfinity : -kInfinity}));
  }
}

void softsign(OnnxCall& call) {
  Value* magnitude = call("aten::abs", {call.in(0)});
  Value* divisor = call("aten::add.Tensor", {magnitude, call.scalar_like(magnitude, 1)});
  call.set(call("aten::div.Tensor", {call.in(0), divisor}));
}

void thresholded_relu(OnnxCall& call) {
  Value* x = call.in(0);
  Value* over = call("aten::gt.Scalar", {x, call.real("alpha", 1.0)});
  call.set(call("aten::where.self", {over, x, call.scalar_like(x, 0)}));
}

void shrink(OnnxCall& call) {
  Value* x = call.in(0);
  const double lambda = call.real("lambd", 0.5), bias = call.real("bias", 0.0);
  Value* low = call("aten::add.Tensor", {x, call.scalar_like(x, bias)});
  Value* high = call("aten::sub.Tensor", {x, call.scalar_like(x, bias)});
  Value* inner = call("aten::where.self", {call("aten::gt.Scalar", {x, lambda}), high, call.scalar_like(x, 0)});
  call.set(call("aten::where.self", {call("aten::lt.Scalar", {x, -lambda}), low, inner}));
}

// Before opset 13 everything from the axis on is one distribution.
void softmax(OnnxCall& call) {
  const char* op = call.node().op == "Softmax" ? "aten::_softmax" : "aten::_log_softmax";
  Value* x = call.in(0);
  const bool old = call.opset() < 13;
  const size_t axis = call.axis(old ? 1 : -1, x->type.sizes.size());
  if (!old || axis + 1 == x->type.sizes.size()) {
    call.set(call(op, {x, static_cast<int64_t>(axis), false}));
    return;
  }
  int64_t rows = 1;
  for (size_t i = 0; i < axis; ++i) rows *= x->type.sizes[i];
  const Shape sizes = x->type.sizes;
  Value* flat = call.view(x, {rows, rows == 0 ? 0 : x->type.numel() / rows});
  call.set(call.view(call(op, {flat, 1, false}), sizes));
}

}  // namespace

DType onnx_dtype(int64_t onnx_type) {
  static constexpr std::pair<int64_t, DType> kTypes[] = {
      {1, DType::kFloat32}, {2, DType::kUInt8}, {3, DType::kInt8},     {5, DType::kInt16},   {6, DType::kInt32},
      {7, DType::kInt64},   {9, DType::kBool},  {10, DType::kFloat16}, {11, DType::kFloat64}};
  for (const auto& [number, dtype] : kTypes) {
    if (number == onnx_type) return dtype;
  }
  files::fail("element type ", onnx_type, " is not supported");
}

void add_onnx_elementwise_rules(OnnxRules& rules) {
  for (const auto& [name, op] : unary_names()) rules[name] = unary;
  for (const auto& [name, op] : binary_names()) rules[name] = binary;
  for (const auto& [name, op] : fold_names()) rules[name] = fold;
  static constexpr std::pair<const char*, OnnxRule> kOthers[] = {
      {"BitShift", bit_shift},
      {"Cast", cast},
      {"CastLike", cast_like},
      {"Celu", celu},
      {"Clip", clip},
      {"Div", div},
      {"Dropout", dropout},
      {"Elu", elu},
      {"Gelu", gelu},
      {"HardSigmoid", hard_sigmoid},
      {"Identity", identity},
      {"IsInf", is_inf},
      {"LeakyRelu", leaky_relu},
      {"LogSoftmax", softmax},
      {"Mod", mod},
      {"PRelu", prelu},
      {"Pow", pow},
      {"Selu", selu},
      {"Shrink", shrink},
      {"Softmax", softmax},
      {"Softsign", softsign},
      {"Swish", swish},
      {"ThresholdedRelu", thresholded_relu},
      {"Where", where},
      {"com.microsoft::FastGelu", fast_gelu},
      {"com.microsoft::Gelu", gelu},
  };
  for (const auto& [name, rule] : kOthers) rules[name] = rule;
}

}  // namespace wick::compiler
