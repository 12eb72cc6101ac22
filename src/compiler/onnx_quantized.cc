// ONNX's quantized models as what PT2E writes: quantized_decomposed nodes around float operators, int8 throughout.
// uint8 is int8 with everything moved by 128. QLinear operators are taken apart into the same form.
#include <algorithm>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

const std::string kQuantize = "quantized_decomposed::quantize_per_";
const std::string kDequantize = "quantized_decomposed::dequantize_per_";

// Scale and zero point of a tensor, or of each of its channels.
struct Parameters {
  Doubles scales;
  Ints zero_points;  // as the file has them
  DType dtype;       // of the integers in the file
  int64_t axis = 0;
  bool per_channel() const { return scales.size() > 1; }
};

// `zero_at` may be absent: then zeros, of `dtype`.
Parameters read_parameters(OnnxCall& call, size_t scale_at, size_t zero_at, DType dtype, const Shape& sizes,
                           int64_t axis) {
  call.require(call.integer("block_size", 0) == 0, "quantization by blocks is not supported; quantize by channels");
  Parameters p;
  p.scales = call.doubles(scale_at);
  call.require(call.sizes(scale_at).size() <= 1 && !p.scales.empty(), "its scale must be a number or a list");
  p.dtype = dtype;
  if (call.has(zero_at)) {
    p.zero_points = call.ints(zero_at);
    p.dtype = call.dtype(zero_at);
  } else {
    p.zero_points.assign(p.scales.size(), 0);
  }
  call.require(p.zero_points.size() == p.scales.size(), "has ", p.scales.size(), " scales, but ", p.zero_points.size(),
               " zero points");
  for (const double scale : p.scales) call.require(scale > 0 && scale < 1e30, "has the impossible scale ", scale);
  if (p.per_channel()) {
    p.axis = static_cast<int64_t>(wrap(axis, sizes.size(), "axis"));
    call.require(sizes[static_cast<size_t>(p.axis)] == static_cast<int64_t>(p.scales.size()), "has ", p.scales.size(),
                 " scales for ", sizes[static_cast<size_t>(p.axis)], " channels");
  }
  return p;
}

bool is_uint8(DType dtype) { return dtype == DType::kUInt8; }

struct Range {
  int64_t low, high;
  DType dtype;  // in the graph
};

Range range_of(OnnxCall& call, DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUInt8:
      return {-128, 127, DType::kInt8};
    case DType::kInt16:
      return {-32768, 32767, DType::kInt16};
    case DType::kInt32:
      return {INT32_MIN, INT32_MAX, DType::kInt32};
    default:
      call.fail(dtype_name(dtype), " as quantized type is not supported; quantize to int8 or uint8");
  }
}

Value* list_of(OnnxCall& call, const Doubles& scales) {
  files::Array array = files::filled(DType::kFloat32, {static_cast<int32_t>(scales.size())}, 0);
  for (size_t i = 0; i < scales.size(); ++i) files::set_element(array, i, scales[i]);
  return call.constant(std::move(array));
}

Arguments arguments_of(OnnxCall& call, Value* x, const Parameters& p, const Range& range) {
  Ints zero_points = p.zero_points;
  if (is_uint8(p.dtype)) {
    for (int64_t& one : zero_points) one -= 128;
  }
  if (!p.per_channel()) return {x, p.scales[0], zero_points[0], range.low, range.high, range.dtype};
  return {x, list_of(call, p.scales), call.int64s(zero_points), p.axis, range.low, range.high, range.dtype};
}

// uint8 values stand as int8 everywhere in the graph; what comes in or goes out as uint8 is converted there.
Value* to_int8(OnnxCall& call, Value* x) {
  if (x->type.dtype != DType::kUInt8) return x;
  if (x->is_constant()) {
    files::Array moved = *x->data;
    moved.dtype = DType::kInt8;
    for (uint8_t& byte : moved.bytes) byte ^= 0x80;
    return call.builder().constant(x->name, std::move(moved));
  }
  // What a node before moved the other way goes back to where it was.
  const Node* back = x->producer();
  if (back != nullptr && back->op == "aten::_to_copy") {
    const Node* sum = back->arg(0).tensor()->producer();
    const Node* wide = sum != nullptr && sum->op == "aten::add.Scalar" ? sum->arg(0).tensor()->producer() : nullptr;
    if (wide != nullptr && wide->op == "aten::_to_copy" && wide->arg(0).tensor()->type.dtype == DType::kInt8) {
      return wide->arg(0).tensor();
    }
  }
  Value* wide = call("aten::_to_copy", {x, DType::kInt32});
  return call("aten::_to_copy", {call("aten::sub.Scalar", {wide, 128}), DType::kInt8});
}

Value* to_uint8(OnnxCall& call, Value* x) {
  Value* wide = call("aten::_to_copy", {x, DType::kInt32});
  return call("aten::_to_copy", {call("aten::add.Scalar", {wide, 128}), DType::kUInt8});
}

Value* dequantize(OnnxCall& call, Value* x, const Parameters& p) {
  const Range range = range_of(call, x->type.dtype);
  Value* bytes = to_int8(call, x);
  return call(kDequantize + (p.per_channel() ? "channel" : "tensor"), arguments_of(call, bytes, p, range));
}

Value* quantize(OnnxCall& call, Value* x, const Parameters& p) {
  const Range range = range_of(call, p.dtype);
  call.require(range.dtype != DType::kInt32, "int32 is not a type to quantize to; use int8");
  Value* q = call(kQuantize + (p.per_channel() ? "channel" : "tensor"), arguments_of(call, x, p, range));
  return is_uint8(p.dtype) ? to_uint8(call, q) : q;
}

