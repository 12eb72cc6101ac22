// TensorFlow Lite's INT8 convolutions, pools, fully connected layers and matrix products as cortex_m operators on NHWC
// images: the weights' bytes as they are, factors formed from the float32 scales the way TensorFlow Lite does.
#include <algorithm>
#include <cmath>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

// Weights as int8 with zero point 0.
struct Weights {
  Value* value;
  std::vector<double> scales;  // one for each channel
};

Weights weights_of(TfCall& call, size_t i, int64_t channels, size_t channel_axis) {
  const TfTensor& tensor = call.input(i);
  Value* value = call.in(i);
  call.require(call.is_int8(tensor) && value->is_constant(), "its weights must be int8 constants with a scale");
  const Quantization& q = *tensor.quantization;
  Weights w{value, q.scale};
  for (const int64_t zero_point : q.zero_point) {
    call.require(zero_point == 0,
                 "its weights have a zero point that is not 0; convert the model with a newer converter");
  }
  if (w.scales.size() > 1) {
    call.require(static_cast<size_t>(q.axis) == channel_axis && static_cast<int64_t>(w.scales.size()) == channels,
                 "its weights have scales along another dimension than the output channels");
  } else {
    w.scales.assign(static_cast<size_t>(channels), w.scales[0]);
  }
  return w;
}

Value* bias_of(TfCall& call, size_t i, int64_t channels) {
  if (!call.has(i)) return nullptr;
  Value* bias = call.in(i);
  call.require(bias->type.dtype == DType::kInt32 && bias->is_constant() && bias->type.numel() == channels,
               "its bias must be ", channels, " int32 constants");
  if (bias->type.sizes.size() == 1) return bias;
  return call.builder().constant(bias->name, {DType::kInt32, {static_cast<int32_t>(channels)}, bias->data->bytes});
}

struct Factors {
  Value *multipliers, *shifts;
};

// in * weight / out for each channel, in double.
Factors factors_of(TfCall& call, const std::vector<double>& scales, const TfParams& in, const TfParams& out) {
  Ints multipliers, shifts;
  for (const double scale : scales) {
    const TfFactor f = tflite_factor(double{in.scale} * scale / double{out.scale});
    multipliers.push_back(f.multiplier);
    shifts.push_back(f.shift);
  }
  return {call.int32s(multipliers), call.int32s(shifts)};
}

Value* padded(TfCall& call, Value* x, const TfWindow& w, int64_t value) {
  return call("cortex_m::pad", {x, Ints{0, w.before[0], w.before[1], 0}, Ints{0, w.after[0], w.after[1], 0}, value});
}

void conv(TfCall& call) {
  const TfOptions& o = call.options();
  const bool depthwise = call.code() == 4;
  const TfParams in = call.params_in(0), out = call.params_out();
  Value* x = call.in(0);
  const Shape xs = x->type.sizes, ws = call.sizes(1);
  call.require(xs.size() == 4 && ws.size() == 4, "takes images");
  const uint16_t dilation_at = depthwise ? 5 : 4;
  TfWindow window = tflite_window(call, {xs[1], xs[2]}, {ws[1], ws[2]}, o.byte(0), {o.integer(2), o.integer(1)},
                                  {o.integer(static_cast<uint16_t>(dilation_at + 1), 1), o.integer(dilation_at, 1)});
  const int64_t channels = depthwise ? ws[3] : ws[0];
  call.require(depthwise ? ws[0] == 1 && xs[3] > 0 && ws[3] % xs[3] == 0 : ws[3] > 0 && xs[3] % ws[3] == 0,
               "its weights do not fit ", xs[3], " channels");
  const Weights w = weights_of(call, 1, channels, depthwise ? 3 : 0);
  Value* bias = bias_of(call, 2, channels);
  const Factors f = factors_of(call, w.scales, in, out);
  const TfBounds bounds = tflite_bounds(o.byte(depthwise ? 4 : 3), out);
  if (!window.symmetric()) {
    x = padded(call, x, window, in.zero_point);
    window.before = {0, 0};
  }
  if (depthwise) {
    call.set(call("cortex_m::quantized_depthwise_conv2d_nhwc",
                  {x, w.value, bias, window.stride, window.before, window.dilation, channels / xs[3], -in.zero_point,
                   out.zero_point, f.multipliers, f.shifts, bounds.low, bounds.high, call.scratch()}));
    return;
  }
  // ExecuTorch's grouped kernel reads a bias in any case.
  if (bias == nullptr && ws[3] != xs[3]) bias = call.int32s(Ints(static_cast<size_t>(channels), 0));
  call.set(call("cortex_m::quantized_conv2d_nhwc",
                {x, w.value, bias, window.stride, window.before, window.dilation, -in.zero_point, out.zero_point,
                 f.multipliers, f.shifts, bounds.low, bounds.high, call.scratch()}));
}

