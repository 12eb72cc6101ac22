// INT8 pooling: cortex_m::quantized_avg_pool2d, quantized_max_pool2d, and their _nhwc forms.
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

struct PoolStep {
  kernels::Pool2d pool;
  const int8_t* input;
  int8_t* output;
};

template <void (*kernel)(const kernels::Pool2d&, const int8_t*, int8_t*, void*)>
Status run(const void* params, RunContext& context) {
  const auto* step = static_cast<const PoolStep*>(params);
  kernel(step->pool, step->input, step->output, context.scratch);
  return {};
}

// Window positions along one axis. With ceil_mode a last, partial one counts when it starts inside the image or its
// leading border.
int32_t pool_outputs(Prepare& p, int32_t size, int32_t kernel, int32_t stride, int32_t pad, int32_t dilation,
                     bool ceil_mode) {
  int32_t outputs = window_outputs(p, 1, size, kernel, stride, pad, dilation);
  if (p.failed() || !ceil_mode) return outputs;
  const int32_t reached = (outputs - 1) * stride + (kernel - 1) * dilation + 1;
  if (reached < size + 2 * pad && outputs * stride < size + pad) ++outputs;
  return outputs;
}

// kernel_size, stride, padding from argument 1; the output is the last argument.
template <kernels::KernelMemory (*plan)(kernels::Pool2d&),
          void (*kernel)(const kernels::Pool2d&, const int8_t*, int8_t*, void*)>
Status finish(Prepare& p, Layout layout, bool ceil_mode, Range range, Pair dilation = {}) {
  const uint32_t out_arg = p.arg_count() - 1;
  const Tensor input = p.tensor(0);
  Tensor output = p.output(out_arg);
  const Image image = image_of(p, 0, input, layout);
  const Pair size = pair_of(p, 1, 1, kMaxWindow), stride = pair_of(p, 2, 1, kMaxWindow);
  const Pair pad = pair_of(p, 3, 0, kMaxWindow);
  if (p.failed()) return p.status();
  // More would let windows lie outside the image altogether.
  const int64_t reach_h = (int64_t{size.h} - 1) * dilation.h + 1, reach_w = (int64_t{size.w} - 1) * dilation.w + 1;
  p.require(pad.h <= reach_h / 2 && pad.w <= reach_w / 2, Code::kInvalidProgram, 3, "padding ", pad.h, "x", pad.w,
            " is more than half of the window, ", reach_h, "x", reach_w);
  p.require(int64_t{image.h} * image.w <= 1 << 24, Code::kUnsupported, 0, "image has more than 2^24 pixels");
  kernels::Pool2d c = {};
  c.batch = image.n, c.in_h = image.h, c.in_w = image.w, c.channels = image.c;
  c.kernel_h = size.h, c.kernel_w = size.w;
  c.stride_h = stride.h, c.stride_w = stride.w;
  c.pad_h = pad.h, c.pad_w = pad.w;
  c.act_min = range.low, c.act_max = range.high;
  c.dilation_h = dilation.h, c.dilation_w = dilation.w;
  c.out_h = pool_outputs(p, c.in_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h, ceil_mode);
  c.out_w = pool_outputs(p, c.in_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w, ceil_mode);
  if (p.failed()) return p.status();
  resize_image(p, out_arg, &output, {c.batch, c.out_h, c.out_w, c.channels}, layout);
  image_of(p, out_arg, output, layout);
  if (p.failed()) return p.status();
  p.memory(plan(c));
  return p.finish(run<kernel>, PoolStep{c, input.as<int8_t>(), output.as<int8_t>()});
}

// Input and output share scale and zero point, so the arguments that say how to requantize are not used.
Status prepare_avg_pool2d(Prepare& p, Layout layout) {
  const uint32_t count = p.arg_count();
  p.require(count >= 8 && count <= 10, Code::kInvalidProgram, UINT32_MAX, "has ", count,
            " arguments, expected 8, 9 or 10");
  const bool ceil_mode = count == 10 && p.boolean(4);
  if (p.failed()) return p.status();
  return finish<isa::avg_pool2d_s8_plan, isa::avg_pool2d_s8>(p, layout, ceil_mode, Range());
}

Status prepare_max_pool2d(Prepare& p, Layout layout) {
  p.require_arg_count(11);
  const Pair dilation = pair_of(p, 4, 1, kMaxWindow);
  const bool ceil_mode = p.boolean(5);
  const int32_t in_zero_point = zero_point_of(p, 6), out_zero_point = zero_point_of(p, 7);
  const Range range = activation_of(p, 8, 9);
  if (p.failed()) return p.status();
  p.require(in_zero_point == out_zero_point, Code::kInvalidProgram, 7, "zero point ", out_zero_point,
            " differs from the input's, ", in_zero_point);
  if (p.failed()) return p.status();
  return finish<isa::max_pool2d_s8_plan, isa::max_pool2d_s8>(p, layout, ceil_mode, range, dilation);
}

}  // namespace

Status cortex_m_quantized_avg_pool2d(Prepare& p) { return prepare_avg_pool2d(p, Layout::kLogicalNchw); }
Status cortex_m_quantized_avg_pool2d_nhwc(Prepare& p) { return prepare_avg_pool2d(p, Layout::kExplicitNhwc); }
Status cortex_m_quantized_max_pool2d(Prepare& p) { return prepare_max_pool2d(p, Layout::kLogicalNchw); }
Status cortex_m_quantized_max_pool2d_nhwc(Prepare& p) { return prepare_max_pool2d(p, Layout::kExplicitNhwc); }

}  // namespace wick::ops
