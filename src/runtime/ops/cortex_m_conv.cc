// INT8 convolutions: cortex_m::quantized_conv2d, quantized_depthwise_conv2d, quantized_transpose_conv2d, and their
// _nhwc forms. Releases differ in scratch arguments; those tensors are not used, scratch is planned here.
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

template <typename Conv>
struct ConvStep {
  Conv conv;
  const int8_t* input;
  int8_t* output;
};

template <typename Conv, void (*kernel)(const Conv&, const int8_t*, int8_t*, void*)>
Status run(const void* params, RunContext& context) {
  const auto* step = static_cast<const ConvStep<Conv>*>(params);
  kernel(step->conv, step->input, step->output, context.scratch);
  return {};
}

// Plans, prepares and leaves the step behind.
template <typename Conv, kernels::KernelMemory (*plan)(Conv&), void (*prepare)(Conv&, void*),
          void (*kernel)(const Conv&, const int8_t*, int8_t*, void*)>
Status finish(Prepare& p, ConvStep<Conv>& step, const Tensor& input, const Tensor& output) {
  if (p.failed()) return p.status();
  void* prepared = p.memory(plan(step.conv));
  if (p.may_write()) prepare(step.conv, prepared);
  step.input = input.as<int8_t>();
  step.output = output.as<int8_t>();
  return p.finish(run<Conv, kernel>, step);
}

// input_offset, output_offset, multipliers, shifts, activation_min, activation_max: six arguments from `first`.
template <typename Conv>
void read_quantization(Prepare& p, uint32_t first, Conv& c) {
  c.input_offset = negated_zero_point_of(p, first);
  c.output_offset = zero_point_of(p, first + 1);
  c.multiplier = p.int32_table(first + 2, c.out_c);
  c.shift = p.int32_table(first + 3, c.out_c);
  const bool usual =
      c.multiplier != nullptr && c.shift != nullptr && isa::usual_tables(c.multiplier, c.shift, c.bias, c.out_c);
  if (!usual) {
    c.multiplier = multipliers_of(p, first + 2, c.out_c);
    c.shift = shifts_of(p, first + 3, c.out_c);
  }
  if constexpr (requires { c.usual_tables; }) c.usual_tables = usual;
  const Range range = activation_of(p, first + 4, first + 5);
  c.act_min = range.low;
  c.act_max = range.high;
}

template <typename Conv>
void set_input_image(Conv& c, const Image& image) {
  c.batch = image.n;
  c.in_h = image.h;
  c.in_w = image.w;
  c.in_c = image.c;
}

// stride, padding, dilation: three arguments from `first`; then the output's size.
template <typename Conv>
void read_window(Prepare& p, uint32_t first, Conv& c) {
  const Pair stride = pair_of(p, first, 1, kMaxWindow);
  const Pair pad = pair_of(p, first + 1, 0, kMaxWindow);
  const Pair dilation = pair_of(p, first + 2, 1, kMaxWindow);
  if (p.failed()) return;
  c.stride_h = stride.h, c.stride_w = stride.w;
  c.pad_h = pad.h, c.pad_w = pad.w;
  // A window of one tap has no dilation; elsewhere a step from tap to tap must stay an index.
  c.dilation_h = c.kernel_h > 1 ? dilation.h : 1;
  c.dilation_w = c.kernel_w > 1 ? dilation.w : 1;
  const int64_t line = int64_t{c.in_w} * c.in_c;
  p.require(c.dilation_h * line <= INT32_MAX && int64_t{c.dilation_w} * c.in_c <= INT32_MAX, Code::kUnsupported,
            first + 2, "dilation ", c.dilation_h, "x", c.dilation_w, " reaches beyond 2^31 - 1 elements");
  c.out_h = window_outputs(p, first, c.in_h, c.kernel_h, stride.h, pad.h, dilation.h);
  c.out_w = window_outputs(p, first, c.in_w, c.kernel_w, stride.w, pad.w, dilation.w);
}

// The output tensor, made an image of the computed size.
template <typename Conv>
Tensor read_output(Prepare& p, const Conv& c, Layout layout) {
  const uint32_t arg = p.arg_count() - 1;
  Tensor output = p.output(arg);
  if (p.failed()) return output;
  resize_image(p, arg, &output, {c.batch, c.out_h, c.out_w, c.out_c}, layout);
  image_of(p, arg, output, layout);
  return output;
}

// Argument counts with and without the scratch tensors that some releases pass.
bool check_arg_count(Prepare& p, uint32_t without, uint32_t with) {
  return p.require(p.arg_count() == without || p.arg_count() == with, Code::kInvalidProgram, UINT32_MAX, "has ",
                   p.arg_count(), " arguments, expected ", without, " or ", with);
}

Status prepare_conv2d(Prepare& p, Layout layout) {
  if (!check_arg_count(p, 13, 14)) return p.status();
  const Tensor input = p.tensor(0), weights = p.tensor(1);
  ConvStep<kernels::Conv2dS8> step;
  kernels::Conv2dS8& c = step.conv;
  set_input_image(c, image_of(p, 0, input, layout));
  c.weights = weights_of(p, 1, weights);
  if (p.failed()) return p.status();
  c.out_c = weights.sizes[0];
  c.kernel_h = weights.sizes[1];
  c.kernel_w = weights.sizes[2];
  const int32_t depth = weights.sizes[3];
  if (!p.require(c.out_c > 0 && c.kernel_h > 0 && c.kernel_w > 0 && depth > 0, Code::kInvalidProgram, 1,
                 "empty weights") ||
      !p.require(c.in_c % depth == 0, Code::kInvalidProgram, 1, "weights read ", depth,
                 " channels at a time, which does not divide the input's ", c.in_c)) {
    return p.status();
  }
  c.groups = c.in_c / depth;
  p.require(c.out_c % c.groups == 0, Code::kInvalidProgram, 1, c.groups, " groups do not divide ", c.out_c,
            " output channels");
  c.bias = optional_table_of(p, 2, c.out_c);
  read_window(p, 3, c);
  read_quantization(p, 6, c);
  const Tensor output = read_output(p, c, layout);
  return finish<kernels::Conv2dS8, isa::conv2d_s8_plan, isa::conv2d_s8_prepare, isa::conv2d_s8>(p, step, input, output);
}

