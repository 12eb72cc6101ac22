// TensorFlow Lite's float convolutions, pools, fully connected layers and resizing as ATen's, on images in ATen's
// order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

Ints pads_of(const TfWindow& w) { return {w.before[1], w.after[1], w.before[0], w.after[0]}; }

// ATen pads both sides alike; the rest is put in front.
Value* pad_unevenly(TfCall& call, Value* x, TfWindow& w, double value) {
  if (w.symmetric()) return x;
  x = call("aten::constant_pad_nd", {x, pads_of(w), value});
  w.before = w.after = {0, 0};
  return x;
}

// A weight with its dimensions in another order.
Value* weight(TfCall& call, size_t i, const Ints& dims) {
  Value* w = call.real(i);
  call.require(w->type.sizes.size() == 4, "its weight has ", w->type.sizes.size(), " dimensions");
  if (!w->is_constant()) return call.permute(w, dims);
  std::vector<uint8_t> order;
  files::Array to{DType::kFloat32, {}, {}};
  for (const int64_t dim : dims) {
    order.push_back(static_cast<uint8_t>(dim));
    to.sizes.push_back(w->data->sizes[order.back()]);
  }
  to.bytes = files::to_memory_order(*w->data, order).bytes;
  return call.builder().constant(w->name, std::move(to));
}

void conv(TfCall& call) {
  const TfOptions& o = call.options();
  const bool depthwise = call.code() == 4;
  Value* x = call.image(0);
  Value* w = depthwise ? weight(call, 1, {3, 0, 1, 2}) : weight(call, 1, {0, 3, 1, 2});
  const Shape xs = x->type.sizes, ws = w->type.sizes;
  const uint16_t dilation_at = depthwise ? 5 : 4;
  TfWindow window = tflite_window(call, {xs[2], xs[3]}, {ws[2], ws[3]}, o.byte(0), {o.integer(2), o.integer(1)},
                                  {o.integer(static_cast<uint16_t>(dilation_at + 1), 1), o.integer(dilation_at, 1)});
  call.require(ws[1] > 0 && xs[1] % ws[1] == 0, "its weight reads ", ws[1], " channels of ", xs[1]);
  const int64_t groups = depthwise ? xs[1] : xs[1] / ws[1];
  x = pad_unevenly(call, x, window, 0);
  Value* y = call("aten::convolution", {x, w, call.real_or_none(2), window.stride, window.before, window.dilation,
                                        false, Ints{0, 0}, groups});
  call.set_image(0, call.activated(y, o.byte(depthwise ? 4 : 3)));
}

void transpose_conv(TfCall& call) {
  const TfOptions& o = call.options();
  const Ints out = call.ints(0);
  Value* x = call.image(2);
  Value* w = weight(call, 1, {3, 0, 1, 2});
  const Shape xs = x->type.sizes, ws = w->type.sizes;
  call.require(out.size() == 4, "its output shape has ", out.size(), " sizes");
  const Ints stride{o.integer(2), o.integer(1)};
  const TfWindow window = tflite_window(call, {out[1], out[2]}, {ws[2], ws[3]}, o.byte(0), stride, {1, 1});
  call.require(window.outputs == Ints({xs[2], xs[3]}), "its input does not fit its output shape");
  Value* y =
      call("aten::convolution", {x, w, call.real_or_none(3), stride, Ints{0, 0}, Ints{1, 1}, true, Ints{0, 0}, 1});
  for (size_t i = 0; i < 2; ++i) {
    const auto dim = static_cast<int64_t>(i + 2);
    const int64_t wanted = out[i + 1], full = y->type.sizes[i + 2];
    const int64_t end = std::min(full, window.before[i] + wanted);
    if (window.before[i] > 0 || end < full) {
      y = call("aten::slice_copy.Tensor", {y, dim, window.before[i], end, 1});
    }
    // Rows that no element of the input reaches hold the bias alone.
    call.require(y->type.sizes[i + 2] == wanted, "its stride leaves output rows or columns empty");
  }
  call.set_image(0, call.activated(y, o.byte(3)));
}

TfWindow pool_window(TfCall& call, const Shape& xs) {
  const TfOptions& o = call.options();
  return tflite_window(call, {xs[2], xs[3]}, {o.integer(4), o.integer(3)}, o.byte(0), {o.integer(2), o.integer(1)},
                       {1, 1});
}

void max_pool(TfCall& call) {
  Value* x = call.image(0);
  TfWindow w = pool_window(call, x->type.sizes);
  const bool wide = 2 * w.before[0] > w.kernel[0] || 2 * w.before[1] > w.kernel[1];
  if (!w.symmetric() || wide) {
    x = call("aten::constant_pad_nd", {x, pads_of(w), -std::numeric_limits<double>::infinity()});
    w.before = {0, 0};
  }
  Node* node = call.emit("aten::max_pool2d_with_indices", {x, w.kernel, w.stride, w.before, Ints{1, 1}, false});
  call.set_image(0, call.activated(node->output(0), call.options().byte(5)));
}

