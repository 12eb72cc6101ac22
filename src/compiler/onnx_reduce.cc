// ONNX's reductions as ATen's: over axes from an attribute or, in newer opsets, an input.
#include <algorithm>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

struct Reduction {
  Ints dims;  // empty: nothing to do
  bool keep;
};

Reduction reduction_of(OnnxCall& call) {
  const size_t rank = call.sizes(0).size();
  Reduction r{{}, call.integer("keepdims", 1) != 0};
  for (const size_t axis : call.axes("axes", 1, rank)) r.dims.push_back(static_cast<int64_t>(axis));
  std::sort(r.dims.begin(), r.dims.end());
  r.dims.erase(std::unique(r.dims.begin(), r.dims.end()), r.dims.end());
  if (r.dims.empty() && call.integer("noop_with_empty_axes", 0) == 0) {
    for (size_t i = 0; i < rank; ++i) r.dims.push_back(static_cast<int64_t>(i));
  }
  return r;
}

Value* sum_of(OnnxCall& call, Value* x, const Reduction& r) {
  if (r.dims.empty()) return x;
  return call("aten::sum.dim_IntList", {x, r.dims, r.keep, x->type.dtype});
}

// One dimension at a time, the last one first, so that the others keep their place.
Value* product_of(OnnxCall& call, Value* x, const Reduction& r) {
  for (size_t i = r.dims.size(); i-- > 0;) x = call("aten::prod.dim_int", {x, r.dims[i], r.keep, x->type.dtype});
  return x;
}

// Of the largest element: what is reduced does not overflow.
Value* log_sum_exp(OnnxCall& call, Value* x, const Reduction& r) {
  if (r.dims.empty()) return x;
  Value* most = call("aten::amax", {x, r.dims, true});
  Value* sum = sum_of(call, call("aten::exp", {call("aten::sub.Tensor", {x, most})}), {r.dims, true});
  Value* result = call("aten::add.Tensor", {call("aten::log", {sum}), most});
  if (r.keep) return result;
  Shape sizes;
  for (size_t i = 0; i < x->type.sizes.size(); ++i) {
    if (std::find(r.dims.begin(), r.dims.end(), static_cast<int64_t>(i)) == r.dims.end())
      sizes.push_back(x->type.sizes[i]);
  }
  return call.view(result, sizes);
}

void reduce(OnnxCall& call) {
  const std::string& op = call.node().op;
  Value* x = call.in(0);
  const Reduction r = reduction_of(call);
  const auto square = [&] { return call("aten::mul.Tensor", {x, x}); };
  if (op == "ReduceMean") {
    call.set(r.dims.empty() ? x : call("aten::mean.dim", {x, r.dims, r.keep}));
  } else if (op == "ReduceSum") {
    call.set(sum_of(call, x, r));
  } else if (op == "ReduceMax" || op == "ReduceMin") {
    call.set(r.dims.empty() ? x : call(op == "ReduceMax" ? "aten::amax" : "aten::amin", {x, r.dims, r.keep}));
  } else if (op == "ReduceProd") {
    call.set(product_of(call, x, r));
  } else if (op == "ReduceL1") {
    call.set(sum_of(call, call("aten::abs", {x}), r));
  } else if (op == "ReduceL2") {
    call.set(call("aten::sqrt", {sum_of(call, square(), r)}));
  } else if (op == "ReduceSumSquare") {
    call.set(sum_of(call, square(), r));
  } else if (op == "ReduceLogSum") {
    call.set(call("aten::log", {sum_of(call, x, r)}));
  } else {
    call.set(log_sum_exp(call, x, r));
  }
}

// The last of equal ones is the first from behind.
void arg_extreme(OnnxCall& call) {
  const char* op = call.node().op == "ArgMax" ? "aten::argmax" : "aten::argmin";
  Value* x = call.in(0);
  const size_t axis = call.axis(0, x->type.sizes.size());
  const auto dim = static_cast<int64_t>(axis);
  const bool keep = call.integer("keepdims", 1) != 0, last = call.integer("select_last_index", 0) != 0;
  if (last) x = call("aten::flip", {x, Ints{dim}});
  Value* index = call(op, {x, dim, keep});
  if (last) index = call("aten::rsub.Scalar", {index, x->type.sizes[axis] - 1});
  call.set(index);
}

void global_pool(OnnxCall& call) {
  const bool average = call.node().op == "GlobalAveragePool";
  Ints dims;
  for (int64_t i = 2; i < call.rank(0); ++i) dims.push_back(i);
  call.require(!dims.empty(), "takes images");
  call.set(call(average ? "aten::mean.dim" : "aten::amax", {call.in(0), dims, true}));
}

}  // namespace

void add_onnx_reduce_rules(OnnxRules& rules) {
  for (const char* name : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                           "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
    rules[name] = reduce;
  }
  rules["ArgMax"] = rules["ArgMin"] = arg_extreme;
  rules["GlobalAveragePool"] = rules["GlobalMaxPool"] = global_pool;
}

}  // namespace wick::compiler