Status prepare_depthwise(Prepare& p, Layout layout) {
  if (!check_arg_count(p, 14, 15)) return p.status();
  const Tensor input = p.tensor(0), weights = p.tensor(1);
  ConvStep<kernels::DepthwiseConv2dS8> step;
  kernels::DepthwiseConv2dS8& c = step.conv;
  set_input_image(c, image_of(p, 0, input, layout));
  c.weights = weights_of(p, 1, weights);
  const int32_t per_input = p.int32_in(6, 1, INT32_MAX);
  if (p.failed()) return p.status();
  c.kernel_h = weights.sizes[1];
  c.kernel_w = weights.sizes[2];
  c.out_c = weights.sizes[3];
  p.require(weights.sizes[0] == 1 && c.kernel_h > 0 && c.kernel_w > 0, Code::kInvalidProgram, 1,
            "expected weights of [1, height, width, channels]");
  p.require(c.out_c == int64_t{c.in_c} * per_input, Code::kInvalidProgram, 1, "weights have ", c.out_c,
            " channels, expected ", per_input, " for each of the input's ", c.in_c);
  if (p.failed()) return p.status();
  c.bias = optional_table_of(p, 2, c.out_c);
  read_window(p, 3, c);
  read_quantization(p, 7, c);
  const Tensor output = read_output(p, c, layout);
  return finish<kernels::DepthwiseConv2dS8, isa::depthwise_conv2d_s8_plan, isa::depthwise_conv2d_s8_prepare,
                isa::depthwise_conv2d_s8>(p, step, input, output);
}

// (size - 1) * stride - 2 * pad + kernel + output_padding.
int32_t transposed_outputs(Prepare& p, int32_t size, int32_t kernel, int32_t stride, int32_t pad, int32_t extra) {
  const int64_t outputs = (int64_t{size} - 1) * stride - 2 * int64_t{pad} + kernel + extra;
  p.require(outputs >= 1 && outputs < (1 << 30), Code::kInvalidProgram, 0, "gives ", outputs, " output lines");
  return p.failed() ? 1 : static_cast<int32_t>(outputs);
}

Status prepare_transpose_conv2d(Prepare& p, Layout layout) {
  if (!check_arg_count(p, 14, 16)) return p.status();
  const Tensor input = p.tensor(0), weights = p.tensor(1);
  ConvStep<kernels::TransposeConv2dS8> step;
  kernels::TransposeConv2dS8& c = step.conv;
  set_input_image(c, image_of(p, 0, input, layout));
  c.weights = weights_of(p, 1, weights);
  const Pair stride = pair_of(p, 3, 1, kMaxWindow), pad = pair_of(p, 4, 0, kMaxWindow);
  const Pair extra = pair_of(p, 5, 0, kMaxWindow);
  pair_of(p, 6, 1, 1);  // dilation: the operator is defined without
  if (p.failed()) return p.status();
  c.out_c = weights.sizes[0];
  c.kernel_h = weights.sizes[1], c.kernel_w = weights.sizes[2];
  p.require(c.out_c > 0 && c.kernel_h > 0 && c.kernel_w > 0, Code::kInvalidProgram, 1, "empty weights");
  p.require(weights.sizes[3] == c.in_c, Code::kInvalidProgram, 1, "weights read ", weights.sizes[3],
            " channels, the input has ", c.in_c);
  p.require(extra.h < stride.h && extra.w < stride.w, Code::kInvalidProgram, 5,
            "output_padding must be below the stride");
  if (p.failed()) return p.status();
  c.stride_h = stride.h, c.stride_w = stride.w;
  c.pad_h = pad.h, c.pad_w = pad.w;
  c.out_h = transposed_outputs(p, c.in_h, c.kernel_h, stride.h, pad.h, extra.h);
  c.out_w = transposed_outputs(p, c.in_w, c.kernel_w, stride.w, pad.w, extra.w);
  c.bias = optional_table_of(p, 2, c.out_c);
  read_quantization(p, 7, c);
  const Tensor output = read_output(p, c, layout);
  return finish<kernels::TransposeConv2dS8, isa::transpose_conv2d_s8_plan, isa::transpose_conv2d_s8_prepare,
                isa::transpose_conv2d_s8>(p, step, input, output);
}

}  // namespace

Status cortex_m_quantized_conv2d(Prepare& p) { return prepare_conv2d(p, Layout::kLogicalNchw); }
Status cortex_m_quantized_conv2d_nhwc(Prepare& p) { return prepare_conv2d(p, Layout::kExplicitNhwc); }
Status cortex_m_quantized_depthwise_conv2d(Prepare& p) { return prepare_depthwise(p, Layout::kLogicalNchw); }
Status cortex_m_quantized_depthwise_conv2d_nhwc(Prepare& p) { return prepare_depthwise(p, Layout::kExplicitNhwc); }
Status cortex_m_quantized_transpose_conv2d(Prepare& p) { return prepare_transpose_conv2d(p, Layout::kLogicalNchw); }
Status cortex_m_quantized_transpose_conv2d_nhwc(Prepare& p) {
  return prepare_transpose_conv2d(p, Layout::kExplicitNhwc);
}

}  // namespace wick::ops
