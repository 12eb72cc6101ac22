// ONNX's convolutions and pools: paddings of any kind become what ATen has (the same on both sides) or a pad in front.
#include <algorithm>
#include <limits>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

constexpr int64_t kMostWindow = 1 << 20;

// A window that walks over the spatial dimensions; one entry for each.
struct Window {
  Ints kernel, stride, dilation, before, after;
  bool ceil_mode = false;
  size_t dims() const { return kernel.size(); }
  bool symmetric() const { return before == after; }
  int64_t reach(size_t i) const { return dilation[i] * (kernel[i] - 1) + 1; }
};

Ints checked(OnnxCall& call, const std::string& name, size_t count, int64_t least, Ints list) {
  call.require(list.size() == count, "attribute '", name, "' must have ", count, " entries, but has ", list.size());
  for (const int64_t one : list) {
    call.require(one >= least && one <= kMostWindow, "attribute '", name, "' holds the impossible ", one);
  }
  return list;
}

// `sizes`: of the input's spatial dimensions.
Window read_window(OnnxCall& call, const Shape& sizes, const Ints& kernel) {
  const size_t dims = sizes.size();
  Window w;
  w.kernel = checked(call, "kernel_shape", dims, 1, kernel);
  w.stride = checked(call, "strides", dims, 1, call.ints("strides", Ints(dims, 1)));
  w.dilation = checked(call, "dilations", dims, 1, call.ints("dilations", Ints(dims, 1)));
  w.ceil_mode = call.integer("ceil_mode", 0) != 0;
  const Ints pads = checked(call, "pads", 2 * dims, 0, call.ints("pads", Ints(2 * dims, 0)));
  w.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(dims));
  w.after.assign(pads.begin() + static_cast<int64_t>(dims), pads.end());
  const std::string automatic = call.text("auto_pad", "NOTSET");
  if (automatic == "VALID") w.before = w.after = Ints(dims, 0);
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (size_t i = 0; i < dims; ++i) {
      const int64_t outputs = (sizes[i] + w.stride[i] - 1) / w.stride[i];
      const int64_t total = std::max<int64_t>(0, (outputs - 1) * w.stride[i] + w.reach(i) - sizes[i]);
      const int64_t less = total / 2;
      w.before[i] = automatic == "SAME_UPPER" ? less : total - less;
      w.after[i] = total - w.before[i];
    }
  }
  return w;
}

Ints pads_of(const Window& w) {
  Ints pads;
  for (size_t i = w.dims(); i-- > 0;) {
    pads.push_back(w.before[i]);
    pads.push_back(w.after[i]);
  }
  return pads;
}

// ATen pads both sides alike; the rest is put in front.
Value* pad_unevenly(OnnxCall& call, Value* x, Window& w, double value) {
  if (w.symmetric()) return x;
  x = call("aten::constant_pad_nd", {x, pads_of(w), value});
  w.before = w.after = Ints(w.dims(), 0);
  return x;
}

Shape spatial(OnnxCall& call, size_t least = 3) {
  const Shape& sizes = call.sizes(0);
  call.require(sizes.size() >= least && sizes.size() <= 4, "takes one or two spatial dimensions, its input has ",
               static_cast<int64_t>(sizes.size()) - 2);
  return {sizes.begin() + 2, sizes.end()};
}

void conv(OnnxCall& call) {
  const Shape sizes = spatial(call);
  const Shape& weight = call.sizes(1);
  call.require(weight.size() == sizes.size() + 2, "its weight has ", weight.size(), " dimensions");
  Window w = read_window(call, sizes, call.ints("kernel_shape", {weight.begin() + 2, weight.end()}));
  call.require(std::equal(w.kernel.begin(), w.kernel.end(), weight.begin() + 2), "its weight is not kernel_shape");
  const int64_t groups = call.integer("group", 1);
  Value* x = pad_unevenly(call, call.in(0), w, 0);
  const Ints none(w.dims(), 0);
  call.set(call("aten::convolution",
                {x, call.in(1), call.optional(2), w.stride, w.before, w.dilation, false, none, groups}));
}

// Output sizes follow from output_shape, auto_pad or pads; what ATen would give more is cut off behind.
void conv_transpose(OnnxCall& call) {
  const Shape sizes = spatial(call);
  const Shape& weight = call.sizes(1);
  call.require(weight.size() == sizes.size() + 2, "its weight has ", weight.size(), " dimensions");
  Window w = read_window(call, sizes, call.ints("kernel_shape", {weight.begin() + 2, weight.end()}));
  const size_t dims = w.dims();
  const Ints extra = checked(call, "output_padding", dims, 0, call.ints("output_padding", Ints(dims, 0)));
  const Ints said = call.ints("output_shape", {});
  const std::string automatic = call.text("auto_pad", "NOTSET");
  Ints full, wanted;
  for (size_t i = 0; i < dims; ++i) {
    full.push_back((sizes[i] - 1) * w.stride[i] + w.reach(i) + extra[i]);
    if (!said.empty() || automatic.starts_with("SAME")) {
      call.require(said.empty() || said.size() >= dims, "output_shape has ", said.size(), " entries");
      wanted.push_back(said.empty() ? sizes[i] * w.stride[i] : said[said.size() - dims + i]);
      const int64_t total = std::max<int64_t>(0, full[i] - wanted[i]);
      w.before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.after[i] = total - w.before[i];
    } else {
      wanted.push_back(full[i] - w.before[i] - w.after[i]);
    }
    call.require(wanted[i] >= 1, "its output would be empty");
  }
  // Both sides lose `before`; the end gets back, or loses, the rest.
  Ints padding, output_padding;
  bool fits = true;
  for (size_t i = 0; i < dims; ++i) {
    padding.push_back(w.before[i]);
    output_padding.push_back(wanted[i] - ((sizes[i] - 1) * w.stride[i] + w.reach(i) - 2 * w.before[i]));
    fits = fits && output_padding[i] >= 0 && output_padding[i] < std::max(w.stride[i], w.dilation[i]);
  }
  const int64_t groups = call.integer("group", 1);
  if (fits) {
    call.set(call("aten::convolution", {call.in(0), call.in(1), call.optional(2), w.stride, padding, w.dilation, true,
                                        output_padding, groups}));
    return;
  }
  const Ints none(dims, 0);
  Value* y = call("aten::convolution",
                  {call.in(0), call.in(1), call.optional(2), w.stride, none, w.dilation, true, extra, groups});
  for (size_t i = 0; i < dims; ++i) {
    call.require(w.before[i] + wanted[i] <= full[i], "output_shape is larger than its output can be");
    const auto dim = static_cast<int64_t>(i + 2);
    y = call("aten::slice_copy.Tensor", {y, dim, w.before[i], w.before[i] + wanted[i], 1});
  }
  call.set(y);
}

