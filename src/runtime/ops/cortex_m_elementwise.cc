// INT8 elementwise operators: cortex_m::quantized_add, quantized_mul, quantized_div, minimum, maximum and
// quantized_activation. Operands broadcast as PyTorch's do, whatever order their bytes lie in.
#include <cmath>

#include "core/quant.h"
#include "kernels/binary_runs.h"
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

struct Operands {
  Tensor a, b, output;
  kernels::BinaryShape shape = {};
  bool empty = false;
};

// Reads both operands and the output, sizes the output to what they broadcast to.
Operands read_operands(Prepare& p, uint32_t a_arg, uint32_t b_arg, uint32_t out_arg, DType dtype) {
  Operands o;
  o.a = p.tensor(a_arg);
  o.b = p.tensor(b_arg);
  o.output = p.output(out_arg);
  p.require_dtype(a_arg, o.a, dtype);
  p.require_dtype(b_arg, o.b, dtype);
  p.require_dtype(out_arg, o.output, dtype);
  if (p.failed()) return o;
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
  if (!p.require(broadcast_sizes(o.a, o.b, sizes, &rank), Code::kInvalidProgram, b_arg,
                 "sizes do not broadcast with the first operand's")) {
    return o;
  }
  p.resize(out_arg, &o.output, sizes, rank);
  if (p.failed()) return o;
  o.empty = o.output.numel() == 0;
  if (!o.empty) o.shape = binary_shape(o.a, o.b, o.output);
  return o;
}

template <typename Params>
struct BinaryStep {
  Params params;
  kernels::BinaryShape shape;
  const int8_t *a, *b;
  int8_t* output;
};

template <typename Params>
Status finish(Prepare& p, Run run, const Params& params, const Operands& o) {
  if (p.failed()) return p.status();
  if (o.empty) return p.finish_nothing();
  return p.finish(run, BinaryStep<Params>{params, o.shape, o.a.as<int8_t>(), o.b.as<int8_t>(), o.output.as<int8_t>()});
}

Status run_add(const void* params, RunContext& context) {
  const auto* s = static_cast<const BinaryStep<kernels::AddS8>*>(params);
  isa::add_s8(s->params, s->shape, s->a, s->b, s->output, context.scratch);
  return {};
}

Status run_mul(const void* params, RunContext&) {
  const auto* s = static_cast<const BinaryStep<kernels::MulS8>*>(params);
  isa::mul_s8(s->params, s->shape, s->a, s->b, s->output);
  return {};
}

struct Nothing {};

template <void (*kernel)(const kernels::BinaryShape&, const int8_t*, const int8_t*, int8_t*)>
Status run_select(const void* params, RunContext&) {
  const auto* s = static_cast<const BinaryStep<Nothing>*>(params);
  kernel(s->shape, s->a, s->b, s->output);
  return {};
}

template <void (*kernel)(const kernels::BinaryShape&, const int8_t*, const int8_t*, int8_t*)>
Status prepare_select(Prepare& p) {
  p.require_arg_count(3);
  const Operands o = read_operands(p, 0, 1, 2, DType::kInt8);
  return finish(p, run_select<kernel>, Nothing{}, o);
}

struct Division {
  float scale;
  int32_t a_zero_point, b_zero_point, zero_point, low, high;
};

// In float, as the operator is defined: a quotient of small whole numbers, scaled, halves away from zero.
template <typename T>
Status run_div(const void* params, RunContext&) {
  const auto* s = static_cast<const BinaryStep<Division>*>(params);
  const Division& d = s->params;
  const auto quotient = [&d](T a, T b) {
    const float n = static_cast<float>(a - d.a_zero_point), by = static_cast<float>(b - d.b_zero_point);
    const float ratio = by != 0.0f ? n / by : 0.0f;
    const float value = std::round(ratio * d.scale) + static_cast<float>(d.zero_point);
    if (!(value > static_cast<float>(d.low))) return static_cast<T>(d.low);
    return value < static_cast<float>(d.high) ? static_cast<T>(value) : static_cast<T>(d.high);
  };
  kernels::for_each_run(s->shape, reinterpret_cast<const T*>(s->a), reinterpret_cast<const T*>(s->b),
                        reinterpret_cast<T*>(s->output), [&](const T* a, const T* b, T* out) {
                          for (uint32_t i = 0; i < s->shape.inner; ++i) {
                            out[i] = quotient(a[i * s->shape.a_step], b[i * s->shape.b_step]);
                          }
                        });
  return {};
}

