// TensorFlow Lite's INT8 elementwise operators: sums and products as cortex_m's, everything of one tensor (a constant
// number as the other operand counts as that) as a table filled with the operator's own arithmetic.
#include <algorithm>
#include <cmath>

#include "compiler/integer_nodes.h"
#include "compiler/tflite_call.h"
#include "core/quant.h"

namespace wick::compiler {

namespace {

constexpr int32_t kAdd = 0, kMul = 18, kSub = 41, kMaximum = 55, kMinimum = 57;

// The factors with which both operands of a sum are brought to twice the larger scale.
struct SumFactors {
  TfFactor a, b, out;
};

SumFactors sum_factors(const TfParams& a, const TfParams& b, const TfParams& out) {
  const double twice = 2 * double{std::max(a.scale, b.scale)};
  return {tflite_factor(double{a.scale} / twice), tflite_factor(double{b.scale} / twice),
          tflite_factor(twice / ((1 << 20) * double{out.scale}))};
}

TfFactor product_factor(const TfParams& a, const TfParams& b, const TfParams& out) {
  return tflite_factor(double{a.scale} * double{b.scale} / double{out.scale});
}

// What a binary operator gives for two numbers, before its bounds.
int64_t binary_value(int32_t code, int32_t a, int32_t b, const TfParams& pa, const TfParams& pb, const TfParams& out) {
  if (code == kMaximum) return std::max(a, b);
  if (code == kMinimum) return std::min(a, b);
  if (code == kMul) {
    const TfFactor f = product_factor(pa, pb, out);
    return int64_t{requantize((a - pa.zero_point) * (b - pb.zero_point), f.multiplier, f.shift)} + out.zero_point;
  }
  const SumFactors f = sum_factors(pa, pb, out);
  const int32_t left = requantize((a - pa.zero_point) * (1 << 20), f.a.multiplier, f.a.shift);
  const int32_t right = requantize((b - pb.zero_point) * (1 << 20), f.b.multiplier, f.b.shift);
  const int32_t sum = code == kSub ? left - right : left + right;
  return int64_t{requantize(sum, f.out.multiplier, f.out.shift)} + out.zero_point;
}

// One operand is a constant number: the operator is a function of the other.
bool table_of_binary(TfCall& call, const TfParams& out, const TfBounds& bounds) {
  for (const size_t number : {size_t{0}, size_t{1}}) {
    const size_t other = 1 - number;
    if (!call.is_constant(number) || call.is_constant(other)) continue;
    const files::Array& array = call.constant(number);
    if (files::element_count(array) != 1 || call.sizes(number).size() > call.sizes(other).size()) continue;
    const auto value = static_cast<int32_t>(files::element(array, 0));
    const TfParams pa = call.params_in(0), pb = call.params_in(1);
    call.set(call.lookup(call.in(other), tflite_table([&](int32_t q) -> int64_t {
                           const int64_t y =
                               binary_value(call.code(), number == 0 ? value : q, number == 0 ? q : value, pa, pb, out);
                           return std::clamp<int64_t>(y, bounds.low, bounds.high);
                         })));
    return true;
  }
  return false;
}

// Operands of the same sizes, which ExecuTorch's kernels need.
struct Operands {
  Value *a, *b;
};

Operands expanded(TfCall& call) {
  Value* a = call.in(0);
  Value* b = call.in(1);
  const size_t rank = std::max(a->type.sizes.size(), b->type.sizes.size());
  const auto size_at = [rank](const Value* x, size_t i) {
    const size_t skip = rank - x->type.sizes.size();
    return i < skip ? int64_t{1} : x->type.sizes[i - skip];
  };
  Shape to;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t left = size_at(a, i), right = size_at(b, i);
    call.require(left == right || left == 1 || right == 1, "its operands do not broadcast");
    to.push_back(left == 1 ? right : left);
  }
  const auto whole = [&](Value* x) {
    if (x->type.sizes == to) return x;
    Shape from;
    for (size_t i = 0; i < rank; ++i) from.push_back(size_at(x, i));
    x = call.view(x, from);
    return from == to ? x : call("aten::expand_copy", {x, to});
  };
  return {whole(a), whole(b)};
}

void add(TfCall& call) {
  const TfParams a = call.params_in(0), b = call.params_in(1), out = call.params_out();
  const TfBounds bounds = tflite_bounds(call.options().byte(0), out);
  if (table_of_binary(call, out, bounds)) return;
  const SumFactors f = sum_factors(a, b, out);
  const auto [x, y] = expanded(call);
  const int32_t sign = call.code() == kSub ? -1 : 1;
  call.set(call("cortex_m::quantized_add",
                {x, a.zero_point, f.a.multiplier, f.a.shift, y, b.zero_point, sign * f.b.multiplier, f.b.shift,
                 out.zero_point, f.out.multiplier, f.out.shift, bounds.low, bounds.high}));
}

void mul(TfCall& call) {
  const TfParams a = call.params_in(0), b = call.params_in(1), out = call.params_out();
  const TfBounds bounds = tflite_bounds(call.options().byte(0), out);
  if (table_of_binary(call, out, bounds)) return;
  const TfFactor f = product_factor(a, b, out);
  const auto [x, y] = expanded(call);
  Value* product =
      call("cortex_m::quantized_mul", {x, a.zero_point, y, b.zero_point, out.zero_point, f.multiplier, f.shift});
  call.set(call.clamped(product, bounds));
}

void div(TfCall& call) {
  const TfParams a = call.params_in(0), b = call.params_in(1), out = call.params_out();
  const auto [x, y] = expanded(call);
  const double scale = double{a.scale} / (double{b.scale} * double{out.scale});
  Value* quotient = call("cortex_m::quantized_div", {x, a.zero_point, y, b.zero_point, out.zero_point, scale});
  call.set(call.clamped(quotient, tflite_bounds(call.options().byte(0), out)));
}

void extreme(TfCall& call) {
  const TfParams out = call.params_out();
  call.require(call.params_in(0) == out && call.params_in(1) == out, "its operands differ in scale or zero point");
  if (table_of_binary(call, out, {})) return;
  call.set(call(call.code() == kMaximum ? "cortex_m::maximum" : "cortex_m::minimum", {call.in(0), call.in(1)}));
}

// (a - b)^2, with both brought to twice the larger scale by 7 bits.
void squared_difference(TfCall& call) {
  const TfParams a = call.params_in(0), b = call.params_in(1), out = call.params_out();
  const double twice = 2 * double{std::max(a.scale, b.scale)};
  const TfFactor fa = tflite_factor(double{a.scale} / twice), fb = tflite_factor(double{b.scale} / twice);
  const TfFactor to = tflite_factor(twice * twice / ((1 << 14) * double{out.scale}));
  IntegerNodes i(call);
  const auto scaled = [&](Value* x, const TfParams& p, const TfFactor& f) {
    Ints entries;
    for (int32_t q = -128; q <= 127; ++q)
      entries.push_back(requantize((q - p.zero_point) * (1 << 7), f.multiplier, f.shift));
    return i.lookup(x, entries);
  };
  Value* difference = i.sub(scaled(call.in(0), a, fa), scaled(call.in(1), b, fb));
  call.set(i.to_int8(i.requantized(i.mul(difference, difference), to), out.zero_point));
}

// Tables

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float hyperbolic(float x) { return std::tanh(x); }
float elu(float x) { return x < 0 ? std::expm1(x) : x; }
float exponential(float x) { return std::exp(x); }
float logarithm(float x) { return std::log(x); }
float gelu(float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678118654752440f)); }
float gelu_tanh(float x) { return 0.5f * x * (1 + std::tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x))); }
float inverse_root(float x) { return 1.0f / std::sqrt(x); }

