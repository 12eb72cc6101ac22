// INT8 data movement: cortex_m::transpose and pad. Dimensions are logical, bytes lie as each tensor's dim_order says.
#include <cstring>

#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

struct CopyStep {
  StrideWalk<2> walk;  // operand 0 is the output
  const int8_t* input;
  int8_t* output;
  int32_t first;       // where in the output the input's first element goes
  uint32_t out_bytes;  // filled with `fill` beforehand; 0 when the copy covers everything
  int32_t fill;
};

Status run_copy(const void* params, RunContext&) {
  const auto* s = static_cast<const CopyStep*>(params);
  if (s->out_bytes > 0) memset(s->output, s->fill, s->out_bytes);
  const int32_t size = s->walk.inner_size(), to_step = s->walk.inner_stride(0), from_step = s->walk.inner_stride(1);
  for_each_row(s->walk, [&](const int32_t* offsets) {
    int8_t* to = s->output + s->first + offsets[0];
    const int8_t* from = s->input + offsets[1];
    if (to_step == 1 && from_step == 1) {
      memmove(to, from, static_cast<size_t>(size));
      return;
    }
    for (int32_t i = 0; i < size; ++i) to[i * to_step] = from[i * from_step];
  });
  return {};
}

struct Pads {
  int32_t before[kMaxRank] = {}, after[kMaxRank] = {};
};

// The file lists four borders in the order of memory, aligned at the innermost dimension; here they are by logical
// dimension.
Pads read_pads(Prepare& p, const Tensor& input) {
  Pads pads;
  for (uint32_t side = 0; side < 2; ++side) {
    const IntList list = p.int_list(1 + side);
    if (p.failed() ||
        !p.require(list.count == 4, Code::kInvalidProgram, 1 + side, "expected 4 entries, found ", list.count)) {
      return pads;
    }
    for (uint32_t i = 0; i < 4; ++i) {
      const bool extra = i + input.rank < 4;
      if (!p.require(list.items[i] >= 0 && list.items[i] <= (extra ? 0 : kMaxWindow), Code::kUnsupported, 1 + side,
                     "entry ", i, " is ", list.items[i], ", expected 0..", extra ? 0 : kMaxWindow)) {
        return pads;
      }
      if (extra) continue;
      const uint32_t dim = input.dim_order[i + input.rank - 4];
      (side == 0 ? pads.before : pads.after)[dim] = static_cast<int32_t>(list.items[i]);
    }
  }
  return pads;
}

}  // namespace

Status cortex_m_transpose(Prepare& p) {
  p.require_arg_count(3);
  const Tensor input = p.tensor(0);
  const IntList perm = p.int_list(1);
  Tensor output = p.output(2);
  p.require_dtype(0, input, DType::kInt8);
  p.require_dtype(2, output, DType::kInt8);
  p.require(perm.count == input.rank, Code::kInvalidProgram, 1, "expected ", static_cast<uint32_t>(input.rank),
            " entries, found ", perm.count);
  if (p.failed()) return p.status();
  int32_t in_strides[kMaxRank], strides[2][kMaxRank], sizes[kMaxRank];
  strides_of(input, in_strides);
  uint32_t seen = 0;
  for (uint32_t d = 0; d < input.rank; ++d) {
    const int64_t from = perm.items[d] < 0 ? perm.items[d] + input.rank : perm.items[d];
    if (!p.require(from >= 0 && from < input.rank && ((seen >> from) & 1) == 0, Code::kInvalidProgram, 1, "entry ", d,
                   " is ", perm.items[d], ": not a permutation")) {
      return p.status();
    }
    seen |= 1u << from;
    sizes[d] = input.sizes[from];
    strides[1][d] = in_strides[from];
  }
  p.resize(2, &output, sizes, input.rank);
  if (p.failed()) return p.status();
  if (output.numel() == 0) return p.finish_nothing();
  strides_of(output, strides[0]);
  return p.finish(run_copy, CopyStep{make_walk<2>(output, output.sizes, strides), input.as<int8_t>(),
                                     output.as<int8_t>(), 0, 0, 0});
}

Status cortex_m_pad(Prepare& p) {
  p.require_arg_count(5);
  const Tensor input = p.tensor(0);
  Tensor output = p.output(4);
  p.require_dtype(0, input, DType::kInt8);
  p.require_dtype(4, output, DType::kInt8);
  p.require(input.rank >= 1 && input.rank <= 4, Code::kUnsupported, 0, "rank ", static_cast<uint32_t>(input.rank),
            ", expected 1 to 4");
  if (p.failed()) return p.status();
  const Pads pads = read_pads(p, input);
  const int32_t fill = p.int32_in(3, -128, 127);
  if (p.failed()) return p.status();
  int32_t sizes[kMaxRank];
  for (uint32_t d = 0; d < input.rank; ++d) {
    const int64_t size = int64_t{input.sizes[d]} + pads.before[d] + pads.after[d];
    if (!p.require(size <= INT32_MAX, Code::kUnsupported, 1, "dimension ", d, " becomes ", size)) return p.status();
    sizes[d] = static_cast<int32_t>(size);
  }
  p.resize(4, &output, sizes, input.rank);
  if (p.failed()) return p.status();
  CopyStep step = {};
  step.input = input.as<int8_t>();
  step.output = output.as<int8_t>();
  step.fill = fill;
  step.out_bytes = output.numel() == input.numel() ? 0 : output.numel();
  if (output.numel() == 0) return p.finish_nothing();
  step.walk.rank = 1;  // of size 0: an empty input leaves the border alone
  if (input.numel() == 0) return p.finish(run_copy, step);
  int32_t strides[2][kMaxRank];
  strides_of(output, strides[0]);
  strides_of(input, strides[1]);
  for (uint32_t d = 0; d < input.rank; ++d) step.first += pads.before[d] * strides[0][d];
  step.walk = make_walk<2>(output, input.sizes, strides);
  return p.finish(run_copy, step);
}

}  // namespace wick::ops
