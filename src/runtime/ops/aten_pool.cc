// aten::avg_pool2d, _adaptive_avg_pool2d and max_pool2d_with_indices: images of rank 3 or 4, whatever their dim_order.
#include "kernels/pool_any.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  kernels::Pool pool;
  const void* input;
  void* output;
  int64_t* indices;
};

Status run_average(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::average_pool(p.pool, p.input, p.output);
  return {};
}

Status run_maximum(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::maximum_pool(p.pool, p.input, p.output, p.indices);
  return {};
}

kernels::ImageSteps image_steps(const Tensor& t) {
  int32_t steps[kMaxRank];
  strides_of(t, steps);
  if (t.rank == 3) return {0, steps[0], steps[1], steps[2]};
  return {steps[0], steps[1], steps[2], steps[3]};
}

void read_image(Prepare& p, const Tensor& x, kernels::Pool& c) {
  p.require(x.rank == 3 || x.rank == 4, Code::kUnsupported, 0, "expected rank 3 or 4, found ",
            static_cast<uint32_t>(x.rank));
  if (p.failed()) return;
  const uint32_t first = x.rank - 3u;
  c.batch = x.rank == 4 ? x.size(0) : 1;
  c.channels = x.size(first);
  c.v.in = x.size(first + 1);
  c.h.in = x.size(first + 2);
  c.dtype = x.dtype;
}

// The window's arguments: kernel, stride, padding, then (if any) dilation; ceil_mode.
void read_windows(Prepare& p, bool has_dilation, kernels::Pool& c) {
  const Pair kernel = pair(p, 1, "kernel_size", 1);
  const Pair stride = pair(p, 2, "stride", 1, &kernel);
  static constexpr Pair kNoPadding{0, 0};
  const Pair pad = pair(p, 3, "padding", 0, &kNoPadding);
  static constexpr Pair kDense{1, 1};
  const Pair dilation = has_dilation ? pair(p, 4, "dilation", 1, &kDense) : kDense;
  const bool ceil_mode = p.boolean(has_dilation ? 5 : 4);
  c.v = {c.v.in, 1, kernel.v, stride.v, pad.v, dilation.v};
  c.h = {c.h.in, 1, kernel.h, stride.h, pad.h, dilation.h};
  for (const kernels::PoolAxis* a : {&c.v, &c.h}) {
    const int64_t reach = static_cast<int64_t>(a->dilation) * (a->kernel - 1) + 1;
    p.require(a->pad <= reach / 2, Code::kInvalidProgram, 3, "padding of ", a->pad,
              " is more than half of the window of ", reach);
  }
  c.v.out = window_count(p, 0, c.v.in, kernel.v, stride.v, pad.v, dilation.v, ceil_mode);
  c.h.out = window_count(p, 0, c.h.in, kernel.h, stride.h, pad.h, dilation.h, ceil_mode);
}

void resize_image(Prepare& p, uint32_t arg, const Tensor& x, const kernels::Pool& c, Tensor* out) {
  if (p.failed()) return;
  const int32_t sizes[4] = {c.batch, c.channels, c.v.out, c.h.out};
  p.resize(arg, out, sizes + (4 - x.rank), x.rank);
}

Status finish_average(Prepare& p, uint32_t out_arg, const Tensor& x, kernels::Pool& c) {
  Tensor out = p.output(out_arg);
  require_floating(p, 0, x);
  require_same_dtype(p, out_arg, out, x);
  resize_image(p, out_arg, x, c, &out);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  c.in_steps = image_steps(x);
  c.out_steps = image_steps(out);
  return p.finish(run_average, Params{c, x.data, out.data, nullptr});
}

}  // namespace

Status aten_avg_pool2d(Prepare& p) {
  p.require_arg_count(8);
  const Tensor x = p.tensor(0);
  kernels::Pool c{};
  read_image(p, x, c);
  if (p.failed()) return p.status();
  read_windows(p, false, c);
  c.count_include_pad = p.boolean(5);
  if (!p.is_none(6)) {
    c.divisor = p.integer(6);
    p.require(c.divisor != 0, Code::kInvalidProgram, 6, "divisor_override is 0");
  }
  return finish_average(p, 7, x, c);
}

Status aten_adaptive_avg_pool2d(Prepare& p) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0);
  kernels::Pool c{};
  read_image(p, x, c);
  const Pair size = pair(p, 1, "output_size", 0);
  if (p.failed()) return p.status();
  c.adaptive = true;
  c.v.out = size.v;
  c.h.out = size.h;
  p.require(c.v.in > 0 && c.h.in > 0, Code::kInvalidProgram, 0, "image without elements");
  return finish_average(p, 2, x, c);
}

Status aten_max_pool2d_with_indices(Prepare& p) {
  p.require_arg_count(8);
  const Tensor x = p.tensor(0);
  kernels::Pool c{};
  read_image(p, x, c);
  if (p.failed()) return p.status();
  read_windows(p, true, c);
  Tensor out = p.output(6), indices = p.output(7);
  p.require(dtype_bytes(x.dtype) != 0 && x.dtype != DType::kBool && x.dtype != DType::kUInt64, Code::kUnsupported, 0,
            "is ", dtype_name(x.dtype), ", expected numbers");
  require_same_dtype(p, 6, out, x);
  p.require_dtype(7, indices, DType::kInt64);
  resize_image(p, 6, x, c, &out);
  resize_image(p, 7, x, c, &indices);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  c.in_steps = image_steps(x);
  c.out_steps = image_steps(out);
  c.index_steps = image_steps(indices);
  return p.finish(run_maximum, Params{c, x.data, out.data, indices.as<int64_t>()});
}

}  // namespace wick::ops
