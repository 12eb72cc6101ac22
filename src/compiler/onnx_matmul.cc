// ONNX's matrix products: with constant weights they become linear layers, which is what quantization and lowering
// look for; other products become bmm.
#include <algorithm>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

// A constant, or a dequantized one.
bool is_weight(const Value* x) {
  if (x->is_constant()) return true;
  const Node* source = x->producer();
  return source != nullptr && source->op.starts_with("quantized_decomposed::dequantize") &&
         source->arg(0).tensor() != nullptr && source->arg(0).tensor()->is_constant();
}

// NumPy's product of any two ranks.
Value* product(OnnxCall& call, Value* a, Value* b) {
  const Shape sa = a->type.sizes, sb = b->type.sizes;
  call.require(!sa.empty() && !sb.empty(), "takes vectors and matrices, not numbers");
  if (sb.size() == 2 && is_weight(b) && !is_weight(a)) {
    return call("aten::linear", {a, onnx_transposed(call, b, {1, 0}), Argument()});
  }
  const Shape fa = sa.size() == 1 ? Shape{1, sa[0]} : sa, fb = sb.size() == 1 ? Shape{sb[0], 1} : sb;
  const int64_t rows = fa.end()[-2], depth = fa.back(), columns = fb.back();
  call.require(fb.end()[-2] == depth, "multiplies rows of ", depth, " by columns of ", fb.end()[-2]);
  Shape batch(std::max(fa.size(), fb.size()) - 2, 1);
  for (const Shape* s : {&fa, &fb}) {
    const size_t skip = batch.size() - (s->size() - 2);
    for (size_t i = 0; i + 2 < s->size(); ++i) {
      call.require(batch[skip + i] == 1 || (*s)[i] == 1 || batch[skip + i] == (*s)[i], "its batches do not fit");
      if (batch[skip + i] == 1) batch[skip + i] = (*s)[i];
    }
  }
  int64_t count = 1;
  for (const int64_t one : batch) count *= one;
  const auto flat = [&](Value* x, const Shape& from, int64_t height, int64_t width) {
    Shape whole = batch;
    whole.insert(whole.end(), {height, width});
    if (from.size() != whole.size()) {
      Shape padded = from;
      padded.insert(padded.begin(), whole.size() - from.size(), 1);
      x = call.view(x, padded);
    }
    if (x->type.sizes != whole) x = call("aten::expand_copy", {x, whole});
    return call.view(x, {count, height, width});
  };
  Value* y = call("aten::bmm", {flat(a, fa, rows, depth), flat(b, fb, depth, columns)});
  Shape out = batch;
  if (sa.size() > 1) out.insert(out.end(), rows);
  if (sb.size() > 1) out.insert(out.end(), columns);
  return call.view(y, out);
}

void matmul(OnnxCall& call) { call.set(product(call, call.in(0), call.in(1))); }

Value* scaled(OnnxCall& call, Value* x, double factor) {
  return factor == 1 ? x : call("aten::mul.Tensor", {x, call.scalar_like(x, factor)});
}

// alpha * A * B + beta * C.
void gemm(OnnxCall& call) {
  const double alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  Value* a = call.in(0);
  Value* b = call.in(1);
  call.require(call.rank(0) == 2 && call.rank(1) == 2, "takes matrices");
  if (call.integer("transA", 0) != 0) a = onnx_transposed(call, a, {1, 0});
  const bool transposed = call.integer("transB", 0) != 0;
  Value* c = call.optional(2);
  if (!is_weight(b)) {
    if (transposed) b = onnx_transposed(call, b, {1, 0});
    Value* y = scaled(call, call("aten::mm", {a, b}), alpha);
    call.set(c == nullptr ? y : call("aten::add.Tensor", {y, scaled(call, c, beta)}));
    return;
  }
  if (!transposed) b = onnx_transposed(call, b, {1, 0});
  const bool is_bias = c != nullptr && beta == 1 && alpha == 1 && c->type.numel() == b->type.sizes[0] &&
                       c->type.sizes.size() <= 2 && c->type.sizes.back() == b->type.sizes[0] && is_weight(c);
  if (is_bias && c->type.sizes.size() == 2) c = call.view(c, {b->type.sizes[0]});
  Value* y = call("aten::linear", {a, b, is_bias ? c : nullptr});
  y = scaled(call, y, alpha);
  call.set(c == nullptr || is_bias ? y : call("aten::add.Tensor", {y, scaled(call, c, beta)}));
}

void einsum(OnnxCall& call) {
  Tensors operands;
  for (size_t i = 0; i < call.input_count(); ++i) operands.push_back(call.in(i));
  call.set(call("aten::einsum", {call.text("equation", ""), operands, Argument()}));
}

void fused_matmul(OnnxCall& call) {
  call.require(call.integer("transBatchA", 0) == 0 && call.integer("transBatchB", 0) == 0,
               "transposed batches are not supported");
  const auto turned = [&call](Value* x, bool turn) {
    if (!turn || x->type.sizes.size() < 2) return x;
    Ints dims;
    for (size_t i = 0; i < x->type.sizes.size(); ++i) dims.push_back(static_cast<int64_t>(i));
    std::swap(dims.back(), dims.end()[-2]);
    return onnx_transposed(call, x, dims);
  };
  Value* y = product(call, turned(call.in(0), call.integer("transA", 0) != 0),
                     turned(call.in(1), call.integer("transB", 0) != 0));
  call.set(scaled(call, y, call.real("alpha", 1)));
}

}  // namespace

void add_onnx_matmul_rules(OnnxRules& rules) {
  rules["Einsum"] = einsum;
  rules["Gemm"] = gemm;
  rules["MatMul"] = matmul;
  rules["com.microsoft::FusedMatMul"] = fused_matmul;
}

}  // namespace wick::compiler
