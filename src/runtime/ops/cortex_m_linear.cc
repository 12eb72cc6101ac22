// INT8 matrix products: cortex_m::quantized_linear and quantized_batch_matmul.
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

struct LinearStep {
  kernels::LinearS8 linear;
  const int8_t* input;
  int8_t* output;
};

Status run_linear(const void* params, RunContext& context) {
  const auto* step = static_cast<const LinearStep*>(params);
  isa::linear_s8(step->linear, step->input, step->output, context.scratch);
  return {};
}

struct BatchMatmulStep {
  kernels::BatchMatmulS8 matmul;
  const int8_t *lhs, *rhs;
  int8_t* output;
};

Status run_batch_matmul(const void* params, RunContext& context) {
  const auto* step = static_cast<const BatchMatmulStep*>(params);
  isa::batch_matmul_s8(step->matmul, step->lhs, step->rhs, step->output, context.scratch);
  return {};
}

// For operands in another memory order: both are brought into plain order in scratch, behind the kernel's own.
struct GatheredMatmulStep {
  BatchMatmulStep step;
  StrideWalk<2> walks[2];  // operand 0 is the copy
  uint32_t copy_offsets[2];
};

Status run_gathered_matmul(const void* params, RunContext& context) {
  const auto* s = static_cast<const GatheredMatmulStep*>(params);
  const int8_t* from[2] = {s->step.lhs, s->step.rhs};
  int8_t* to[2];
  for (uint32_t k = 0; k < 2; ++k) {
    to[k] = static_cast<int8_t*>(context.scratch) + s->copy_offsets[k];
    const StrideWalk<2>& walk = s->walks[k];
    for_each_row(walk, [&](const int32_t* offsets) {
      for (int32_t i = 0; i < walk.inner_size(); ++i) {
        to[k][offsets[0] + i * walk.inner_stride(0)] = from[k][offsets[1] + i * walk.inner_stride(1)];
      }
    });
  }
  isa::batch_matmul_s8(s->step.matmul, to[0], to[1], s->step.output, context.scratch);
  return {};
}

// A walk from `t` into a plain contiguous copy.
StrideWalk<2> walk_to_copy(const Tensor& t) {
  int32_t strides[2][kMaxRank];
  int32_t step = 1;
  for (uint32_t d = t.rank; d-- > 0;) {
    strides[0][d] = step;
    step *= t.sizes[d];
  }
  strides_of(t, strides[1]);
  return make_walk<2>(t, t.sizes, strides);
}

// The one number of a list: these operators have one factor for all outputs.
int32_t only_entry(Prepare& p, uint32_t arg, int32_t low, int32_t high) {
  const IntList list = p.int_list(arg);
  if (p.failed() || !p.require(list.count == 1, Code::kUnsupported, arg, "expected 1 entry, found ", list.count) ||
      !p.require(list.items[0] >= low && list.items[0] <= high, Code::kInvalidProgram, arg, list.items[0],
                 " is outside of ", low, "..", high)) {
    return 0;
  }
  return static_cast<int32_t>(list.items[0]);
}

// True when the last dimension is innermost in both and the rows before it lie in the same order.
bool same_row_order(const Tensor& a, const Tensor& b) {
  int32_t a_strides[kMaxRank], b_strides[kMaxRank];
  strides_of(a, a_strides);
  strides_of(b, b_strides);
  const uint32_t last = a.rank - 1u;
  if ((a.sizes[last] > 1 && a_strides[last] != 1) || (b.sizes[last] > 1 && b_strides[last] != 1)) return false;
  for (uint32_t d = 0; d < last; ++d) {
    if (a.sizes[d] > 1 && int64_t{a_strides[d]} * b.sizes[last] != int64_t{b_strides[d]} * a.sizes[last]) return false;
  }
  return true;
}

// Weights [outputs, inputs] against input [..., inputs]; sizes the output [..., outputs].
void read_linear_shape(Prepare& p, const Tensor& input, const Tensor& weights, Tensor* output, uint32_t out_arg,
                       kernels::LinearS8& c) {
  p.require_dtype(0, input, DType::kInt8);
  p.require_dtype(1, weights, DType::kInt8);
  p.require_rank(1, weights, 2);
  p.require_constant(1, weights);
  p.require_contiguous(1, weights);
  p.require(input.rank >= 1, Code::kInvalidProgram, 0, "expected at least one dimension");
  if (p.failed()) return;
  const uint32_t last = input.rank - 1u;
  c.in_features = input.sizes[last];
  c.out_features = weights.sizes[0];
  p.require(c.in_features > 0 && c.out_features > 0, Code::kUnsupported, 1, "empty weights");
  p.require(weights.sizes[1] == c.in_features, Code::kInvalidProgram, 1, "weights read ", weights.sizes[1],
            " features, the input has ", c.in_features);
  if (p.failed()) return;
  c.rows = static_cast<int32_t>(input.numel() / static_cast<uint32_t>(c.in_features));
  c.weights = weights.as<int8_t>();
  int32_t sizes[kMaxRank];
  for (uint32_t d = 0; d < last; ++d) sizes[d] = input.sizes[d];
  sizes[last] = c.out_features;
  p.resize(out_arg, output, sizes, input.rank);
  p.require_dtype(out_arg, *output, DType::kInt8);
  if (p.failed()) return;
  p.require(same_row_order(input, *output), Code::kUnsupported, out_arg,
            "rows lie in another order than the input's, or the last dimension is not innermost");
}

}  // namespace