// Averages over the elements that are there; with uneven paddings by a factor for each output.
void average_pool(TfCall& call) {
  Value* x = call.image(0);
  const Shape xs = x->type.sizes;
  const TfWindow w = pool_window(call, xs);
  Value* y = nullptr;
  if (w.symmetric() && 2 * w.before[0] <= w.kernel[0] && 2 * w.before[1] <= w.kernel[1]) {
    y = call("aten::avg_pool2d", {x, w.kernel, w.stride, w.before, false, false, Argument()});
  } else {
    x = call("aten::constant_pad_nd", {x, pads_of(w), 0.0});
    y = call("aten::avg_pool2d", {x, w.kernel, w.stride, Ints{0, 0}, false, true, Argument()});
    files::Array share = files::filled(
        DType::kFloat32, {1, 1, static_cast<int32_t>(w.outputs[0]), static_cast<int32_t>(w.outputs[1])}, 0);
    const auto valid = [&](size_t i, int64_t at) {
      const int64_t start = at * w.stride[i] - w.before[i];
      return std::min(start + w.kernel[i], xs[2 + i]) - std::max<int64_t>(start, 0);
    };
    for (int64_t r = 0; r < w.outputs[0]; ++r) {
      for (int64_t c = 0; c < w.outputs[1]; ++c) {
        files::set_element(
            share, static_cast<uint64_t>(r * w.outputs[1] + c),
            static_cast<double>(w.kernel[0] * w.kernel[1]) / static_cast<double>(valid(0, r) * valid(1, c)));
      }
    }
    y = call("aten::mul.Tensor", {y, call.constant(std::move(share))});
  }
  call.set_image(0, call.activated(y, call.options().byte(5)));
}

void fully_connected(TfCall& call) {
  const TfOptions& o = call.options();
  call.require(o.byte(1) == 0, "shuffled weights are not supported; convert the model for another target");
  Value* x = call.real(0);
  Value* w = call.real(1);
  call.require(w->type.sizes.size() == 2 && w->type.sizes[1] > 0, "takes weights of two dimensions");
  const int64_t depth = w->type.sizes[1], count = x->type.numel();
  call.require(count % depth == 0, "its weights read rows of ", depth, " of ", count, " elements");
  const bool keeps = o.flag(2) && !x->type.sizes.empty() && x->type.sizes.back() == depth;
  if (!keeps) x = call.view(x, {count / depth, depth});
  Value* y = call("aten::linear", {x, w, call.real_or_none(2)});
  call.set(call.activated(y, o.byte(0)));
}

// Where the elements of one axis come from.
double source_of(int64_t at, int64_t in, int64_t out, bool corners, bool half) {
  const auto i = static_cast<float>(in), o = static_cast<float>(out), x = static_cast<float>(at);
  const float scale = corners && out > 1 ? (i - 1) / (o - 1) : i / o;
  return double{half ? (x + 0.5f) * scale - 0.5f : x * scale};
}

Value* linear_axis(TfCall& call, Value* x, size_t axis, int64_t to, bool corners, bool half) {
  const int64_t from = x->type.sizes[axis];
  call.require(from * to < (1 << 24), "is too large for this way of counting coordinates");
  files::Array weights = files::filled(DType::kFloat32, {static_cast<int32_t>(to), static_cast<int32_t>(from)}, 0);
  for (int64_t at = 0; at < to; ++at) {
    const double place = std::clamp(source_of(at, from, to, corners, half), 0.0, static_cast<double>(from - 1));
    const auto low = static_cast<int64_t>(place);
    const double share = place - static_cast<double>(low);
    files::set_element(weights, static_cast<uint64_t>(at * from + low), 1 - share);
    if (low + 1 < from) files::set_element(weights, static_cast<uint64_t>(at * from + low + 1), share);
  }
  const Ints dims = axis == 2 ? Ints{0, 1, 3, 2} : Ints{0, 1, 2, 3};
  x = call("aten::linear", {call.permute(x, dims), call.constant(std::move(weights)), Argument()});
  return call.permute(x, dims);
}

void resize_bilinear(TfCall& call) {
  const Ints size = call.ints(1);
  Value* x = call.image(0);
  call.require(size.size() == 2 && size[0] >= 1 && size[1] >= 1 && x->type.numel() > 0, "has an impossible size");
  const bool corners = call.options().flag(2), half = call.options().flag(3);
  if (corners != half && size[0] > 1 && size[1] > 1) {
    return call.set_image(0, call("aten::upsample_bilinear2d.vec", {x, size, corners, Argument()}));
  }
  x = linear_axis(call, x, 2, size[0], corners, half);
  call.set_image(0, linear_axis(call, x, 3, size[1], corners, half));
}

void l2_normalization(TfCall& call) {
  Value* x = call.in(0);
  const auto dim = static_cast<int64_t>(x->type.sizes.size()) - 1;
  Value* sum = call("aten::sum.dim_IntList", {call("aten::mul.Tensor", {x, x}), Ints{dim}, true, DType::kFloat32});
  sum = call("aten::clamp", {sum, 1e-6, Argument()});
  call.set(call("aten::mul.Tensor", {x, call("aten::rsqrt", {sum})}));
}

}  // namespace

void add_tflite_nn_rules(TfRules& rules) {
  rules[1] = average_pool;
  rules[3] = rules[4] = conv;
  rules[9] = fully_connected;
  rules[11] = l2_normalization;
  rules[17] = max_pool;
  rules[23] = resize_bilinear;
  rules[67] = transpose_conv;
}

}  // namespace wick::compiler
