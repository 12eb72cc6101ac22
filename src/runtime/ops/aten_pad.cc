// aten::constant_pad_nd, and reflection and replication padding in one to three dimensions. Paddings come in pairs,
// from the last dimension backwards.
#include "kernels/pad_border.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/aten_common.h"
#include "runtime/ops/copy_plan.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct ConstantParams {
  CopyItem inside;
  bool has_inside;
  uint8_t* out;
  uint32_t count;
  uint32_t element_bytes;
  alignas(8) uint8_t value[8];
};

Status run_constant(const void* params, RunContext&) {
  const auto& p = *static_cast<const ConstantParams*>(params);
  kernels::fill(p.out, p.count, p.value, p.element_bytes);
  if (p.has_inside) kernels::strided_copy(p.inside.copy, p.inside.in, p.inside.out);
  return {};
}

struct BorderParams {
  kernels::PadBorder pad;
  const uint8_t* input;
  uint8_t* output;
};

Status run_border(const void* params, RunContext&) {
  const auto& p = *static_cast<const BorderParams*>(params);
  kernels::pad_border(p.pad, p.input, p.output);
  return {};
}

struct Paddings {
  int32_t before[kMaxRank] = {}, after[kMaxRank] = {};
  int32_t sizes[kMaxRank];  // of the output
};

// Of `pairs` dimensions at most, or of exactly that many.
Paddings read_paddings(Prepare& p, const Tensor& x, uint32_t pairs, bool exactly) {
  Paddings r;
  const IntList list = p.int_list(1);
  for (uint32_t i = 0; i < x.rank; ++i) r.sizes[i] = x.sizes[i];
  p.require(list.count % 2 == 0 && list.count <= 2 * pairs && (!exactly || list.count == 2 * pairs),
            Code::kInvalidProgram, 1, "has ", list.count, " entries, expected ", exactly ? "" : "pairs, at most ",
            2 * pairs);
  for (uint32_t i = 0; 2 * i < list.count && !p.failed(); ++i) {
    const uint32_t dim = x.rank - 1u - i;
    const int64_t before = list.items[2 * i], after = list.items[2 * i + 1];
    p.require(before >= -kMaxExtent && before <= kMaxExtent && after >= -kMaxExtent && after <= kMaxExtent,
              Code::kInvalidProgram, 1, "padding of ", before, " and ", after, " is out of range");
    const int64_t size = x.sizes[dim] + before + after;
    p.require(size >= 0 && size <= INT32_MAX, Code::kInvalidProgram, 1, "padding of ", before, " and ", after,
              " leaves a size of ", size);
    if (p.failed()) return r;
    r.before[dim] = static_cast<int32_t>(before);
    r.after[dim] = static_cast<int32_t>(after);
    r.sizes[dim] = static_cast<int32_t>(size);
  }
  return r;
}

void store_scalar(const Scalar& s, DType dtype, uint8_t* value) {
  if (kernels::is_floating(dtype)) return kernels::store_f64(value, dtype, 0, s.as_double());
  kernels::store_i64(value, dtype, 0, s.kind == Scalar::Kind::kFloat ? kernels::int64_of(s.f) : s.i);
}

Status prepare_border(Prepare& p, uint32_t dims, bool reflect) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0);
  Tensor out = p.output(2);
  require_same_dtype(p, 2, out, x);
  p.require(x.rank > dims && x.rank <= dims + 2, Code::kInvalidProgram, 0, "expected rank ", dims + 1, " or ", dims + 2,
            ", found ", static_cast<uint32_t>(x.rank));
  if (p.failed()) return p.status();
  const Paddings r = read_paddings(p, x, dims, true);
  for (uint32_t i = x.rank - dims; i < x.rank && !p.failed(); ++i) {
    p.require(x.sizes[i] > 0 && r.before[i] >= 0 && r.after[i] >= 0, Code::kUnsupported, 1,
              "negative padding, or an image without elements");
    p.require(!reflect || (r.before[i] < x.sizes[i] && r.after[i] < x.sizes[i]), Code::kInvalidProgram, 1,
              "reflection by ", r.before[i], " and ", r.after[i], " of a size of ", x.sizes[i]);
  }
  p.resize(2, &out, r.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();

  int32_t from[kMaxRank], to[kMaxRank];
  strides_of(x, from);
  strides_of(out, to);
  BorderParams params{};
  kernels::PadBorder& pad = params.pad;
  const int32_t bytes = static_cast<int32_t>(dtype_bytes(x.dtype));
  pad.element_bytes = dtype_bytes(x.dtype);
  pad.reflect = reflect;
  for (uint32_t i = 0; i < x.rank - dims; ++i) pad.images.add(x.sizes[i], {to[i] * bytes, from[i] * bytes});
  for (uint32_t k = 0; k < 3; ++k) {
    pad.axes[k] = {1, 1, 0, 0, 0};
    if (k + dims < 3) continue;
    const uint32_t i = x.rank - 3u + k;
    pad.axes[k] = {x.sizes[i], r.sizes[i], r.before[i], to[i] * bytes, from[i] * bytes};
  }
  params.input = x.as<const uint8_t>();
  params.output = out.as<uint8_t>();
  return p.finish(run_border, params);
}

}  // namespace

// (self, pad, value, out); negative paddings cut off.
Status aten_constant_pad_nd(Prepare& p) {
  p.require_arg_count(4);
  const Tensor x = p.tensor(0);
  const Scalar value = p.scalar(2);
  Tensor out = p.output(3);
  require_same_dtype(p, 3, out, x);
  if (p.failed()) return p.status();
  const Paddings r = read_paddings(p, x, x.rank, false);
  p.resize(3, &out, r.sizes, x.rank);
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();

  ConstantParams params{};
  params.out = out.as<uint8_t>();
  params.count = out.numel();
  params.element_bytes = dtype_bytes(out.dtype);
  store_scalar(value, out.dtype, params.value);
  CopyEnd from = copy_end(x), to = copy_end(out);
  WalkPlan plan(2, x.dynamic || out.dynamic);
  params.has_inside = true;
  int64_t from_start = 0, to_start = 0;
  for (uint32_t i = 0; i < x.rank; ++i) {
    const int32_t cut_before = r.before[i] < 0 ? -r.before[i] : 0, cut_after = r.after[i] < 0 ? -r.after[i] : 0;
    const int32_t kept = x.sizes[i] - cut_before - cut_after;
    if (kept <= 0) params.has_inside = false;
    from_start += static_cast<int64_t>(cut_before) * from.strides[i];
    to_start += static_cast<int64_t>(r.before[i] > 0 ? r.before[i] : 0) * to.strides[i];
    plan.add(kept > 0 ? kept : 1, to.strides[i], from.strides[i]);
  }
  from.data = offset(from.data, from_start * dtype_bytes(x.dtype));
  to.data = offset(to.data, to_start * dtype_bytes(x.dtype));
  params.inside = plan_copy(p, plan, from, to);
  return p.finish(run_constant, params);
}

Status aten_reflection_pad1d(Prepare& p) { return prepare_border(p, 1, true); }
Status aten_reflection_pad2d(Prepare& p) { return prepare_border(p, 2, true); }
Status aten_reflection_pad3d(Prepare& p) { return prepare_border(p, 3, true); }
Status aten_replication_pad1d(Prepare& p) { return prepare_border(p, 1, false); }
Status aten_replication_pad2d(Prepare& p) { return prepare_border(p, 2, false); }
Status aten_replication_pad3d(Prepare& p) { return prepare_border(p, 3, false); }

}  // namespace wick::ops
