// cortex_m::quantize_per_tensor and dequantize_per_tensor, to and from INT8 and INT16.
#include "kernels/isa.h"
#include "runtime/ops/cortex_m_args.h"
#include "runtime/ops/ops.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

namespace {

namespace isa = kernels::isa;

struct QuantizeStep {
  const void* input;
  void* output;
  uint32_t count;
  float factor;  // inverse scale to quantize, scale to dequantize
  int32_t zero_point, low, high;
};

Status run_quantize_s8(const void* params, RunContext&) {
  const auto* s = static_cast<const QuantizeStep*>(params);
  isa::quantize_f32_s8(static_cast<const float*>(s->input), static_cast<int8_t*>(s->output), s->count, s->factor,
                       s->zero_point, s->low, s->high);
  return {};
}

Status run_quantize_s16(const void* params, RunContext&) {
  const auto* s = static_cast<const QuantizeStep*>(params);
  isa::quantize_f32_s16(static_cast<const float*>(s->input), static_cast<int16_t*>(s->output), s->count, s->factor,
                        s->zero_point, s->low, s->high);
  return {};
}

Status run_dequantize_s8(const void* params, RunContext&) {
  const auto* s = static_cast<const QuantizeStep*>(params);
  isa::dequantize_s8_f32(static_cast<const int8_t*>(s->input), static_cast<float*>(s->output), s->count, s->factor,
                         s->zero_point);
  return {};
}

Status run_dequantize_s16(const void* params, RunContext&) {
  const auto* s = static_cast<const QuantizeStep*>(params);
  isa::dequantize_s16_f32(static_cast<const int16_t*>(s->input), static_cast<float*>(s->output), s->count, s->factor,
                          s->zero_point);
  return {};
}

// One element at a time, for an output in another memory order than the input's. Operand 0 is the output.
struct AcrossStep {
  QuantizeStep quantize;
  StrideWalk<2> walk;
  uint32_t in_bytes, out_bytes;  // of an element
  Run run;
};

Status run_across(const void* params, RunContext& context) {
  const auto* s = static_cast<const AcrossStep*>(params);
  QuantizeStep one = s->quantize;
  one.count = 1;
  for_each_row(s->walk, [&](const int32_t* offsets) {
    for (int32_t i = 0; i < s->walk.inner_size(); ++i) {
      const int32_t to = offsets[0] + i * s->walk.inner_stride(0), from = offsets[1] + i * s->walk.inner_stride(1);
      one.output = static_cast<uint8_t*>(s->quantize.output) + to * static_cast<ptrdiff_t>(s->out_bytes);
      one.input = static_cast<const uint8_t*>(s->quantize.input) + from * static_cast<ptrdiff_t>(s->in_bytes);
      static_cast<void>(s->run(&one, context));  // quantizing cannot fail
    }
  });
  return {};
}

// Reads zero point, range and dtype; `type` is what the integer side must be.
QuantizeStep read_quantization(Prepare& p, DType* type) {
  QuantizeStep s = {};
  const int32_t dtype = p.int32(5);
  const bool wide = dtype == static_cast<int32_t>(DType::kInt16);
  p.require(wide || dtype == static_cast<int32_t>(DType::kInt8), Code::kUnsupported, 5,
            "expected int8 (1) or int16 (2), found ", dtype);
  *type = wide ? DType::kInt16 : DType::kInt8;
  const int32_t lowest = wide ? INT16_MIN : INT8_MIN, highest = wide ? INT16_MAX : INT8_MAX;
  s.zero_point = p.int32_in(2, lowest, highest);
  s.low = p.int32_in(3, lowest, highest);
  s.high = p.int32_in(4, lowest, highest);
  p.require(s.low <= s.high, Code::kInvalidProgram, 4, "the largest value ", s.high, " is below the smallest, ", s.low);
  return s;
}

Status finish(Prepare& p, Run run, QuantizeStep s, const Tensor& input, Tensor output) {
  p.resize(6, &output, input.sizes, input.rank);
  p.require_same_sizes(6, output, input);
  if (p.failed()) return p.status();
  s.input = input.data;
  s.output = output.data;
  s.count = output.numel();
  if (s.count == 0) return p.finish_nothing();
  if (same_layout(output, input)) return p.finish(run, s);
  int32_t strides[2][kMaxRank];
  strides_of(output, strides[0]);
  strides_of(input, strides[1]);
  return p.finish(run_across, AcrossStep{s, make_walk<2>(output, output.sizes, strides), dtype_bytes(input.dtype),
                                         dtype_bytes(output.dtype), run});
}

}  // namespace

Status cortex_m_quantize_per_tensor(Prepare& p) {
  p.require_arg_count(7);
  const Tensor input = p.tensor(0), output = p.output(6);
  DType type = DType::kInt8;
  QuantizeStep s = read_quantization(p, &type);
  s.factor = 1.0f / scale_of(p, 1);
  p.require_dtype(0, input, DType::kFloat32);
  p.require_dtype(6, output, type);
  return finish(p, type == DType::kInt16 ? run_quantize_s16 : run_quantize_s8, s, input, output);
}

Status cortex_m_dequantize_per_tensor(Prepare& p) {
  p.require_arg_count(7);
  const Tensor input = p.tensor(0), output = p.output(6);
  DType type = DType::kInt8;
  QuantizeStep s = read_quantization(p, &type);
  s.factor = scale_of(p, 1);
  p.require_dtype(0, input, type);
  p.require_dtype(6, output, DType::kFloat32);
  return finish(p, type == DType::kInt16 ? run_dequantize_s16 : run_dequantize_s8, s, input, output);
}

}  // namespace wick::ops
