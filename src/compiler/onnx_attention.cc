// ONNX's Attention (opset 23): heads, masks, causality, earlier keys and values, as products and a softmax.
#include <algorithm>
#include <cmath>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

constexpr double kNever = -1e30;  // a score that softmax makes 0 of, and that adds up without becoming a NaN

// [batch, heads, length, size]; three dimensions hold heads beside each other.
Value* by_heads(OnnxCall& call, size_t input, const char* attribute) {
  Value* x = call.in(input);
  const Shape s = x->type.sizes;
  if (s.size() == 4) return x;
  const int64_t heads = call.integer(attribute, 0);
  call.require(s.size() == 3 && heads >= 1 && s[2] % heads == 0, "attribute '", attribute, "' does not fit");
  return call.permute(call.view(x, {s[0], s[1], heads, s[2] / heads}), {0, 2, 1, 3});
}

// Each head of keys or values as often as there are queries for it.
Value* for_heads(OnnxCall& call, Value* x, int64_t heads) {
  const Shape s = x->type.sizes;
  if (s[1] == heads) return x;
  call.require(s[1] >= 1 && heads % s[1] == 0, s[1], " heads of keys do not divide ", heads, " of queries");
  const int64_t each = heads / s[1];
  x = call("aten::expand_copy", {call.view(x, {s[0], s[1], 1, s[2], s[3]}), Ints{s[0], s[1], each, s[2], s[3]}});
  return call.view(x, {s[0], heads, s[2], s[3]});
}

// Query i sees keys up to i, counted behind `earlier` ones.
Value* causal_mask(OnnxCall& call, int64_t queries, int64_t keys, int64_t earlier) {
  call.require(queries * keys < (1 << 24), "is too large for a causal mask");
  files::Array mask = files::filled(DType::kFloat32, {static_cast<int32_t>(queries), static_cast<int32_t>(keys)}, 0);
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t k = i + earlier + 1; k < keys; ++k) {
      files::set_element(mask, static_cast<uint64_t>(i * keys + k), kNever);
    }
  }
  return call.constant(std::move(mask));
}

Value* masked(OnnxCall& call, Value* scores, int64_t earlier) {
  if (call.has(3)) {
    Value* mask = call.in(3);
    scores = mask->type.dtype == DType::kBool
                 ? call("aten::where.self", {mask, scores, call.scalar_like(scores, kNever)})
                 : call("aten::add.Tensor", {scores, mask});
  }
  if (call.integer("is_causal", 0) == 0) return scores;
  const Shape& s = scores->type.sizes;
  return call("aten::add.Tensor", {scores, causal_mask(call, s[2], s[3], earlier)});
}

// A row whose mask leaves nothing gives zeros.
Value* probabilities(OnnxCall& call, Value* scores) {
  Value* y = call("aten::_softmax", {scores, -1, false});
  if (!call.has(3) || call.in(3)->type.dtype != DType::kBool) return y;
  Value* possible = call("aten::gt.Scalar", {scores, kNever / 2});
  return call("aten::where.self", {possible, y, call.scalar_like(y, 0)});
}

Value* matrix_product(OnnxCall& call, Value* a, Value* b) {
  const Shape sa = a->type.sizes, sb = b->type.sizes;
  Value* y =
      call("aten::bmm", {call.view(a, {sa[0] * sa[1], sa[2], sa[3]}), call.view(b, {sb[0] * sb[1], sb[2], sb[3]})});
  return call.view(y, {sa[0], sa[1], sa[2], sb[3]});
}

void attention(OnnxCall& call) {
  for (const auto& [name, value] : call.node().attributes) {
    const bool known = name == "is_causal" || name == "q_num_heads" || name == "kv_num_heads" || name == "scale" ||
                       name == "softcap" || name == "softmax_precision" || name == "qk_matmul_output_mode";
    call.require(known, "attribute '", name, "' is not supported");
  }
  call.require(!call.has(6), "nonpad_kv_seqlen is not supported");
  call.require(!call.wants(3), "its products are not supported as output");
  call.require(call.dtype(0) == DType::kFloat32, "takes float32");
  Value* q = by_heads(call, 0, "q_num_heads");
  Value* k = by_heads(call, 1, "kv_num_heads");
  Value* v = by_heads(call, 2, "kv_num_heads");
  int64_t earlier = 0;
  if (call.has(4) && call.has(5)) {
    earlier = call.rank(4) == 4 ? call.sizes(4)[2] : 0;
    k = call("aten::cat", {Tensors{call.in(4), k}, 2});
    v = call("aten::cat", {Tensors{call.in(5), v}, 2});
  }
  call.set(1, k);
  call.set(2, v);
  const Shape s = q->type.sizes;
  k = for_heads(call, k, s[1]);
  v = for_heads(call, v, s[1]);
  const double scale = call.real("scale", s[3] > 0 ? 1 / std::sqrt(static_cast<double>(s[3])) : 1);
  q = call("aten::mul.Tensor", {q, call.scalar_like(q, scale)});
  Value* scores = matrix_product(call, q, call.permute(k, {0, 1, 3, 2}));
  const double cap = call.real("softcap", 0);
  const auto capped = [&](Value* x) {
    if (cap == 0) return x;
    x = call("aten::tanh", {call("aten::mul.Tensor", {x, call.scalar_like(x, 1 / cap)})});
    return call("aten::mul.Tensor", {x, call.scalar_like(x, cap)});
  };
  scores = masked(call, capped(scores), earlier);
  Value* y = matrix_product(call, probabilities(call, scores), v);
  if (call.rank(0) == 3) {
    const Shape heads = y->type.sizes;
    y = call.view(call.permute(y, {0, 2, 1, 3}), {heads[0], heads[2], heads[1] * heads[3]});
  }
  call.set(0, y);
}

}  // namespace

void add_onnx_attention_rules(OnnxRules& rules) { rules["Attention"] = attention; }

}  // namespace wick::compiler