void quantize_linear(OnnxCall& call) {
  const Parameters p = read_parameters(call, 1, 2, DType::kUInt8, call.sizes(0), call.integer("axis", 1));
  call.set(quantize(call, call.in(0), p));
}

void dequantize_linear(OnnxCall& call) {
  const Parameters p = read_parameters(call, 1, 2, call.dtype(0), call.sizes(0), call.integer("axis", 1));
  call.require(p.dtype == call.dtype(0), "its zero point is ", dtype_name(p.dtype), ", its input ",
               dtype_name(call.dtype(0)));
  call.set(dequantize(call, call.in(0), p));
}

// An input whose scale and zero point are the next two inputs.
Value* dequantized_at(OnnxCall& call, size_t at, int64_t axis = 0) {
  return dequantize(call, call.in(at), read_parameters(call, at + 1, at + 2, call.dtype(at), call.sizes(at), axis));
}

void set_quantized(OnnxCall& call, Value* y, size_t scale_at, size_t zero_at) {
  call.set(quantize(call, y, read_parameters(call, scale_at, zero_at, DType::kInt8, y->type.sizes, 1)));
}

// int32, in steps of the input's scale times the weight's.
Value* bias_of(OnnxCall& call, size_t at, size_t x_scale_at, size_t w_scale_at) {
  if (!call.has(at)) return nullptr;
  Parameters p;
  p.dtype = DType::kInt32;
  call.require(call.dtype(at) == DType::kInt32, "its bias must be int32");
  const auto x_scale = static_cast<float>(call.number(x_scale_at));
  for (const double scale : call.doubles(w_scale_at)) {
    p.scales.push_back(double{x_scale * static_cast<float>(scale)});
    p.zero_points.push_back(0);
  }
  call.require(!p.per_channel() || static_cast<int64_t>(p.scales.size()) == call.in(at)->type.numel(),
               "its bias does not fit its weights");
  Value* bias = call.in(at);
  return dequantize(call, call.view(bias, {bias->type.numel()}), p);
}

// Runs the rule of a float operator on values at hand.
Value* run(OnnxCall& call, const std::string& op, const std::vector<Value*>& inputs) {
  OnnxRules rules;
  add_onnx_nn_rules(rules);
  add_onnx_matmul_rules(rules);
  add_onnx_elementwise_rules(rules);
  add_onnx_reduce_rules(rules);
  OnnxNode node = call.node();
  node.op = op;
  node.domain.clear();
  node.opset = 13;
  OnnxCall inner(call.builder().graph(), node, inputs);
  rules.at(op)(inner);
  return inner.outputs().at(0);
}

void qlinear_conv(OnnxCall& call) {
  Value* bias = bias_of(call, 8, 1, 4);
  set_quantized(call, run(call, "Conv", {dequantized_at(call, 0), dequantized_at(call, 3, 0), bias}), 6, 7);
}

// Scales of the second operand, where there are several, stand for its columns.
void qlinear_matmul(OnnxCall& call) {
  set_quantized(call, run(call, "MatMul", {dequantized_at(call, 0), dequantized_at(call, 3, -1)}), 6, 7);
}

void qgemm(OnnxCall& call) {
  const int64_t axis = call.integer("transB", 0) != 0 ? 0 : 1;
  Value* bias = bias_of(call, 6, 1, 4);
  Value* y = run(call, "Gemm", {dequantized_at(call, 0), dequantized_at(call, 3, axis), bias});
  if (!call.has(7)) return call.set(y);
  set_quantized(call, y, 7, 8);
}

void qlinear_binary(OnnxCall& call) {
  const std::string op = call.node().op.substr(7);  // behind "QLinear"
  set_quantized(call, run(call, op, {dequantized_at(call, 0), dequantized_at(call, 3)}), 6, 7);
}

void qlinear_unary(OnnxCall& call) {
  set_quantized(call, run(call, call.node().op.substr(7), {dequantized_at(call, 0)}), 3, 4);
}

void qlinear_concat(OnnxCall& call) {
  Tensors parts;
  for (size_t at = 2; at + 2 < call.input_count(); at += 3) parts.push_back(dequantized_at(call, at));
  call.require(!parts.empty(), "joins nothing");
  const auto axis = static_cast<int64_t>(call.axis(0, parts[0]->type.sizes.size()));
  set_quantized(call, call("aten::cat", {parts, axis}), 0, 1);
}

void dynamic(OnnxCall& call) {
  call.fail(
      "dynamic quantization is not supported: ranges must be known; use static quantization (quantize_static, QDQ), "
      "or compile the float model with --int8 DATA");
}

}  // namespace

void add_onnx_quantized_rules(OnnxRules& rules) {
  rules["DequantizeLinear"] = rules["com.microsoft::DequantizeLinear"] = dequantize_linear;
  rules["QuantizeLinear"] = rules["com.microsoft::QuantizeLinear"] = quantize_linear;
  rules["QLinearConv"] = qlinear_conv;
  rules["QLinearMatMul"] = qlinear_matmul;
  rules["com.microsoft::QGemm"] = qgemm;
  rules["com.microsoft::QLinearAdd"] = rules["com.microsoft::QLinearMul"] = qlinear_binary;
  for (const char* op : {"GlobalAveragePool", "AveragePool", "LeakyRelu", "Sigmoid", "Softmax"}) {
    rules[std::string("com.microsoft::QLinear") + op] = qlinear_unary;
  }
  rules["com.microsoft::QLinearConcat"] = qlinear_concat;
  for (const char* op :
       {"DynamicQuantizeLinear", "ConvInteger", "MatMulInteger", "com.microsoft::DynamicQuantizeMatMul",
        "com.microsoft::MatMulIntegerToFloat", "com.microsoft::DynamicQuantizeLSTM"}) {
    rules[op] = dynamic;
  }
}

}  // namespace wick::compiler
