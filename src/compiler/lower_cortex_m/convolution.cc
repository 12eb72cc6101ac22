// Convolutions: weights as the kernels read them, one multiplier and shift per output channel.
#include <algorithm>

#include "compiler/lower_cortex_m/rules.h"
#include "compiler/lower_cortex_m/scratch.h"

namespace wick::compiler {

namespace {

// PyTorch's convolution operators by one set of names, as if all had two spatial dimensions.
struct Conv {
  const Value *input, *weight, *bias;
  Ints stride, padding, dilation, output_padding = {0, 0};
  int64_t groups = 1;
  bool transposed = false;
  bool one_dimension = false;
};

std::optional<Conv> conv_of(const Node& node) {
  const std::string name = family(node.op);
  Conv c{};
  const auto tensors = [&] {
    c.input = node.arg(0).tensor();
    c.weight = node.arg(1).tensor();
    c.bias = node.arg(2).tensor();
    c.one_dimension = c.input != nullptr && c.input->type.sizes.size() == 3;
  };
  const auto numbers = [&](const Argument& argument, int64_t otherwise) {
    Ints list = pair_of(argument, {otherwise, otherwise});
    if (c.one_dimension) list[0] = otherwise;
    return list;
  };
  if (node.op == "aten::conv2d" || node.op == "aten::conv1d") {
    tensors();
    c.stride = numbers(node.arg(3), 1), c.padding = numbers(node.arg(4), 0), c.dilation = numbers(node.arg(5), 1);
    c.groups = *node.arg(6).get<int64_t>();
  } else if (name == "aten::convolution") {
    tensors();
    c.stride = numbers(node.arg(3), 1), c.padding = numbers(node.arg(4), 0), c.dilation = numbers(node.arg(5), 1);
    c.transposed = *node.arg(6).get<bool>();
    c.output_padding = numbers(node.arg(7), 0);
    c.groups = *node.arg(8).get<int64_t>();
  } else if (node.op == "aten::conv_transpose2d.input" || node.op == "aten::conv_transpose1d") {
    tensors();
    c.stride = numbers(node.arg(3), 1), c.padding = numbers(node.arg(4), 0), c.output_padding = numbers(node.arg(5), 0);
    c.groups = *node.arg(6).get<int64_t>();
    c.dilation = numbers(node.arg(7), 1);
    c.transposed = true;
  } else {
    return std::nullopt;
  }
  if (c.input == nullptr || c.weight == nullptr) return std::nullopt;
  const size_t rank = c.input->type.sizes.size();
  return rank == 3 || rank == 4 ? std::optional(c) : std::nullopt;
}

Shape with_height(Shape sizes, bool one_dimension) {
  if (one_dimension) sizes.insert(sizes.begin() + 2, 1);
  return sizes;
}

// Elements of a rank-4 array in the order of permuted dimensions.
std::vector<int64_t> permuted(const std::vector<int64_t>& from, const Shape& sizes, const Ints& order) {
  std::vector<int64_t> strides(4, 1);
  for (size_t i = 3; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
  const auto extent = [&](size_t i) { return sizes[static_cast<size_t>(order[i])]; };
  const auto stride = [&](size_t i) { return strides[static_cast<size_t>(order[i])]; };
  std::vector<int64_t> out;
  out.reserve(from.size());
  for (int64_t a = 0; a < extent(0); ++a) {
    for (int64_t b = 0; b < extent(1); ++b) {
      for (int64_t c = 0; c < extent(2); ++c) {
        for (int64_t d = 0; d < extent(3); ++d) {
          out.push_back(from[static_cast<size_t>(a * stride(0) + b * stride(1) + c * stride(2) + d * stride(3))]);
        }
      }
    }
  }
  return out;
}

}  // namespace

Value* lower_convolution(const Site& site) {
  const auto conv = conv_of(*site.node);
  if (!conv) return nullptr;
  const auto x = quantized(conv->input);
  const auto w = quantized_constant(conv->weight);
  if (!x || !w || w->q->type.dtype != DType::kInt8 || !w->symmetric()) return nullptr;
  const int64_t channel_axis = conv->transposed ? 1 : 0;
  if (w->per_channel() && w->axis != channel_axis) return nullptr;
  const Shape in = with_height(x->q->type.sizes, conv->one_dimension);
  const Shape weight = with_height(w->q->type.sizes, conv->one_dimension);
  const Shape real_out = site.node->output()->type.sizes;
  const Shape out = with_height(real_out, conv->one_dimension);
  const int64_t out_c = out[1];
  const bool ones = std::all_of(conv->dilation.begin(), conv->dilation.end(), [](int64_t d) { return d == 1; });
  if (conv->transposed && (conv->groups != 1 || !ones)) return nullptr;

  std::vector<int64_t> multipliers, shifts;
  std::vector<double> bias_scale;
  for (int64_t c = 0; c < out_c; ++c) {
    const double w_scale = w->scale_of(static_cast<size_t>(c));
    const FixedPoint factor = fixed_point(x->params.scale * w_scale / site.output.scale);
    multipliers.push_back(factor.multiplier);
    shifts.push_back(factor.shift);
    bias_scale.push_back(x->params.scale * w_scale);
  }
  const auto bias = int32_bias(conv->bias, bias_scale);
  if (conv->bias != nullptr && !bias) return nullptr;
  Value* bias_value = bias ? site.int32_constant("_bias", *bias) : nullptr;
  if (bias_value == nullptr && conv->groups > 1) {
    bias_value = site.int32_constant("_zero_bias", std::vector<int64_t>(static_cast<size_t>(out_c)));
  }
  const ConvShape shape{in[0],
                        in[2],
                        in[3],
                        in[1],
                        out[2],
                        out[3],
                        out_c,
                        weight[2],
                        weight[3],
                        conv->stride[0],
                        conv->stride[1],
                        conv->padding[0],
                        conv->padding[1],
                        conv->dilation[0],
                        conv->dilation[1],
                        conv->groups};
  Value* input = site.view(x->q, in);
  Value* multiplier_value = site.int32_constant("_quantized_multiplier", multipliers);
  Value* shift_value = site.int32_constant("_quantized_shift", shifts);
  const std::vector<int64_t> values = integers(*w->q);
  const auto nhwc = [&](const Ints& order) {
    Shape sizes;
    for (const int64_t dim : order) sizes.push_back(weight[static_cast<size_t>(dim)]);
    return site.int8_constant("_weight_nhwc", sizes, permuted(values, weight, order));
  };
  Value* result;
  if (conv->transposed) {
    const TransposeScratch scratch = transpose_conv_scratch_bytes(shape, site.options.isa);
    result =
        site.build()("cortex_m::quantized_transpose_conv2d",
                     {input, nhwc({1, 2, 3, 0}), bias_value, conv->stride, conv->padding, conv->output_padding,
                      conv->dilation, -x->params.zero_point, site.output.zero_point, multiplier_value, shift_value,
                      site.low, site.high, site.scratch(scratch.scratch_bytes), site.scratch(scratch.output_bytes)},
                     site.name);
  } else if (conv->groups == in[1] && out_c % in[1] == 0 && in[0] == 1) {
    result = site.build()("cortex_m::quantized_depthwise_conv2d",
                          {input, nhwc({1, 2, 3, 0}), bias_value, conv->stride, conv->padding, conv->dilation,
                           out_c / in[1], -x->params.zero_point, site.output.zero_point, multiplier_value, shift_value,
                           site.low, site.high, site.scratch(depthwise_scratch_bytes(shape, site.options.isa))},
                          site.name);
  } else {
    result = site.build()("cortex_m::quantized_conv2d",
                          {input, nhwc({0, 2, 3, 1}), bias_value, conv->stride, conv->padding, conv->dilation,
                           -x->params.zero_point, site.output.zero_point, multiplier_value, shift_value, site.low,
                           site.high, site.scratch(conv_scratch_bytes(shape, site.options.isa))},
                          site.name);
  }
  return site.view(result, real_out);
}

}  // namespace wick::compiler
