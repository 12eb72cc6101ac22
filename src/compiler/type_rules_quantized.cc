// Output types of quantize and dequantize, and of cortex_m's operators. Image tensors of cortex_m are logically
// [N, C, H, W] with dim_order 0,2,3,1, or [N, H, W, C] for the _nhwc operators.
#include <algorithm>

#include "compiler/type_rules.h"

namespace wick::compiler {

namespace {

// Per tensor: dtype at 5; per channel: axis at 3, dtype at 6. out_dtype, where there is one, comes last.
Types quantize_to(const Call& call, size_t dtype_at) {
  const TensorType& x = call.tensor(0);
  call.require(is_float(x.dtype), "takes floating-point numbers only");
  const DType dtype = call.dtype(dtype_at, DType::kInt8);
  call.require(!is_float(dtype) && dtype != DType::kBool, "must give integers");
  return {{dtype, x.sizes, x.dim_order}};
}

Types dequantize_from(const Call& call, DType to) {
  const TensorType& x = call.tensor(0);
  call.require(!is_float(x.dtype) && x.dtype != DType::kBool, "takes integers only");
  call.require(is_float(to), "must give floating-point numbers");
  return {{to, x.sizes, x.dim_order}};
}

void require_channels(const Call& call) {
  const TensorType& x = call.tensor(0);
  const size_t axis = wrap(call.integer(3), x.sizes.size(), call.op() + ": axis");
  call.require(call.tensor(1).numel() == x.sizes[axis], "needs one scale per index of the axis");
  const TensorType* zero_points = call.optional_tensor(2);
  call.require(zero_points == nullptr || zero_points->numel() == x.sizes[axis],
               "needs one zero point per index of the axis");
}

Types quantize_tensor(const Call& call) { return quantize_to(call, 5); }
Types dequantize_tensor(const Call& call) { return dequantize_from(call, call.dtype(6, DType::kFloat32)); }

Types quantize_channels(const Call& call) {
  require_channels(call);
  return quantize_to(call, 6);
}

Types dequantize_channels(const Call& call) {
  require_channels(call);
  return dequantize_from(call, call.dtype(7, DType::kFloat32));
}

Types dequantize_to_float(const Call& call) { return dequantize_from(call, DType::kFloat32); }

// The other operand stands at `at`.
Types binary(const Call& call, size_t at) {
  const TensorType &a = call.tensor(0), &b = call.tensor(at);
  call.require(a.dtype == b.dtype, "the operands differ in dtype");
  Shape sizes = broadcast(call, a.sizes, b.sizes);
  std::vector<uint8_t> order = a.sizes == sizes ? a.dim_order : b.dim_order;
  return {checked_type(call, a.dtype, std::move(sizes), std::move(order))};
}

Types add_operands(const Call& call) { return binary(call, 4); }
Types multiply_operands(const Call& call) { return binary(call, 2); }
Types two_operands(const Call& call) { return binary(call, 1); }
Types same(const Call& call) { return {call.tensor(0)}; }

Types linear(const Call& call) {
  const TensorType &x = call.tensor(0), &weight = call.tensor(1);
  call.require(weight.sizes.size() == 2 && !x.sizes.empty() && x.sizes.back() == weight.sizes[1],
               "weights do not fit the input's last dimension");
  Shape sizes = x.sizes;
  sizes.back() = weight.sizes[0];
  return {checked_type(call, DType::kInt8, std::move(sizes))};
}

Types transpose(const Call& call) {
  const TensorType& x = call.tensor(0);
  Shape sizes;
  for (const int64_t dim : call.ints(1, x.sizes.size(), -8)) {
    sizes.push_back(x.sizes[wrap(dim, x.sizes.size(), call.op() + ": dimension")]);
  }
  return {checked_type(call, x.dtype, std::move(sizes))};
}

// Paddings are four numbers for the dimensions as they lie in memory, right-aligned.
Types pad(const Call& call) {
  const TensorType& x = call.tensor(0);
  const size_t rank = x.sizes.size();
  const Ints &before = call.ints(1, 4, 0), &after = call.ints(2, 4, 0);
  call.require(rank <= 4, "takes at most four dimensions");
  Shape sizes = x.sizes;
  for (size_t i = 0; i < rank; ++i) {
    const size_t dim = x.dim_order.empty() ? i : x.dim_order[i];
    sizes[dim] += before[4 - rank + i] + after[4 - rank + i];
  }
  return {checked_type(call, x.dtype, std::move(sizes), x.dim_order)};
}

struct Image {
  int64_t batch, channels, height, width;
};

bool is_nhwc(const Call& call) { return call.op().ends_with("_nhwc"); }

Image image_of(const Call& call) {
  const Shape& x = call.tensor(0).sizes;
  call.require(x.size() == 4, "the input must have four dimensions");
  return is_nhwc(call) ? Image{x[0], x[3], x[1], x[2]} : Image{x[0], x[1], x[2], x[3]};
}

Types image_type(const Call& call, const Image& image) {
  Shape sizes{image.batch, image.channels, image.height, image.width};
  if (is_nhwc(call)) sizes = {image.batch, image.height, image.width, image.channels};
  return {checked_type(call, DType::kInt8, std::move(sizes), call.tensor(0).dim_order)};
}

const Shape& weight_of(const Call& call) {
  const Shape& weight = call.tensor(1).sizes;
  call.require(weight.size() == 4, "the weight must have four dimensions");
  return weight;
}

Types convolved(const Call& call, int64_t out_channels) {
  Image image = image_of(call);
  const Shape& weight = weight_of(call);
  const Ints &stride = call.ints(3, 2, 1), &padding = call.ints(4, 2, 0), &dilation = call.ints(5, 2, 1);
  image.channels = out_channels;
  image.height = window_count(call, image.height, weight[1], stride[0], padding[0], dilation[0], false);
  image.width = window_count(call, image.width, weight[2], stride[1], padding[1], dilation[1], false);
  return image_type(call, image);
}

Types conv(const Call& call) { return convolved(call, weight_of(call)[0]); }
Types depthwise(const Call& call) { return convolved(call, weight_of(call)[3]); }

Types transpose_conv(const Call& call) {
  Image image = image_of(call);
  const Shape& weight = weight_of(call);
  const Ints &stride = call.ints(3, 2, 1), &padding = call.ints(4, 2, 0), &extra = call.ints(5, 2, 0);
  const Ints& dilation = call.ints(6, 2, 1);
  const auto size = [&](int64_t in, size_t i) {
    return (in - 1) * stride[i] - 2 * padding[i] + dilation[i] * (weight[1 + i] - 1) + extra[i] + 1;
  };
  return image_type(call, {image.batch, weight[0], size(image.height, 0), size(image.width, 1)});
}

Types pooled(const Call& call, const Ints& dilation, bool ceil_mode) {
  Image image = image_of(call);
  const Ints &kernel = call.ints(1, 2, 1), &stride = call.ints(2, 2, 1), &padding = call.ints(3, 2, 0);
  image.height = window_count(call, image.height, kernel[0], stride[0], padding[0], dilation[0], ceil_mode);
  image.width = window_count(call, image.width, kernel[1], stride[1], padding[1], dilation[1], ceil_mode);
  return image_type(call, image);
}

Types avg_pool(const Call& call) { return pooled(call, {1, 1}, call.flag(4)); }
Types max_pool(const Call& call) { return pooled(call, call.ints(4, 2, 1), call.flag(5)); }

Types batch_matmul(const Call& call) {
  const Shape &a = call.tensor(0).sizes, &b = call.tensor(2).sizes;
  call.require(a.size() == 3 && b.size() == 3 && a[0] == b[0] && a[2] == b[2], "the operands do not fit");
  return {checked_type(call, DType::kInt8, {a[0], a[1], b[1]})};
}

}  // namespace

void add_quantized_rules(TypeRules& rules) {
  const std::string qd = "quantized_decomposed::";
  for (const char* overload : {"", ".tensor"}) {
    rules[qd + "quantize_per_tensor" + overload] = quantize_tensor;
    rules[qd + "dequantize_per_tensor" + overload] = dequantize_tensor;
  }
  rules[qd + "quantize_per_channel"] = quantize_channels;
  rules[qd + "dequantize_per_channel"] = dequantize_channels;
  static constexpr std::pair<const char*, TypeRule> kCortexM[] = {
      {"quantize_per_tensor", quantize_tensor},
      {"dequantize_per_tensor", dequantize_to_float},
      {"quantized_add", add_operands},
      {"quantized_mul", multiply_operands},
      {"quantized_div", multiply_operands},
      {"minimum", two_operands},
      {"maximum", two_operands},
      {"quantized_activation", same},
      {"softmax", same},
      {"quantized_linear", linear},
      {"transpose", transpose},
      {"pad", pad},
      {"quantized_conv2d", conv},
      {"quantized_depthwise_conv2d", depthwise},
      {"quantized_transpose_conv2d", transpose_conv},
      {"quantized_avg_pool2d", avg_pool},
      {"quantized_max_pool2d", max_pool},
      {"quantized_batch_matmul", batch_matmul},
      {"quantized_conv2d_nhwc", conv},
      {"quantized_depthwise_conv2d_nhwc", depthwise},
      {"quantized_transpose_conv2d_nhwc", transpose_conv},
      {"quantized_avg_pool2d_nhwc", avg_pool},
      {"quantized_max_pool2d_nhwc", max_pool},
  };
  for (const auto& [name, rule] : kCortexM) rules[std::string("cortex_m::") + name] = rule;
}

}  // namespace wick::compiler
