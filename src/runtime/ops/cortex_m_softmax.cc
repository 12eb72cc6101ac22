// cortex_m::softmax over any dimension. Where that dimension is innermost in memory the kernel runs in place; elsewhere
// each row is gathered into scratch and scattered back.
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

struct RowsStep {
  kernels::SoftmaxS8 softmax;
  const int8_t* input;
  int8_t* output;
};

Status run_rows(const void* params, RunContext& context) {
  const auto* s = static_cast<const RowsStep*>(params);
  isa::softmax_s8(s->softmax, s->input, s->output, context.scratch);
  return {};
}

// Operand 0 is the output, operand 1 the input; the walk's dimensions are all but the softmax's own.
struct GatherStep {
  kernels::SoftmaxS8 softmax;  // one row
  StrideWalk<2> walk;
  int32_t in_stride, out_stride;
  const int8_t* input;
  int8_t* output;
  uint32_t row_offset;  // in scratch, behind the kernel's own
};

Status run_gathered(const void* params, RunContext& context) {
  const auto* s = static_cast<const GatherStep*>(params);
  int8_t* row = static_cast<int8_t*>(context.scratch) + s->row_offset;
  const int32_t size = s->softmax.row_size;
  int8_t* result = row + size;
  for_each_row(s->walk, [&](const int32_t* offsets) {
    for (int32_t k = 0; k < s->walk.inner_size(); ++k) {
      int8_t* out = s->output + offsets[0] + k * s->walk.inner_stride(0);
      const int8_t* in = s->input + offsets[1] + k * s->walk.inner_stride(1);
      for (int32_t i = 0; i < size; ++i) row[i] = in[i * s->in_stride];
      isa::softmax_s8(s->softmax, row, result, context.scratch);
      for (int32_t i = 0; i < size; ++i) out[i * s->out_stride] = result[i];
    }
  });
  return {};
}

// The kernel's prepared memory for `c`, filled.
uint32_t prepare_kernel(Prepare& p, kernels::SoftmaxS8& c) {
  const kernels::KernelMemory memory = isa::softmax_s8_plan(c);
  void* prepared = p.memory(memory);
  if (p.may_write()) isa::softmax_s8_prepare(c, prepared);
  return memory.scratch_bytes;
}

Status finish_gathered(Prepare& p, kernels::SoftmaxS8 c, const Tensor& input, const Tensor& output, uint32_t dim) {
  int32_t strides[2][kMaxRank], sizes[kMaxRank];
  strides_of(output, strides[0]);
  strides_of(input, strides[1]);
  for (uint32_t d = 0; d < output.rank; ++d) sizes[d] = d == dim ? 1 : output.sizes[d];
  const uint32_t row_offset = prepare_kernel(p, c);
  p.scratch(row_offset + 2 * static_cast<uint32_t>(c.row_size));
  return p.finish(run_gathered, GatherStep{c, make_walk<2>(output, sizes, strides), strides[1][dim], strides[0][dim],
                                           input.as<int8_t>(), output.as<int8_t>(), row_offset});
}

}  // namespace

Status cortex_m_softmax(Prepare& p) {
  p.require_arg_count(8);
  const Tensor input = p.tensor(0);
  Tensor output = p.output(7);
  p.require_dtype(0, input, DType::kInt8);
  p.require_dtype(7, output, DType::kInt8);
  p.require(input.rank >= 1, Code::kInvalidProgram, 0, "expected at least one dimension");
  if (p.failed()) return p.status();
  const int32_t rank = input.rank;
  int32_t dim = p.int32_in(1, -rank, rank - 1);
  if (dim < 0) dim += rank;
  zero_point_of(p, 2);
  p.int32_in(3, -128, -128);  // with the scale 1/256 the operator's output range
  kernels::SoftmaxS8 c = {};
  c.multiplier = multiplier_of(p, 4);
  c.shift = p.int32_in(5, 0, 31);
  c.diff_min = p.int32_in(6, INT32_MIN, 0);
  p.resize(7, &output, input.sizes, input.rank);
  p.require_same_sizes(7, output, input);
  if (p.failed()) return p.status();
  if (output.numel() == 0) return p.finish_nothing();
  c.row_size = input.sizes[dim];

  int32_t strides[kMaxRank];
  strides_of(input, strides);
  if (same_layout(output, input) && (strides[dim] == 1 || c.row_size == 1)) {
    c.rows = static_cast<int32_t>(output.numel()) / c.row_size;
    prepare_kernel(p, c);
    return p.finish(run_rows, RowsStep{c, input.as<int8_t>(), output.as<int8_t>()});
  }
  c.rows = 1;
  return finish_gathered(p, c, input, output, static_cast<uint32_t>(dim));
}

}  // namespace wick::ops