void float_unary(TfCall& call) {
  float (*f)(float) = nullptr;
  switch (call.code()) {
    case 14:
      f = sigmoid;
      break;
    case 28:
      f = hyperbolic;
      break;
    case 47:
      f = exponential;
      break;
    case 73:
      f = logarithm;
      break;
    case 76:
      f = inverse_root;
      break;
    case 111:
      f = elu;
      break;
    default:
      f = call.options().flag(0) ? gelu_tanh : gelu;
  }
  call.set(call.lookup(call.in(0), tflite_float_table(f, call.params_in(0), call.params_out())));
}

void relu(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  const TfBounds bounds = tflite_bounds(call.code() == 19 ? 1 : call.code() == 21 ? 3 : 2, out);
  TfTable table = tflite_requantized_table(in, out, true);
  for (int8_t& entry : table) entry = static_cast<int8_t>(std::clamp<int32_t>(entry, bounds.low, bounds.high));
  call.set(call.lookup(call.in(0), table));
}

void hard_swish(TfCall& call) {
  call.set(call.lookup(call.in(0), tflite_hard_swish_table(call.params_in(0), call.params_out())));
}

// A factor for each side of zero; a negative one has its sign taken out.
TfTable leaky_table(const TfParams& in, const TfParams& out, float alpha) {
  const TfFactor above = tflite_factor(double{in.scale / out.scale});
  const TfFactor below = tflite_factor(std::abs(double{in.scale * alpha / out.scale}));
  return tflite_table([&](int32_t q) -> int64_t {
    const int32_t v = q - in.zero_point;
    if (v >= 0) return int64_t{requantize(v, above.multiplier, above.shift)} + out.zero_point;
    return int64_t{requantize(alpha < 0 ? -v : v, below.multiplier, below.shift)} + out.zero_point;
  });
}

