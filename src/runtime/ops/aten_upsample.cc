// aten::upsample_nearest2d and upsample_bilinear2d, whose new size is given or follows from factors.
#include "kernels/resample.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  kernels::Resample resample;
  const void* input;
  void* output;
};

Status run_nearest(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::resample_nearest(p.resample, p.input, p.output);
  return {};
}

Status run_bilinear(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::resample_bilinear(p.resample, p.input, p.output);
  return {};
}

// One axis of the new image: its size, and input positions per output position in PyTorch's single precision.
struct Axis {
  int32_t out;
  float scale;
};

Axis read_axis(Prepare& p, uint32_t index, int32_t in, uint32_t factors_arg, bool align_corners) {
  const IntList size = p.int_list(1);
  const FloatList factors = p.float_list(factors_arg);
  p.require((size.count > 0) != (factors.count > 0), Code::kInvalidProgram, 1,
            "expected either an output size or scale factors");
  const bool by_size = size.count > 0;
  const uint32_t arg = by_size ? 1 : factors_arg, count = by_size ? size.count : factors.count;
  p.require(count == 2, Code::kInvalidProgram, arg, "has ", count, " entries, expected 2");
  if (p.failed()) return {1, 1.0f};
  const double factor = by_size ? 1.0 : factors.items[index];
  // Also false for NaN.
  p.require(factor > 0.0 && factor <= kMaxExtent, Code::kInvalidProgram, arg, "scale factor must be positive");
  if (p.failed()) return {1, 1.0f};
  const double out = by_size ? static_cast<double>(size.items[index]) : static_cast<double>(in) * factor;
  p.require(in >= 1 && out >= 1.0 && out <= kMaxExtent, Code::kInvalidProgram, arg,
            "an image without elements, or too large a one");
  if (p.failed()) return {1, 1.0f};
  Axis a{static_cast<int32_t>(out), 0.0f};
  if (align_corners) {
    a.scale = a.out > 1 ? static_cast<float>(in - 1) / static_cast<float>(a.out - 1) : 0.0f;
  } else {
    a.scale = by_size ? static_cast<float>(in) / static_cast<float>(a.out) : static_cast<float>(1.0 / factor);
  }
  return a;
}

Status finish(Prepare& p, Run run, uint32_t factors_arg, bool align_corners) {
  const uint32_t out_arg = factors_arg + 1;
  p.require_arg_count(out_arg + 1);
  const Tensor x = p.tensor(0);
  Tensor out = p.output(out_arg);
  p.require_rank(0, x, 4);
  require_same_dtype(p, out_arg, out, x);
  if (p.failed()) return p.status();
  kernels::Resample r{};
  r.batch = x.size(0), r.channels = x.size(1), r.in_h = x.size(2), r.in_w = x.size(3);
  r.align_corners = align_corners;
  r.dtype = x.dtype;
  const Axis v = read_axis(p, 0, r.in_h, factors_arg, align_corners);
  const Axis h = read_axis(p, 1, r.in_w, factors_arg, align_corners);
  r.out_h = v.out, r.out_w = h.out, r.scale_h = v.scale, r.scale_w = h.scale;
  const int32_t sizes[4] = {r.batch, r.channels, r.out_h, r.out_w};
  p.resize(out_arg, &out, sizes, 4);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t in[kMaxRank], to[kMaxRank];
  strides_of(x, in);
  strides_of(out, to);
  r.in_steps = {in[0], in[1], in[2], in[3]};
  r.out_steps = {to[0], to[1], to[2], to[3]};
  return p.finish(run, Params{r, x.data, out.data});
}

}  // namespace

// (input, output_size, scale_factors, out)
Status aten_upsample_nearest2d_vec(Prepare& p) { return finish(p, run_nearest, 2, false); }

// (input, output_size, align_corners, scale_factors, out)
Status aten_upsample_bilinear2d_vec(Prepare& p) {
  const Tensor x = p.tensor(0);
  if (p.failed()) return p.status();
  require_floating(p, 0, x);
  const bool align_corners = p.boolean(2);
  return finish(p, run_bilinear, 3, align_corners);
}

}  // namespace wick::ops
