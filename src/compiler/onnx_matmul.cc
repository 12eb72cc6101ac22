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

// Einsum of one or two operands: sums over letters that only one of them has, then a batched product.

struct Term {
  Value* value;
  std::string letters;
};

Term summed_over(OnnxCall& call, const Term& term, const std::string& needed) {
  Ints dims;
  std::string letters;
  for (size_t i = 0; i < term.letters.size(); ++i) {
    if (needed.find(term.letters[i]) == std::string::npos) {
      dims.push_back(static_cast<int64_t>(i));
    } else {
      letters += term.letters[i];
    }
  }
  if (dims.empty()) return term;
  return {call("aten::sum.dim_IntList", {term.value, dims, false, term.value->type.dtype}), letters};
}

Value* in_order(OnnxCall& call, const Term& term, const std::string& order) {
  Ints dims;
  for (const char letter : order) dims.push_back(static_cast<int64_t>(term.letters.find(letter)));
  return onnx_transposed(call, term.value, dims);
}

Term contracted(OnnxCall& call, Term a, Term b, const std::string& output) {
  a = summed_over(call, a, b.letters + output);
  b = summed_over(call, b, a.letters + output);
  std::map<char, int64_t> sizes;
  for (const Term* term : {&a, &b}) {
    for (size_t i = 0; i < term->letters.size(); ++i) {
      const auto [known, is_new] = sizes.emplace(term->letters[i], term->value->type.sizes[i]);
      call.require(is_new || known->second == term->value->type.sizes[i], "its operands differ in size '",
                   term->letters[i], "'");
    }
  }
  std::string batch, inner, left, right;
  for (const char letter : a.letters) {
    const bool both = b.letters.find(letter) != std::string::npos;
    (both ? output.find(letter) != std::string::npos ? batch : inner : left) += letter;
  }
  for (const char letter : b.letters) {
    if (a.letters.find(letter) == std::string::npos) right += letter;
  }
  const auto count = [&sizes](const std::string& letters) {
    int64_t product = 1;
    for (const char letter : letters) product *= sizes[letter];
    return product;
  };
  Value* lhs = call.view(in_order(call, a, batch + left + inner), {count(batch), count(left), count(inner)});
  Value* rhs = call.view(in_order(call, b, batch + inner + right), {count(batch), count(inner), count(right)});
  Shape to;
  const std::string letters = batch + left + right;
  for (const char letter : letters) to.push_back(sizes[letter]);
  return {call.view(call("aten::bmm", {lhs, rhs}), to), letters};
}

void einsum(OnnxCall& call) {
  std::string equation = call.text("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  call.require(equation.find('.') == std::string::npos, "an ellipsis is not supported; write all dimensions out");
  std::vector<Term> terms;
  size_t start = 0;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const size_t end = std::min(equation.find(',', start), std::min(arrow, equation.size()));
    terms.push_back({call.in(i), equation.substr(start, end - start)});
    call.require(terms[i].letters.size() == call.sizes(i).size(), "its equation does not fit operand ", i);
    std::string sorted = terms[i].letters;
    std::sort(sorted.begin(), sorted.end());
    call.require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "diagonals are not supported");
    start = std::min(end + 1, equation.size());
  }
  std::string all, output;
  for (const Term& term : terms) all += term.letters;
  // Without an arrow: the letters that come once, in order.
  std::string sorted = all;
  std::sort(sorted.begin(), sorted.end());
  for (const char letter : sorted) {
    if (std::count(all.begin(), all.end(), letter) == 1) output += letter;
  }
  if (arrow != std::string::npos) output = equation.substr(arrow + 2);
  for (const char letter : output) {
    call.require(all.find(letter) != std::string::npos && std::count(output.begin(), output.end(), letter) == 1,
                 "its output has '", letter, "', which is in no operand, or twice");
  }
  call.require(!terms.empty(), "has no operands");
  Term result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string needed = output;
    for (size_t k = i + 1; k < terms.size(); ++k) needed += terms[k].letters;
    result = contracted(call, result, terms[i], needed);
  }
  result = summed_over(call, result, output);
  call.set(in_order(call, result, output));
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
