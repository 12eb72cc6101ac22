// quantized_decomposed: quantize and dequantize as PyTorch's quantizer writes them, per tensor (parameters as numbers
// or as tensors of one element) and per channel. What a graph keeps of them has not been lowered.
#include "kernels/quantize_any.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

struct Params {
  kernels::Quantization q;
  const void* input;
  void* output;
};

Status run_quantize(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::quantize_any(p.q, p.input, p.output);
  return {};
}

Status run_dequantize(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::dequantize_any(p.q, p.input, p.output);
  return {};
}

enum class Form : uint8_t { kNumbers, kTensors, kChannels };

void require_integer_type(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(!kernels::is_floating(t.dtype) && t.dtype != DType::kBool && t.dtype != DType::kUInt64, Code::kUnsupported,
            arg, "expected an integer type, found ", dtype_name(t.dtype));
}

void read_parameter_tensors(Prepare& p, uint32_t count, kernels::Quantization& q) {
  const Tensor scales = p.tensor(1);
  Tensor zero_points;
  const bool has_zero_points = p.optional_tensor(2, &zero_points);
  require_floating(p, 1, scales);
  p.require(scales.numel() == count, Code::kInvalidProgram, 1, "has ", scales.numel(), " elements, expected ", count);
  q.scales = scales.data;
  q.scale_dtype = scales.dtype;
  if (!has_zero_points) return;
  require_integer_type(p, 2, zero_points);
  p.require(zero_points.numel() == count, Code::kInvalidProgram, 2, "has ", zero_points.numel(), " elements, expected ",
            count);
  q.zero_points = zero_points.data;
  q.zero_point_dtype = zero_points.dtype;
}

// (input, scale, zero_point, [axis,] quant_min, quant_max, dtype, [out_dtype,] out)
Status prepare(Prepare& p, Form form, bool quantizes) {
  const uint32_t limits = form == Form::kChannels ? 4 : 3;
  const uint32_t out_arg = limits + (quantizes ? 3 : 4);
  p.require_arg_count(out_arg + 1);
  const Tensor x = p.tensor(0);
  Tensor out = p.output(out_arg);
  p.resize(out_arg, &out, x.sizes, x.rank);
  const uint32_t real_arg = quantizes ? 0 : out_arg, integer_arg = quantizes ? out_arg : 0;
  require_floating(p, real_arg, quantizes ? x : out);
  require_integer_type(p, integer_arg, quantizes ? out : x);
  if (p.failed()) return p.status();

  Params params{};
  kernels::Quantization& q = params.q;
  q.real = quantizes ? x.dtype : out.dtype;
  q.integer = quantizes ? out.dtype : x.dtype;
  q.quant_min = p.integer(limits);
  q.quant_max = p.integer(limits + 1);
  p.require(q.quant_min <= q.quant_max, Code::kInvalidProgram, limits, "quant_min ", q.quant_min,
            " is larger than quant_max ", q.quant_max);
  const uint32_t channel = form == Form::kChannels ? dimension(p, 3, x.rank) : 0;
  if (form == Form::kNumbers) {
    q.scale = static_cast<float>(p.number(1));
    q.zero_point = p.int32(2);
  } else {
    read_parameter_tensors(p, form == Form::kChannels && x.rank > 0 ? static_cast<uint32_t>(x.sizes[channel]) : 1, q);
  }
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();

  int32_t in_steps[kMaxRank], out_steps[kMaxRank];
  strides_of(x, in_steps);
  strides_of(out, out_steps);
  kernels::Nest<3> elements;
  for (uint32_t i = 0; i < x.rank; ++i) {
    elements.add(x.sizes[i], {out_steps[i], in_steps[i], form == Form::kChannels && i == channel ? 1 : 0});
  }
  q.elements = elements.sorted().narrowed<5>();
  p.require(!q.elements.too_deep, Code::kUnsupported, 0, "dimensions are too scattered in memory");
  params.input = x.data;
  params.output = out.data;
  return p.finish(quantizes ? run_quantize : run_dequantize, params);
}

}  // namespace

Status quantized_decomposed_quantize_per_tensor(Prepare& p) { return prepare(p, Form::kNumbers, true); }
Status quantized_decomposed_quantize_per_tensor_tensor(Prepare& p) { return prepare(p, Form::kTensors, true); }
Status quantized_decomposed_quantize_per_channel(Prepare& p) { return prepare(p, Form::kChannels, true); }
Status quantized_decomposed_dequantize_per_tensor(Prepare& p) { return prepare(p, Form::kNumbers, false); }
Status quantized_decomposed_dequantize_per_tensor_tensor(Prepare& p) { return prepare(p, Form::kTensors, false); }
Status quantized_decomposed_dequantize_per_channel(Prepare& p) { return prepare(p, Form::kChannels, false); }

}  // namespace wick::ops
