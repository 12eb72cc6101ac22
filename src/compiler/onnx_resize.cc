// ONNX's Resize: what ATen's upsampling has goes there; any other way of counting coordinates becomes a table of
// indices (nearest) or a matrix of weights (linear) for each axis, which is exact.
#include <algorithm>
#include <cmath>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

struct Resize {
  std::string mode, coordinates, rounding;
  std::vector<double> scales;  // one per dimension
  Shape to;
  double cubic = 0;
  bool exclude_outside = false;
};

Resize read_resize(OnnxCall& call) {
  const bool old = call.node().op == "Upsample";
  const Shape& from = call.sizes(0);
  Resize r;
  r.mode = call.text("mode", "nearest");
  r.coordinates = old ? "asymmetric" : call.text("coordinate_transformation_mode", "half_pixel");
  r.rounding = old ? "floor" : call.text("nearest_mode", "round_prefer_floor");
  const size_t scales_at = old ? 1 : 2;
  std::vector<size_t> axes = call.axes("axes", 99, from.size());
  if (axes.empty()) {
    for (size_t i = 0; i < from.size(); ++i) axes.push_back(i);
  }
  r.cubic = call.real("cubic_coeff_a", -0.75);
  r.exclude_outside = call.integer("exclude_outside", 0) != 0;
  r.to = from;
  r.scales.assign(from.size(), 1);
  const Doubles scales = call.has(scales_at) ? call.doubles(scales_at) : Doubles{};
  const Ints sizes = call.has(3) ? call.ints(3) : Ints{};
  call.require((sizes.empty() ? scales.size() : sizes.size()) == axes.size(), "needs a scale or a size for each axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = axes[i];
    const auto size = static_cast<double>(from[axis]);
    call.require(from[axis] >= 1, "takes no empty input");
    if (sizes.empty()) {
      call.require(scales[i] > 0 && size * scales[i] < 1e9, "has the impossible scale ", scales[i]);
      r.scales[axis] = scales[i];
      r.to[axis] = static_cast<int64_t>(std::floor(size * scales[i]));
    } else {
      r.to[axis] = sizes[i];
      r.scales[axis] = size == 0 ? 1 : static_cast<double>(sizes[i]) / size;
    }
    call.require(r.to[axis] >= 1 && r.to[axis] < (1 << 24), "has the impossible size ", r.to[axis]);
  }
  call.require(call.text("keep_aspect_ratio_policy", "stretch") == "stretch",
               "keep_aspect_ratio_policy is not supported");
  call.require(call.integer("antialias", 0) == 0, "antialias is not supported");
  return r;
}