Status cortex_m_quantized_linear(Prepare& p) {
  constexpr uint32_t kOut = 11;
  p.require_arg_count(kOut + 1);
  const Tensor input = p.tensor(0), weights = p.tensor(1);
  Tensor output = p.output(kOut);
  kernels::LinearS8 c = {};
  read_linear_shape(p, input, weights, &output, kOut, c);
  if (p.failed()) return p.status();
  c.bias = optional_table_of(p, 2, c.out_features);
  c.kernel_sum = optional_table_of(p, 3, c.out_features);
  c.input_offset = negated_zero_point_of(p, 4);
  c.filter_offset = negated_zero_point_of(p, 5);
  c.output_offset = zero_point_of(p, 6);
  c.multiplier = only_entry(p, 7, 0, INT32_MAX);
  c.shift = only_entry(p, 8, kMinShift, kMaxShift);
  const Range range = activation_of(p, 10, 9);  // the one operator that names the largest first
  c.act_min = range.low;
  c.act_max = range.high;
  if (p.failed()) return p.status();
  if (c.rows == 0) return p.finish_nothing();
  void* prepared = p.memory(isa::linear_s8_plan(c));
  if (p.may_write()) isa::linear_s8_prepare(c, prepared);
  return p.finish(run_linear, LinearStep{c, input.as<int8_t>(), output.as<int8_t>()});
}

Status cortex_m_quantized_batch_matmul(Prepare& p) {
  p.require(p.arg_count() == 8 || p.arg_count() == 9, Code::kInvalidProgram, UINT32_MAX, "has ", p.arg_count(),
            " arguments, expected 8 or 9");
  if (p.failed()) return p.status();
  const uint32_t out_arg = p.arg_count() - 1;
  const Tensor lhs = p.tensor(0), rhs = p.tensor(2);
  Tensor output = p.output(out_arg);
  p.require_rank(0, lhs, 3);
  p.require_rank(2, rhs, 3);
  p.require_dtype(0, lhs, DType::kInt8);
  p.require_dtype(2, rhs, DType::kInt8);
  p.require_dtype(out_arg, output, DType::kInt8);
  if (p.failed()) return p.status();
  kernels::BatchMatmulS8 c = {};
  c.batch = lhs.sizes[0];
  c.lhs_rows = lhs.sizes[1];
  c.depth = lhs.sizes[2];
  c.rhs_rows = rhs.sizes[1];
  p.require(rhs.sizes[0] == c.batch && rhs.sizes[2] == c.depth, Code::kInvalidProgram, 2, "expected ", c.batch,
            " matrices with rows of ", c.depth, ", found ", rhs.sizes[0], " with rows of ", rhs.sizes[2]);
  c.lhs_offset = negated_zero_point_of(p, 1);
  c.rhs_offset = negated_zero_point_of(p, 3);
  c.output_zero_point = zero_point_of(p, 4);
  c.multiplier = multiplier_of(p, 5);
  c.shift = shift_of(p, 6);
  const int32_t sizes[3] = {c.batch, c.lhs_rows, c.rhs_rows};
  p.resize(out_arg, &output, sizes, 3);
  p.require_contiguous(out_arg, output);
  if (p.failed()) return p.status();
  if (output.numel() == 0) return p.finish_nothing();
  const kernels::KernelMemory memory = isa::batch_matmul_s8_plan(c);
  p.memory(memory);
  const BatchMatmulStep step = {c, lhs.as<int8_t>(), rhs.as<int8_t>(), output.as<int8_t>()};
  if ((is_contiguous(lhs) && is_contiguous(rhs)) || c.depth == 0) return p.finish(run_batch_matmul, step);
  const uint32_t rhs_at = memory.scratch_bytes + lhs.numel();
  p.scratch(rhs_at + rhs.numel());
  return p.finish(run_gathered_matmul,
                  GatheredMatmulStep{step, {walk_to_copy(lhs), walk_to_copy(rhs)}, {memory.scratch_bytes, rhs_at}});
}

}  // namespace wick::ops
