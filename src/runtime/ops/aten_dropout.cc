// aten::native_dropout when it drops nothing: a copy, and a mask that is true everywhere. Dropping at random has no
// place in inference.
#include "runtime/ops/aten_args.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  CopyItem copy;
  uint8_t* mask;
  uint32_t count;
};

Status run(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  static constexpr uint8_t kTrue[1] = {1};
  kernels::strided_copy(p.copy.copy, p.copy.in, p.copy.out);
  kernels::fill(p.mask, p.count, kTrue, 1);
  return {};
}

}  // namespace

// (input, p, train, out, mask)
Status aten_native_dropout(Prepare& p) {
  p.require_arg_count(5);
  const Tensor x = p.tensor(0);
  const double probability = p.number(1);
  const bool trains = p.is_none(2) || p.boolean(2);
  Tensor out = p.output(3), mask = p.output(4);
  p.require(!trains || probability == 0.0, Code::kUnsupported, 2,
            "drops at random: export the model in evaluation mode (model.eval())");
  require_same_dtype(p, 3, out, x);
  p.require_dtype(4, mask, DType::kBool);
  p.resize(3, &out, x.sizes, x.rank);
  p.resize(4, &mask, x.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  const CopyEnd from = copy_end(x), to = copy_end(out);
  WalkPlan plan(2, x.dynamic || out.dynamic);
  for (uint32_t i = 0; i < x.rank; ++i) plan.add(x.sizes[i], to.strides[i], from.strides[i]);
  Params params = {};
  params.copy = plan_copy(p, plan, from, to);
  params.mask = mask.as<uint8_t>();
  params.count = mask.numel();
  return p.finish(run, params);
}

}  // namespace wick::ops
