// aten::grid_sampler_2d: an image sampled at places that a second tensor names.
#include "kernels/resample.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  kernels::GridSample sample;
  const void *input, *grid;
  void* output;
};

Status run(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::grid_sample(p.sample, p.input, p.grid, p.output);
  return {};
}

}  // namespace

// (input [N, C, H, W], grid [N, Ho, Wo, 2], interpolation_mode, padding_mode, align_corners, out [N, C, Ho, Wo])
Status aten_grid_sampler_2d(Prepare& p) {
  p.require_arg_count(6);
  const Tensor x = p.tensor(0), grid = p.tensor(1);
  const int32_t mode = p.int32_in(2, 0, 2), outside = p.int32_in(3, 0, 2);
  Tensor out = p.output(5);
  p.require_rank(0, x, 4);
  p.require_rank(1, grid, 4);
  require_floating(p, 0, x);
  require_same_dtype(p, 1, grid, x);
  require_same_dtype(p, 5, out, x);
  if (p.failed()) return p.status();
  p.require(grid.size(0) == x.size(0) && grid.size(3) == 2, Code::kInvalidProgram, 1, "expected sizes [", x.size(0),
            ", height, width, 2]");
  kernels::GridSample g{};
  g.batch = x.size(0), g.channels = x.size(1), g.in_h = x.size(2), g.in_w = x.size(3);
  g.out_h = grid.size(1), g.out_w = grid.size(2);
  // Positions twice as large must fit int32.
  p.require(g.in_h > 0 && g.in_w > 0 && g.in_h <= kMaxExtent && g.in_w <= kMaxExtent, Code::kUnsupported, 0,
            "an image without elements, or too large a one");
  g.mode = static_cast<kernels::GridSample::Mode>(mode);
  g.outside = static_cast<kernels::GridSample::Outside>(outside);
  g.align_corners = p.boolean(4);
  g.dtype = x.dtype;
  const int32_t sizes[4] = {g.batch, g.channels, g.out_h, g.out_w};
  p.resize(5, &out, sizes, 4);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  int32_t in[kMaxRank], to[kMaxRank], from[kMaxRank];
  strides_of(x, in);
  strides_of(out, to);
  strides_of(grid, from);
  g.in_steps = {in[0], in[1], in[2], in[3]};
  g.out_steps = {to[0], to[1], to[2], to[3]};
  g.grid_steps = {from[0], from[3], from[1], from[2]};
  return p.finish(run, Params{g, x.data, grid.data, out.data});
}

}  // namespace wick::ops
