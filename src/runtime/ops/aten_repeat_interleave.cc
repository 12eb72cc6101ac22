// aten::repeat_interleave on a tensor of counts: the index of each count, as often as it says. The sum of the counts is
// known when it runs; the output's size must be that sum.
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  const void* repeats;
  void* output;
  uint32_t count, outputs;
  DType dtype;
};

Status run(const void* params, RunContext& context) {
  const auto& c = *static_cast<const Params*>(params);
  uint32_t at = 0;
  for (uint32_t i = 0; i < c.count; ++i) {
    const int64_t times = kernels::load_i64(c.repeats, c.dtype, static_cast<int32_t>(i));
    if (times < 0 || times > c.outputs - at) {
      if (context.error != nullptr) {
        context.error->add("entry ", i, " asks for ", times, " repeats, the output has room for ", c.outputs - at);
      }
      return Code::kInvalidArgument;
    }
    for (const uint32_t end = at + static_cast<uint32_t>(times); at < end; ++at) {
      kernels::store_i64(c.output, c.dtype, static_cast<int32_t>(at), i);
    }
  }
  if (at == c.outputs) return {};
  if (context.error != nullptr) context.error->add("repeats add up to ", at, ", the output has ", c.outputs);
  return Code::kInvalidArgument;
}

}  // namespace

// (repeats, output_size?, out)
Status aten_repeat_interleave(Prepare& p) {
  p.require_arg_count(3);
  const Tensor repeats = p.tensor(0);
  Tensor out = p.output(2);
  p.require_rank(0, repeats, 1);
  p.require_rank(2, out, 1);
  p.require(repeats.dtype == DType::kInt64 || repeats.dtype == DType::kInt32, Code::kInvalidProgram, 0,
            "expected int32 or int64, found ", dtype_name(repeats.dtype));
  require_same_dtype(p, 2, out, repeats);
  if (p.failed()) return p.status();
  if (!p.is_none(1)) {
    const int32_t sizes[1] = {p.int32_in(1, 0, INT32_MAX)};
    p.resize(2, &out, sizes, 1);
  }
  if (p.failed()) return p.status();
  return p.finish(run, Params{repeats.data, out.data, repeats.numel(), out.numel(), repeats.dtype});
}

}  // namespace wick::ops