void leaky_relu(TfCall& call) {
  const float alpha = call.options().real(0);
  call.set(call.lookup(call.in(0), leaky_table(call.params_in(0), call.params_out(), alpha)));
}

// Above zero a table, below a product; which one counts is a comparison.
void prelu(TfCall& call) {
  const TfParams in = call.params_in(0), slope = call.params_in(1), out = call.params_out();
  const TfFactor f = tflite_factor(double{in.scale * slope.scale / out.scale});
  const auto [x, alpha] = expanded(call);
  Value* below = call("cortex_m::quantized_mul",
                      {x, in.zero_point, alpha, slope.zero_point, out.zero_point, f.multiplier, f.shift});
  Value* above = call.lookup(x, tflite_requantized_table(in, out, true));
  Value* positive = call("aten::ge.Scalar", {x, in.zero_point});
  call.set(call("aten::where.self", {positive, above, below}));
}

void abs(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  const TfFactor f = tflite_factor(double{in.scale / out.scale});
  call.set(call.lookup(call.in(0), tflite_table([&](int32_t q) -> int64_t {
                         return int64_t{requantize(std::abs(q - in.zero_point), f.multiplier, f.shift)} +
                                out.zero_point;
                       })));
}

void neg(TfCall& call) {
  call.set(call.lookup(call.in(0), tflite_table([](int32_t q) -> int64_t { return -q; })));
}

// Truncated, not rounded.
void square_root(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  call.set(call.lookup(call.in(0), tflite_table([&](int32_t q) -> int64_t {
                         const float x = in.scale * static_cast<float>(q - in.zero_point);
                         return x <= 0 ? out.zero_point
                                       : static_cast<int64_t>(std::sqrt(x) / out.scale) + out.zero_point;
                       })));
}

// float to int8, or one meaning to another.
void quantize(TfCall& call) {
  if (call.input(0).dtype == DType::kInt8) return call.set(call.requantized(call.in(0), 0));
  const TfParams out = call.params_out();
  call.require(call.input(0).dtype == DType::kFloat32, "takes float32 or int8");
  call.set(
      call("cortex_m::quantize_per_tensor", {call.in(0), double{out.scale}, out.zero_point, -128, 127, DType::kInt8}));
}

void dequantize(TfCall& call) {
  if (call.is_constant(0)) return call.set(call.real(0));
  const TfParams p = call.params_in(0);
  call.set(
      call("cortex_m::dequantize_per_tensor", {call.in(0), double{p.scale}, p.zero_point, -128, 127, DType::kInt8}));
}

}  // namespace

void add_tflite_int8_elementwise_rules(TfRules& rules) {
  static constexpr std::pair<int32_t, TfRule> kRules[] = {
      {kAdd, add},       {6, dequantize},    {14, float_unary},   {kMul, mul},         {19, relu},
      {20, relu},        {21, relu},         {28, float_unary},   {kSub, add},         {42, div},
      {47, float_unary}, {54, prelu},        {kMaximum, extreme}, {kMinimum, extreme}, {59, neg},
      {73, float_unary}, {75, square_root},  {76, float_unary},   {98, leaky_relu},    {99, squared_difference},
      {101, abs},        {111, float_unary}, {114, quantize},     {117, hard_swish},   {150, float_unary}};
  for (const auto& [code, rule] : kRules) rules[code] = rule;
}

}  // namespace wick::compiler