// Cut at the front by the operator's padding, behind by what it gives too much.
void transpose_conv(TfCall& call) {
  const TfOptions& o = call.options();
  const TfParams in = call.params_in(2), out = call.params_out();
  const Ints size = call.ints(0);
  Value* x = call.in(2);
  const Shape xs = x->type.sizes, ws = call.sizes(1);
  call.require(size.size() == 4 && xs.size() == 4 && ws.size() == 4 && ws[3] == xs[3], "takes images");
  const Ints stride{o.integer(2), o.integer(1)};
  const TfWindow window = tflite_window(call, {size[1], size[2]}, {ws[1], ws[2]}, o.byte(0), stride, {1, 1});
  call.require(window.outputs == Ints({xs[1], xs[2]}), "its input does not fit its output shape");
  const Weights w = weights_of(call, 1, ws[0], 0);
  const Factors f = factors_of(call, w.scales, in, out);
  const TfBounds bounds = tflite_bounds(o.byte(3), out);
  Ints extra;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t given = (window.outputs[i] - 1) * stride[i] + ws[1 + i] - 2 * window.before[i];
    extra.push_back(std::max<int64_t>(0, size[1 + i] - given));
    call.require(extra[i] < stride[i], "its output shape does not fit");
  }
  Value* y = call("cortex_m::quantized_transpose_conv2d_nhwc",
                  {x, w.value, bias_of(call, 3, ws[0]), stride, window.before, extra, Ints{1, 1}, -in.zero_point,
                   out.zero_point, f.multipliers, f.shifts, bounds.low, bounds.high, call.scratch(), call.scratch()});
  for (size_t i = 0; i < 2; ++i) {
    if (y->type.sizes[1 + i] > size[1 + i]) {
      y = call("aten::slice_copy.Tensor", {y, static_cast<int64_t>(1 + i), 0, size[1 + i], 1});
    }
  }
  call.set(y);
}

// Per tensor a linear layer; per channel a 1x1 convolution over the rows.
void fully_connected(TfCall& call) {
  const TfOptions& o = call.options();
  call.require(o.byte(1) == 0, "shuffled weights are not supported; convert the model for another target");
  const TfParams in = call.params_in(0), out = call.params_out();
  const TfTensor& tensor = call.input(1);
  Value* x = call.in(0);
  const Shape xs = x->type.sizes, ws = call.sizes(1);
  call.require(ws.size() == 2 && ws[0] > 0 && ws[1] > 0, "takes weights of two dimensions");
  const int64_t depth = ws[1], rows = x->type.numel() / depth;
  call.require(rows * depth == x->type.numel(), "its weights read rows of ", depth);
  const bool keeps = o.flag(2) && !xs.empty() && xs.back() == depth;
  Shape to{rows, ws[0]};
  if (keeps) {
    to = xs;
    to.back() = ws[0];
  }
  const TfBounds bounds = tflite_bounds(o.byte(0), out);
  call.require(call.is_int8(tensor) && call.in(1)->is_constant(), "its weights must be int8 constants with a scale");
  Value* bias = bias_of(call, 2, ws[0]);
  if (tensor.quantization->scale.size() > 1) {
    const Weights w = weights_of(call, 1, ws[0], 0);
    const Factors f = factors_of(call, w.scales, in, out);
    files::Array kernel{
        DType::kInt8, {static_cast<int32_t>(ws[0]), 1, 1, static_cast<int32_t>(depth)}, w.value->data->bytes};
    const Ints ones{1, 1}, none{0, 0};
    Value* y = call(
        "cortex_m::quantized_conv2d_nhwc",
        {call.view(x, {1, 1, rows, depth}), call.builder().constant(w.value->name, std::move(kernel)), bias, ones, none,
         ones, -in.zero_point, out.zero_point, f.multipliers, f.shifts, bounds.low, bounds.high, call.scratch()});
    return call.set(call.view(y, to));
  }
  const float product = in.scale * static_cast<float>(tensor.quantization->scale[0]);
  const TfFactor f = tflite_factor(double{product} / double{out.scale});
  const int64_t zero_point = tensor.quantization->zero_point[0];
  call.require(zero_point >= -128 && zero_point <= 127, "its weights have an impossible zero point");
  Value* y = call("cortex_m::quantized_linear",
                  {keeps ? x : call.view(x, {rows, depth}), call.in(1), bias, Argument(), -in.zero_point, -zero_point,
                   out.zero_point, Ints{f.multiplier}, Ints{f.shift}, bounds.high, bounds.low});
  call.set(call.view(y, to));
}