// Where in the input output element `at` of an axis lies.
double source_of(OnnxCall& call, const Resize& r, size_t axis, int64_t at, int64_t from) {
  const auto x = static_cast<double>(at), scale = r.scales[axis];
  const auto out = static_cast<double>(r.to[axis]), in = static_cast<double>(from);
  if (r.coordinates == "asymmetric") return x / scale;
  if (r.coordinates == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (r.coordinates == "pytorch_half_pixel") return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (r.coordinates == "align_corners") return out > 1 ? x * (in - 1) / (scale * in - 1) : 0;
  if (r.coordinates == "half_pixel_symmetric") {
    return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
  }
  call.fail("coordinate_transformation_mode '", r.coordinates, "' is not supported");
}

int64_t rounded(OnnxCall& call, const std::string& rounding, double x) {
  if (rounding == "floor") return static_cast<int64_t>(std::floor(x));
  if (rounding == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (rounding == "round_prefer_floor") return static_cast<int64_t>(std::ceil(x - 0.5));
  if (rounding == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  call.fail("nearest_mode '", rounding, "' is not supported");
}

Value* nearest_axis(OnnxCall& call, const Resize& r, Value* x, size_t axis) {
  const int64_t from = x->type.sizes[axis];
  Ints index;
  for (int64_t at = 0; at < r.to[axis]; ++at) {
    const double place = source_of(call, r, axis, at, from);
    index.push_back(std::clamp<int64_t>(rounded(call, r.rounding, place), 0, from - 1));
  }
  return call("aten::index_select", {x, static_cast<int64_t>(axis), call.int64s(index)});
}

// Shares of the elements around a place, by their index: two for linear, four for cubic (a: its coefficient).
std::map<int64_t, double> shares_of(const Resize& r, double place, int64_t from) {
  const auto low = static_cast<int64_t>(std::floor(place));
  const double t = place - static_cast<double>(low), a = r.cubic;
  std::vector<double> weights = {1 - t, t};
  int64_t first = low;
  if (r.mode == "cubic") {
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    weights = {far(1 + t), near(t), near(1 - t), far(2 - t)};
    first = low - 1;
  }
  std::map<int64_t, double> shares;
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const int64_t at = first + static_cast<int64_t>(i);
    if (r.exclude_outside && (at < 0 || at >= from)) continue;
    shares[std::clamp<int64_t>(at, 0, from - 1)] += weights[i];
    sum += weights[i];
  }
  if (r.exclude_outside && sum != 0) {
    for (auto& [at, share] : shares) share /= sum;
  }
  return shares;
}

// A matrix product along the axis, which is brought to the end for it.
Value* weighted_axis(OnnxCall& call, const Resize& r, Value* x, size_t axis) {
  const int64_t from = x->type.sizes[axis], to = r.to[axis];
  call.require(from * to < (1 << 24), "is too large for this way of counting coordinates");
  files::Array weights = files::filled(DType::kFloat32, {static_cast<int32_t>(to), static_cast<int32_t>(from)}, 0);
  for (int64_t at = 0; at < to; ++at) {
    for (const auto& [index, share] : shares_of(r, source_of(call, r, axis, at, from), from)) {
      files::set_element(weights, static_cast<uint64_t>(at * from + index), share);
    }
  }
  Ints dims;
  for (size_t i = 0; i < x->type.sizes.size(); ++i) dims.push_back(static_cast<int64_t>(i));
  std::swap(dims[axis], dims.back());
  const bool last = axis + 1 == dims.size();
  if (!last) x = call.permute(x, dims);
  x = call("aten::linear", {x, call.constant(std::move(weights)), Argument()});
  return last ? x : call.permute(x, dims);
}

bool whole_factors(const Resize& r, const Shape& from) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (r.to[i] % std::max<int64_t>(1, from[i]) != 0) return false;
  }
  return true;
}

// Scales are exact when sizes are: then ATen, which takes sizes, counts alike.
bool exact_scales(const Resize& r, const Shape& from) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (std::abs(static_cast<double>(from[i]) * r.scales[i] - static_cast<double>(r.to[i])) > 1e-4) return false;
  }
  return true;
}

void resize(OnnxCall& call) {
  const Resize r = read_resize(call);
  Value* x = call.in(0);
  const Shape from = x->type.sizes;
  if (r.to == from) return call.set(x);
  const bool images = from.size() == 4 && r.to[0] == from[0] && r.to[1] == from[1] && exact_scales(r, from);
  const Ints size(r.to.end() - std::min<int64_t>(2, static_cast<int64_t>(from.size())), r.to.end());
  const bool half = r.coordinates == "half_pixel" || r.coordinates == "pytorch_half_pixel";
  if (r.mode == "nearest") {
    const bool counts_down = r.coordinates == "asymmetric" && r.rounding == "floor";
    const bool repeats = half && r.rounding.starts_with("round") && whole_factors(r, from);
    if (images && (counts_down || repeats)) {
      return call.set(call("aten::upsample_nearest2d.vec", {x, size, Argument()}));
    }
    for (size_t axis = 0; axis < from.size(); ++axis) {
      if (r.to[axis] != from[axis]) x = nearest_axis(call, r, x, axis);
    }
    return call.set(x);
  }
  call.require(r.mode == "linear" || r.mode == "cubic", "mode '", r.mode, "' is not supported");
  if (images && r.mode == "linear" && (r.coordinates == "align_corners" || (half && size[0] > 1 && size[1] > 1))) {
    const bool corners = r.coordinates == "align_corners";
    return call.set(call("aten::upsample_bilinear2d.vec", {x, size, corners, Argument()}));
  }
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (r.to[axis] != from[axis]) x = weighted_axis(call, r, x, axis);
  }
  call.set(x);
}

}  // namespace

void add_onnx_resize_rules(OnnxRules& rules) { rules["Resize"] = rules["Upsample"] = resize; }

}  // namespace wick::compiler
