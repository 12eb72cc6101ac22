// INT8 convolutions and linear layers by the user's own CMSIS-NN. Compiled with an image, against the user's headers,
// and linked in front of wick's kernels: the linker hands the runtime's calls of plan, prepare and run to the functions
// here (--wrap). What CMSIS-NN has no function for goes to the kernel that was called.
// WICK_ISA is the board's instruction set as it stands in the kernels' names, "3dsp".
#include <arm_nnfunctions.h>

#include "kernels/kernels.h"

namespace wick::cmsis_nn {

using kernels::Conv2dS8;
using kernels::DepthwiseConv2dS8;
using kernels::KernelMemory;
using kernels::LinearS8;

// The names that --wrap gives: `__real_` is the kernel, `__wrap_` is called in its place.
#define WICK_REAL(name) __asm("__real__ZN4wick7kernels" WICK_ISA name)
#define WICK_WRAP(name) __asm("__wrap__ZN4wick7kernels" WICK_ISA name)

KernelMemory real_plan(Conv2dS8& c) WICK_REAL("14conv2d_s8_planERNS0_8Conv2dS8E");
void real_prepare(Conv2dS8& c, void* prepared) WICK_REAL("17conv2d_s8_prepareERNS0_8Conv2dS8EPv");
void real_run(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch)
    WICK_REAL("9conv2d_s8ERKNS0_8Conv2dS8EPKaPaPv");

[[gnu::used]] KernelMemory plan(Conv2dS8& c) WICK_WRAP("14conv2d_s8_planERNS0_8Conv2dS8E");
[[gnu::used]] void prepare(Conv2dS8& c, void* prepared) WICK_WRAP("17conv2d_s8_prepareERNS0_8Conv2dS8EPv");
[[gnu::used]] void run(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch)
    WICK_WRAP("9conv2d_s8ERKNS0_8Conv2dS8EPKaPaPv");

[[gnu::used]] KernelMemory plan(DepthwiseConv2dS8& c) WICK_WRAP("24depthwise_conv2d_s8_planERNS0_17DepthwiseConv2dS8E");
[[gnu::used]] void prepare(DepthwiseConv2dS8& c, void* prepared)
    WICK_WRAP("27depthwise_conv2d_s8_prepareERNS0_17DepthwiseConv2dS8EPv");
[[gnu::used]] void run(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch)
    WICK_WRAP("19depthwise_conv2d_s8ERKNS0_17DepthwiseConv2dS8EPKaPaPv");

[[gnu::used]] KernelMemory plan(LinearS8& c) WICK_WRAP("14linear_s8_planERNS0_8LinearS8E");
[[gnu::used]] void prepare(LinearS8& c, void* prepared) WICK_WRAP("17linear_s8_prepareERNS0_8LinearS8EPv");
[[gnu::used]] void run(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch)
    WICK_WRAP("9linear_s8ERKNS0_8LinearS8EPKaPaPv");

namespace {

constexpr uint32_t kIsCmsis = 1u << 31;  // in `path`, which is otherwise the kernel's

cmsis_nn_dims dims(int32_t n, int32_t h, int32_t w, int32_t c) {
  cmsis_nn_dims d;
  d.n = n;
  d.h = h;
  d.w = w;
  d.c = c;
  return d;
}

template <typename Conv>
cmsis_nn_dims input_dims(const Conv& c) {
  return dims(c.batch, c.in_h, c.in_w, c.in_c);
}
template <typename Conv>
cmsis_nn_dims output_dims(const Conv& c) {
  return dims(c.batch, c.out_h, c.out_w, c.out_c);
}
cmsis_nn_dims filter_dims(const Conv2dS8& c) { return dims(c.out_c, c.kernel_h, c.kernel_w, c.in_c); }
cmsis_nn_dims filter_dims(const DepthwiseConv2dS8& c) { return dims(1, c.kernel_h, c.kernel_w, c.out_c); }

// What both convolutions' parameters have.
template <typename Params, typename Conv>
Params params_of(const Conv& c) {
  Params p = {};
  p.input_offset = c.input_offset;
  p.output_offset = c.output_offset;
  p.stride.h = c.stride_h;
  p.stride.w = c.stride_w;
  p.padding.h = c.pad_h;
  p.padding.w = c.pad_w;
  p.dilation.h = c.dilation_h;
  p.dilation.w = c.dilation_w;
  p.activation.min = c.act_min;
  p.activation.max = c.act_max;
  return p;
}
cmsis_nn_conv_params params(const Conv2dS8& c) { return params_of<cmsis_nn_conv_params>(c); }
cmsis_nn_dw_conv_params params(const DepthwiseConv2dS8& c) {
  cmsis_nn_dw_conv_params p = params_of<cmsis_nn_dw_conv_params>(c);
  p.ch_mult = c.out_c / c.in_c;
  return p;
}

template <typename Conv>
cmsis_nn_per_channel_quant_params factors(const Conv& c) {
  cmsis_nn_per_channel_quant_params q;
  q.multiplier = const_cast<int32_t*>(c.multiplier);
  q.shift = const_cast<int32_t*>(c.shift);
  return q;
}

cmsis_nn_context context(void* scratch, int32_t bytes) {
  cmsis_nn_context ctx;
  ctx.buf = scratch;
  ctx.size = bytes;
  return ctx;
}

int32_t buffer_bytes(const Conv2dS8& c) {
  const auto p = params(c);
  const auto in = input_dims(c), filter = filter_dims(c), out = output_dims(c);
  return arm_convolve_wrapper_s8_get_buffer_size(&p, &in, &filter, &out);
}
int32_t buffer_bytes(const DepthwiseConv2dS8& c) {
  const auto p = params(c);
  const auto in = input_dims(c), filter = filter_dims(c), out = output_dims(c);
  return arm_depthwise_conv_wrapper_s8_get_buffer_size(&p, &in, &filter, &out);
}

cmsis_nn_dims linear_filter_dims(const LinearS8& c) { return dims(c.in_features, 1, 1, c.out_features); }

KernelMemory scratch_only(int32_t bytes) { return {0, static_cast<uint32_t>(bytes > 0 ? bytes : 0)}; }

}  // namespace

KernelMemory plan(Conv2dS8& c) {
  if (c.groups != 1) return real_plan(c);
  c.path = kIsCmsis;
  return scratch_only(buffer_bytes(c));
}
void prepare(Conv2dS8& c, void* prepared) {
  if ((c.path & kIsCmsis) == 0) real_prepare(c, prepared);
}
void run(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if ((c.path & kIsCmsis) == 0) return real_run(c, input, output, scratch);
  const auto p = params(c);
  const auto q = factors(c);
  const auto in = input_dims(c), filter = filter_dims(c), bias = dims(1, 1, 1, c.out_c), out = output_dims(c);
  const auto ctx = context(scratch, buffer_bytes(c));
  arm_convolve_wrapper_s8(&ctx, &p, &q, &in, input, &filter, c.weights, &bias, c.bias, &out, output);
}

KernelMemory plan(DepthwiseConv2dS8& c) { return scratch_only(buffer_bytes(c)); }
void prepare(DepthwiseConv2dS8&, void*) {}
void run(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  const auto p = params(c);
  const auto q = factors(c);
  const auto in = input_dims(c), filter = filter_dims(c), bias = dims(1, 1, 1, c.out_c), out = output_dims(c);
  const auto ctx = context(scratch, buffer_bytes(c));
  arm_depthwise_conv_wrapper_s8(&ctx, &p, &q, &in, input, &filter, c.weights, &bias, c.bias, &out, output);
}

KernelMemory plan(LinearS8& c) {
  const auto filter = linear_filter_dims(c);
  return scratch_only(arm_fully_connected_s8_get_buffer_size(&filter));
}
void prepare(LinearS8&, void*) {}
void run(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  cmsis_nn_fc_params p = {};
  // Kernel sums have bias and input offset in them: they are a bias for inputs without an offset.
  p.input_offset = c.kernel_sum != nullptr ? 0 : c.input_offset;
  p.filter_offset = c.filter_offset;
  p.output_offset = c.output_offset;
  p.activation.min = c.act_min;
  p.activation.max = c.act_max;
  cmsis_nn_per_tensor_quant_params q;
  q.multiplier = c.multiplier;
  q.shift = c.shift;
  const auto in = dims(c.rows, 1, 1, c.in_features), filter = linear_filter_dims(c),
             bias = dims(1, 1, 1, c.out_features), out = dims(c.rows, 1, 1, c.out_features);
  const auto ctx = context(scratch, arm_fully_connected_s8_get_buffer_size(&filter));
  arm_fully_connected_s8(&ctx, &p, &q, &in, input, &filter, c.weights, &bias,
                         c.kernel_sum != nullptr ? c.kernel_sum : c.bias, &out, output);
}

}  // namespace wick::cmsis_nn
