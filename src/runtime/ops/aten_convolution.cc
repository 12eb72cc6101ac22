// aten::convolution: reads sizes and strides off the tensors, whatever their dim_order, and leaves a ConvFloat.
#include "kernels/conv_float.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

enum Arg : uint32_t {
  kInput,
  kWeight,
  kBias,
  kStride,
  kPadding,
  kDilation,
  kTransposed,
  kOutputPadding,
  kGroups,
  kOut,
  kArgCount
};

struct Params {
  kernels::ConvFloat conv;
  const void* input;
  const void* weights;
  const void* bias;
  void* output;
};

Status run(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::conv_float(p.conv, p.input, p.weights, p.bias, p.output);
  return {};
}

struct Geometry {
  Pair stride, padding, dilation, output_padding;
};

// The two spatial axes; a 1-d convolution is one of height 1.
void read_geometry(Prepare& p, bool flat, Geometry& g) {
  g.stride = pair(p, kStride, "stride", 1);
  g.padding = pair(p, kPadding, "padding", 0);
  g.dilation = pair(p, kDilation, "dilation", 1);
  static constexpr Pair kNone{0, 0};
  g.output_padding = pair(p, kOutputPadding, "output_padding", 0, &kNone);
  if (flat) {
    g.stride.v = g.dilation.v = 1;
    g.padding.v = g.output_padding.v = 0;
  }
}

int32_t out_size(Prepare& p, const kernels::ConvAxis& a, bool transposed, int32_t output_padding) {
  if (p.failed()) return 1;
  if (!transposed) return window_count(p, kInput, a.in, a.kernel, a.stride, a.pad, a.dilation, false);
  p.require(output_padding < a.stride || output_padding < a.dilation, Code::kInvalidProgram, kOutputPadding,
            "output_padding is ", output_padding, ", must be less than stride or dilation");
  const int64_t size = static_cast<int64_t>(a.in - 1) * a.stride - 2 * static_cast<int64_t>(a.pad) +
                       static_cast<int64_t>(a.dilation) * (a.kernel - 1) + output_padding + 1;
  p.require(size >= 1 && size <= kMaxExtent, Code::kInvalidProgram, kOut, "output size would be ", size);
  return p.failed() ? 1 : static_cast<int32_t>(size);
}

}  // namespace

Status aten_convolution(Prepare& p) {
  p.require_arg_count(kArgCount);
  const Tensor x = p.tensor(kInput);
  const Tensor w = p.tensor(kWeight);
  Tensor bias;
  const bool has_bias = p.optional_tensor(kBias, &bias);
  Tensor out = p.output(kOut);
  const bool transposed = p.boolean(kTransposed);
  const int32_t groups = p.int32_in(kGroups, 1, kMaxExtent);
  require_floating(p, kInput, x);
  require_same_dtype(p, kWeight, w, x);
  require_same_dtype(p, kOut, out, x);
  p.require(x.rank == 3 || x.rank == 4, Code::kUnsupported, kInput, "expected rank 3 or 4, found ",
            static_cast<uint32_t>(x.rank));
  p.require_rank(kWeight, w, x.rank);
  p.require_rank(kOut, out, x.rank);
  if (p.failed()) return p.status();

  const bool flat = x.rank == 3;
  Geometry g{};
  read_geometry(p, flat, g);
  const int32_t in_c = x.size(1);
  const uint32_t h = flat ? 2 : 3;
  p.require(in_c % groups == 0, Code::kInvalidProgram, kGroups, in_c, " input channels do not divide into ", groups,
            " groups");
  p.require(transposed || w.size(0) % groups == 0, Code::kInvalidProgram, kGroups, w.size(0),
            " output channels do not divide into ", groups, " groups");
  p.require(w.size(transposed ? 0 : 1) == (transposed ? in_c : in_c / groups), Code::kInvalidProgram, kWeight,
            "weight is for ", w.size(transposed ? 0 : 1), " input channels, expected ",
            transposed ? in_c : in_c / groups);
  const int64_t out_c = transposed ? static_cast<int64_t>(w.size(1)) * groups : w.size(0);
  p.require(out_c <= kMaxExtent, Code::kInvalidProgram, kWeight, "too many output channels: ", out_c);
  p.require(w.size(h) >= 1 && (flat || w.size(2) >= 1), Code::kInvalidProgram, kWeight, "kernel without elements");
  p.require(w.size(h) <= kMaxExtent && (flat || w.size(2) <= kMaxExtent), Code::kUnsupported, kWeight,
            "kernel is too large");
  if (has_bias) {
    require_floating(p, kBias, bias);
    p.require(bias.rank == 1 && bias.size(0) == out_c, Code::kInvalidProgram, kBias, "expected one value for each of ",
              out_c, " output channels");
  }
  if (p.failed()) return p.status();

  int32_t x_steps[kMaxRank], w_steps[kMaxRank], out_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(w, w_steps);
  kernels::ConvFloat c{};
  c.batch = x.size(0);
  c.groups = groups;
  c.in_per_group = in_c / groups;
  c.out_per_group = static_cast<int32_t>(out_c) / groups;
  c.transposed = transposed;
  c.dtype = x.dtype;
  c.bias_dtype = has_bias ? bias.dtype : x.dtype;
  c.v = {flat ? 1 : x.size(2), 1, flat ? 1 : w.size(2), g.stride.v, g.padding.v, g.dilation.v, 0, 0, 0};
  c.h = {x.size(h), 1, w.size(h), g.stride.h, g.padding.h, g.dilation.h, 0, 0, 0};
  c.v.out = out_size(p, c.v, transposed, g.output_padding.v);
  c.h.out = out_size(p, c.h, transposed, g.output_padding.h);
  const int32_t sizes[4] = {c.batch, static_cast<int32_t>(out_c), flat ? c.h.out : c.v.out, c.h.out};
  p.resize(kOut, &out, sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();

  strides_of(out, out_steps);
  if (!flat) c.v.in_step = x_steps[2], c.v.out_step = out_steps[2], c.v.w_step = w_steps[2];
  c.h.in_step = x_steps[h], c.h.out_step = out_steps[h], c.h.w_step = w_steps[h];
  c.in_batch = x_steps[0], c.in_channel = x_steps[1];
  c.out_batch = out_steps[0], c.out_channel = out_steps[1];
  c.w_out = w_steps[transposed ? 1 : 0];
  c.w_in = w_steps[transposed ? 0 : 1];
  c.w_group = w_steps[0] * (transposed ? c.in_per_group : c.out_per_group);
  kernels::conv_float_plan(c);
  return p.finish(run, Params{c, x.data, w.data, has_bias ? bias.data : nullptr, out.data});
}

}  // namespace wick::ops