TfWindow pool_window(TfCall& call, const Shape& xs) {
  const TfOptions& o = call.options();
  call.require(xs.size() == 4, "takes images");
  return tflite_window(call, {xs[1], xs[2]}, {o.integer(4), o.integer(3)}, o.byte(0), {o.integer(2), o.integer(1)},
                       {1, 1});
}

void average_pool(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  call.require(in == out, "its input and output differ in scale or zero point");
  Value* x = call.in(0);
  const TfWindow w = pool_window(call, x->type.sizes);
  const bool uneven = !w.symmetric();
  Value* y = call("cortex_m::quantized_avg_pool2d_nhwc",
                  {x, w.kernel, w.stride, w.before, uneven, in.zero_point, 0, 0, call.scratch()});
  call.require(y->type.sizes[1] == w.outputs[0] && y->type.sizes[2] == w.outputs[1],
               "its SAME padding has no counterpart; use VALID, an odd window, or a stride of the window's size");
  call.set(call.clamped(y, tflite_bounds(call.options().byte(5), out)));
}

void max_pool(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  call.require(in == out, "its input and output differ in scale or zero point");
  Value* x = call.in(0);
  TfWindow w = pool_window(call, x->type.sizes);
  if (!w.symmetric() || 2 * w.before[0] > w.kernel[0] || 2 * w.before[1] > w.kernel[1]) {
    x = padded(call, x, w, -128);
    w.before = {0, 0};
  }
  const TfBounds bounds = tflite_bounds(call.options().byte(5), out);
  call.set(call("cortex_m::quantized_max_pool2d_nhwc", {x, w.kernel, w.stride, w.before, Ints{1, 1}, false,
                                                        in.zero_point, out.zero_point, bounds.low, bounds.high}));
}

void batch_matmul(TfCall& call) {
  const TfParams a = call.params_in(0), b = call.params_in(1), out = call.params_out();
  const auto turned = [&call](Value* x) {
    Ints dims;
    for (size_t i = 0; i < x->type.sizes.size(); ++i) dims.push_back(static_cast<int64_t>(i));
    std::swap(dims.back(), dims.end()[-2]);
    return call.permute(x, dims);
  };
  Value* lhs = call.in(0);
  Value* rhs = call.in(1);
  call.require(lhs->type.sizes.size() >= 2 && rhs->type.sizes.size() == lhs->type.sizes.size(), "takes matrices");
  if (call.options().flag(0)) lhs = turned(lhs);
  if (!call.options().flag(1)) rhs = turned(rhs);  // the operator reads its rows
  const Shape ls = lhs->type.sizes, rs = rhs->type.sizes;
  const Shape batch(ls.begin(), ls.end() - 2);
  call.require(batch == Shape(rs.begin(), rs.end() - 2) && ls.back() == rs.back(), "its matrices do not fit");
  int64_t count = 1;
  for (const int64_t one : batch) count *= one;
  const TfFactor f = tflite_factor(double{a.scale * b.scale} / double{out.scale});
  Value* y = call("cortex_m::quantized_batch_matmul", {call.view(lhs, {count, ls.end()[-2], ls.back()}), -a.zero_point,
                                                       call.view(rhs, {count, rs.end()[-2], rs.back()}), -b.zero_point,
                                                       out.zero_point, f.multiplier, f.shift, call.scratch()});
  Shape to = batch;
  to.insert(to.end(), {ls.end()[-2], rs.end()[-2]});
  call.set(call.view(y, to));
}

void softmax(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  call.require(out.zero_point == -128 && out.scale == 1.0f / 256,
               "its output must have scale 1/256 and zero point -128");
  const double beta = double{call.options().real(0)};
  const TfFactor f = tflite_factor(std::min(beta * double{in.scale} * (1 << 26), 2147483647.0));
  const auto diff_min = static_cast<int64_t>(-std::floor(31.0 * (1 << 26) / std::ldexp(1.0, f.shift)));
  call.set(call("cortex_m::softmax", {call.in(0), -1, in.zero_point, out.zero_point, f.multiplier, f.shift, diff_min}));
}

}  // namespace

void add_tflite_int8_nn_rules(TfRules& rules) {
  rules[1] = average_pool;
  rules[3] = rules[4] = conv;
  rules[9] = fully_connected;
  rules[17] = max_pool;
  rules[25] = softmax;
  rules[67] = transpose_conv;
  rules[126] = batch_matmul;
}

}  // namespace wick::compiler