// Pools over one dimension are pools over images of height 1.
Value* as_image(OnnxCall& call, Value* x, Window& w) {
  if (w.dims() == 2) return x;
  for (Ints* list : {&w.kernel, &w.stride, &w.dilation}) list->insert(list->begin(), 1);
  for (Ints* list : {&w.before, &w.after}) list->insert(list->begin(), 0);
  const Shape& s = x->type.sizes;
  return call.view(x, {s[0], s[1], 1, s[2]});
}

Value* as_input(OnnxCall& call, Value* y) {
  if (call.rank(0) == 4) return y;
  const Shape& s = y->type.sizes;
  return call.view(y, {s[0], s[1], s[3]});
}

bool too_wide(const Window& w) {
  for (size_t i = 0; i < w.dims(); ++i) {
    if (2 * w.before[i] > w.kernel[i]) return true;
  }
  return false;
}

void max_pool(OnnxCall& call) {
  call.require(call.integer("storage_order", 0) == 0, "storage_order 1 is not supported");
  Window w = read_window(call, spatial(call), call.ints("kernel_shape", {}));
  Value* x = as_image(call, call.in(0), w);
  if (!w.symmetric() || too_wide(w)) {
    call.require(!call.wants(1), "indices of a pool with uneven paddings are not supported");
    x = call("aten::constant_pad_nd", {x, pads_of(w), -std::numeric_limits<double>::infinity()});
    w.before = w.after = {0, 0};
  }
  Node* node = call.emit("aten::max_pool2d_with_indices", {x, w.kernel, w.stride, w.before, w.dilation, w.ceil_mode});
  call.set(as_input(call, node->output(0)));
  // ONNX counts indices through all images, ATen within each plane.
  if (call.wants(1)) {
    call.require(call.sizes(0)[0] == 1 && call.sizes(0)[1] == 1, "its indices are supported for one channel only");
    call.set(1, as_input(call, node->output(1)));
  }
}

// How many elements of each window lie in the image, as the factor that makes an average over them of one over all.
files::Array valid_share(const Window& w, const Shape& sizes, const Shape& outputs) {
  files::Array share =
      files::filled(DType::kFloat32, {1, 1, static_cast<int32_t>(outputs[2]), static_cast<int32_t>(outputs[3])}, 0);
  const auto valid = [&](size_t i, int64_t at) {
    int64_t count = 0;
    for (int64_t k = 0; k < w.kernel[i]; ++k) {
      const int64_t place = at * w.stride[i] - w.before[i] + k;
      count += place >= 0 && place < sizes[2 + i] ? 1 : 0;
    }
    return count;
  };
  for (int64_t y = 0; y < outputs[2]; ++y) {
    for (int64_t x = 0; x < outputs[3]; ++x) {
      const double count = static_cast<double>(std::max<int64_t>(1, valid(0, y) * valid(1, x)));
      files::set_element(share, static_cast<uint64_t>(y * outputs[3] + x),
                         static_cast<double>(w.kernel[0] * w.kernel[1]) / count);
    }
  }
  return share;
}

void average_pool(OnnxCall& call) {
  Window w = read_window(call, spatial(call), call.ints("kernel_shape", {}));
  Value* x = as_image(call, call.in(0), w);
  call.require(w.dilation == Ints({1, 1}), "dilations are not supported");
  const bool include = call.integer("count_include_pad", 0) != 0;
  if (w.symmetric() && !too_wide(w)) {
    Value* y = call("aten::avg_pool2d", {x, w.kernel, w.stride, w.before, w.ceil_mode, include, Argument()});
    call.set(as_input(call, y));
    return;
  }
  call.require(!w.ceil_mode, "ceil_mode with uneven paddings is not supported");
  const Window unpadded = w;
  const Shape sizes = x->type.sizes;
  x = call("aten::constant_pad_nd", {x, pads_of(w), 0.0});
  Value* y = call("aten::avg_pool2d", {x, w.kernel, w.stride, Ints{0, 0}, false, true, Argument()});
  if (!include) {
    Value* share = call.constant(valid_share(unpadded, sizes, y->type.sizes));
    y = call("aten::mul.Tensor", {y, share});
  }
  call.set(as_input(call, y));
}

}  // namespace

void add_onnx_nn_rules(OnnxRules& rules) {
  rules["AveragePool"] = average_pool;
  rules["Conv"] = conv;
  rules["ConvTranspose"] = conv_transpose;
  rules["MaxPool"] = max_pool;
}

}  // namespace wick::compiler
