// TensorFlow Lite's INT8 reductions: a sum is a product with ones, so MEAN and SUM over rows and columns are depthwise
// convolutions with a kernel of ones, others linear layers; both round exactly as TensorFlow Lite does.
#include <algorithm>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

constexpr int32_t kMean = 40, kReduceMax = 82;

struct Axes {
  std::vector<size_t> reduced, kept;
  int64_t count = 1;  // of what is reduced
  bool contiguous() const { return reduced.empty() || reduced.back() - reduced[0] + 1 == reduced.size(); }
};

Axes axes_of(TfCall& call, const Shape& sizes) {
  std::vector<bool> named(sizes.size(), false);
  for (const int64_t axis : call.ints(1)) named[wrap(axis, sizes.size(), "axis")] = true;
  Axes axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    (named[i] ? axes.reduced : axes.kept).push_back(i);
    if (named[i]) axes.count *= sizes[i];
  }
  return axes;
}

// One factor for every output. A mean's has 1 / count in it: shifted left as far as count allows, then divided.
TfFactor factor_of(TfCall& call, int64_t count) {
  TfFactor f = tflite_factor(double{call.params_in(0).scale} / double{call.params_out().scale});
  if (call.code() != kMean) return f;
  int32_t bits = 63 - __builtin_clzll(static_cast<unsigned long long>(count));
  bits = std::min({bits, 32, 31 + f.shift});
  f.multiplier = static_cast<int32_t>((int64_t{f.multiplier} << bits) / count);
  f.shift -= bits;
  return f;
}

files::Array ones(std::vector<int32_t> sizes) { return files::filled(DType::kInt8, sizes, 1); }

// Sums over the last dimension of [rows, count].
Value* by_rows(TfCall& call, Value* x, int64_t rows, int64_t count, const TfFactor& f) {
  const TfParams in = call.params_in(0), out = call.params_out();
  return call("cortex_m::quantized_linear",
              {call.view(x, {rows, count}), call.constant(ones({1, static_cast<int32_t>(count)})), Argument(),
               Argument(), -in.zero_point, 0, out.zero_point, Ints{f.multiplier}, Ints{f.shift}, 127, -128});
}

// Sums over the rows and columns of [1, height, width, channels].
Value* by_planes(TfCall& call, Value* x, const Shape& image, const TfFactor& f) {
  const TfParams in = call.params_in(0), out = call.params_out();
  const auto channels = static_cast<size_t>(image[3]);
  const auto size = [&image](size_t i) { return static_cast<int32_t>(image[i]); };
  const Ints one{1, 1}, none{0, 0};
  return call("cortex_m::quantized_depthwise_conv2d_nhwc",
              {call.view(x, image), call.constant(ones({1, size(1), size(2), size(3)})), Argument(), one, none, one, 1,
               -in.zero_point, out.zero_point, call.int32s(Ints(channels, f.multiplier)),
               call.int32s(Ints(channels, f.shift)), -128, 127, call.scratch()});
}

void sum(TfCall& call) {
  Value* x = call.in(0);
  const Shape sizes = x->type.sizes;
  Axes axes = axes_of(call, sizes);
  call.require(axes.count > 0 && x->type.numel() > 0, "reduces nothing");
  const TfFactor f = factor_of(call, axes.count);
  Shape to;
  const bool keep = call.options().flag(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool reduced = std::find(axes.reduced.begin(), axes.reduced.end(), i) != axes.reduced.end();
    if (!reduced) to.push_back(sizes[i]);
    if (reduced && keep) to.push_back(1);
  }
  int64_t outer = 1, inner = 1;
  for (const size_t i : axes.kept) (axes.reduced.empty() || i < axes.reduced[0] ? outer : inner) *= sizes[i];
  if (!axes.contiguous() || (outer > 1 && inner > 1)) {
    Ints dims;
    for (const auto* list : {&axes.kept, &axes.reduced}) {
      for (const size_t i : *list) dims.push_back(static_cast<int64_t>(i));
    }
    x = call.permute(x, dims);
    outer *= inner;
    inner = 1;
  }
  Value* y = nullptr;
  if (inner == 1) {
    y = by_rows(call, x, outer, axes.count, f);
  } else {
    const bool plane = axes.reduced.size() == 2;
    const int64_t height = sizes[axes.reduced[0]];
    y = by_planes(call, x, plane ? Shape{1, height, axes.count / height, inner} : Shape{1, axes.count, 1, inner}, f);
  }
  call.set(call.view(y, to));
}

void extreme(TfCall& call) {
  const Axes axes = axes_of(call, call.sizes(0));
  Ints dims;
  for (const size_t i : axes.reduced) dims.push_back(static_cast<int64_t>(i));
  Value* y = call.in(0);
  if (!dims.empty()) {
    y = call(call.code() == kReduceMax ? "aten::amax" : "aten::amin", {y, dims, call.options().flag(0)});
  }
  call.set(call.requantized(y, 0));
}

}  // namespace

void add_tflite_int8_reduce_rules(TfRules& rules) {
  rules[kMean] = rules[74] = sum;
  rules[kReduceMax] = rules[89] = extreme;
}

}  // namespace wick::compiler