struct LutStep {
  const int8_t *lut, *input;
  int8_t* output;
  uint32_t count;
};

Status run_lut(const void* params, RunContext&) {
  const auto* s = static_cast<const LutStep*>(params);
  isa::lut_s8(s->lut, s->input, s->output, s->count);
  return {};
}

}  // namespace

Status cortex_m_quantized_add(Prepare& p) {
  p.require_arg_count(14);
  const Operands o = read_operands(p, 0, 4, 13, DType::kInt8);
  kernels::AddS8 c = {};
  c.a_zero_point = zero_point_of(p, 1);
  c.a_multiplier = signed_multiplier_of(p, 2);
  c.a_shift = shift_of(p, 3);
  c.b_zero_point = zero_point_of(p, 5);
  c.b_multiplier = signed_multiplier_of(p, 6);
  c.b_shift = shift_of(p, 7);
  c.zero_point = zero_point_of(p, 8);
  c.multiplier = multiplier_of(p, 9);
  c.shift = shift_of(p, 10);
  const Range range = activation_of(p, 11, 12);
  c.act_min = range.low;
  c.act_max = range.high;
  if (!p.failed() && !o.empty) p.memory(isa::add_s8_plan(c, o.shape));
  return finish(p, run_add, c, o);
}

Status cortex_m_quantized_mul(Prepare& p) {
  p.require_arg_count(8);
  const Operands o = read_operands(p, 0, 2, 7, DType::kInt8);
  kernels::MulS8 c = {};
  c.a_zero_point = zero_point_of(p, 1);
  c.b_zero_point = zero_point_of(p, 3);
  c.zero_point = zero_point_of(p, 4);
  c.multiplier = multiplier_of(p, 5);
  c.shift = shift_of(p, 6);
  return finish(p, run_mul, c, o);
}

Status cortex_m_quantized_div(Prepare& p) {
  p.require_arg_count(7);
  const DType dtype = p.output(6).dtype;
  const bool wide = dtype == DType::kInt16;
  p.require(wide || dtype == DType::kInt8, Code::kUnsupported, 6, "expected int8 or int16, found ", dtype_name(dtype));
  const Operands o = read_operands(p, 0, 2, 6, dtype);
  Division d = {};
  d.low = wide ? INT16_MIN : INT8_MIN;
  d.high = wide ? INT16_MAX : INT8_MAX;
  d.a_zero_point = p.int32_in(1, d.low, d.high);
  d.b_zero_point = p.int32_in(3, d.low, d.high);
  d.zero_point = p.int32_in(4, d.low, d.high);
  d.scale = scale_of(p, 5);
  return finish(p, wide ? run_div<int16_t> : run_div<int8_t>, d, o);
}

Status cortex_m_minimum(Prepare& p) { return prepare_select<isa::minimum_s8>(p); }

Status cortex_m_maximum(Prepare& p) { return prepare_select<isa::maximum_s8>(p); }

Status cortex_m_quantized_activation(Prepare& p) {
  p.require_arg_count(3);
  const Tensor input = p.tensor(0), lut = p.tensor(1);
  Tensor output = p.output(2);
  p.require_dtype(0, input, DType::kInt8);
  p.require_dtype(1, lut, DType::kInt8);
  p.require_dtype(2, output, DType::kInt8);
  if (p.failed()) return p.status();
  p.require(lut.numel() == 256, Code::kInvalidProgram, 1, "expected a table of 256 entries, found ", lut.numel());
  p.resize(2, &output, input.sizes, input.rank);
  p.require_same_layout(2, output, input);
  if (p.failed()) return p.status();
  return p.finish(run_lut, LutStep{lut.as<int8_t>(), input.as<int8_t>(), output.as<int8_t>(), output.numel()});
}

}  // namespace wick::ops
