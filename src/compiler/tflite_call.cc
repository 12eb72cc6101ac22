#include "compiler/tflite_call.h"

#include <algorithm>
#include <cmath>

#include "compiler/plan_memory.h"

namespace wick::compiler {

namespace {

const Ints kToImage = {0, 3, 1, 2}, kFromImage = {0, 2, 3, 1};

files::Array reordered(const files::Array& from, const Ints& dims) {
  std::vector<uint8_t> order;
  files::Array to{from.dtype, {}, {}};
  for (const int64_t dim : dims) {
    order.push_back(static_cast<uint8_t>(dim));
    to.sizes.push_back(from.sizes[order.back()]);
  }
  to.bytes = files::to_memory_order(from, order).bytes;
  return to;
}

// Integers with scales, or float16, as float32.
files::Array as_float(const files::Array& from, const std::optional<Quantization>& quantization) {
  files::Array to = files::filled(DType::kFloat32, from.sizes, 0);
  uint64_t inner = 1;
  if (quantization) {
    for (size_t i = static_cast<size_t>(quantization->axis) + 1; i < from.sizes.size(); ++i) {
      inner *= static_cast<uint64_t>(from.sizes[i]);
    }
  }
  for (uint64_t i = 0; i < files::element_count(from); ++i) {
    double value = files::element(from, i);
    if (quantization) {
      const size_t count = quantization->scale.size();
      const size_t at = count == 1 ? 0 : static_cast<size_t>(i / inner) % count;
      value = double{static_cast<float>(value - static_cast<double>(quantization->zero_point[at])) *
                     static_cast<float>(quantization->scale[at])};
    }
    files::set_element(to, i, value);
  }
  return to;
}

}  // namespace

std::string TfCall::name() const {
  if (!op_.outputs.empty()) return model_.tensors[static_cast<size_t>(op_.outputs[0])].name;
  return tflite_operator_name(op_.code);
}

const TfTensor& TfCall::input(size_t i) const {
  if (!has(i)) fail("input ", i, " is missing");
  return model_.tensors[static_cast<size_t>(op_.inputs[i])];
}

const TfTensor& TfCall::output(size_t i) const {
  if (i >= op_.outputs.size()) fail("output ", i, " is missing");
  return model_.tensors[static_cast<size_t>(op_.outputs[i])];
}

TfValue& TfCall::held(size_t i) const {
  if (!has(i)) fail("input ", i, " is missing");
  return values_[static_cast<size_t>(op_.inputs[i])];
}

const files::Array& TfCall::constant(size_t i) const {
  const Value* value = held(i).plain;
  if (value == nullptr || !value->is_constant() || value->data == nullptr) {
    fail("input ", i, " ('", input(i).name,
         "') must be constant, but depends on the model's inputs; convert the model ", "with fixed shapes");
  }
  return *value->data;
}

Ints TfCall::ints(size_t i) const {
  const files::Array& array = constant(i);
  require(array.dtype == DType::kInt32 || array.dtype == DType::kInt64, "input ", i, " must be integers");
  Ints list;
  for (uint64_t k = 0; k < files::element_count(array); ++k) {
    list.push_back(static_cast<int64_t>(files::element(array, k)));
  }
  return list;
}

Value* TfCall::in(size_t i) {
  TfValue& value = held(i);
  if (value.plain == nullptr) value.plain = permute(value.image, kFromImage);
  return value.plain;
}

Value* TfCall::image(size_t i) {
  TfValue& value = held(i);
  if (value.image == nullptr) {
    require(value.plain->type.sizes.size() == 4, "takes images, but input ", i, " has ", value.plain->type.sizes.size(),
            " dimensions");
    value.image =
        value.plain->is_constant() ? constant(reordered(*value.plain->data, kToImage)) : permute(value.plain, kToImage);
  }
  return value.image;
}

Value* TfCall::real(size_t i) {
  Value* value = in(i);
  if (value->type.dtype == DType::kFloat32) return value;
  const TfTensor& tensor = input(i);
  const bool half = value->type.dtype == DType::kFloat16;
  require(value->is_constant() && (half || tensor.quantization), "input ", i, " ('", tensor.name, "') is ",
          dtype_name(value->type.dtype), ", expected float32");
  return builder_.constant(tensor.name, as_float(*value->data, half ? std::nullopt : tensor.quantization));
}

Shape TfCall::sizes(size_t i) {
  const TfValue& value = held(i);
  if (value.plain != nullptr) return value.plain->type.sizes;
  const Shape& s = value.image->type.sizes;
  return {s[0], s[2], s[3], s[1]};
}

bool TfCall::prefers_images() const {
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    if (has(i) && held(i).image != nullptr && held(i).plain == nullptr) return true;
  }
  return false;
}

Value* TfCall::ordered(size_t i, bool images) {
  if (!images) return in(i);
  TfValue& value = held(i);
  if (value.image != nullptr) return value.image;
  const Shape& sizes = value.plain->type.sizes;
  if (sizes.size() == 4) return image(i);
  require(sizes.size() < 4, "has an operand of rank ", sizes.size());
  if (value.plain->type.numel() == 1) return value.plain;
  Shape whole = sizes;
  whole.insert(whole.begin(), 4 - sizes.size(), 1);
  return permute(view(value.plain, whole), kToImage);
}

void TfCall::set(size_t i, Value* value) {
  if (i < op_.outputs.size()) values_[static_cast<size_t>(op_.outputs[i])] = {value, nullptr};
}

void TfCall::set_image(size_t i, Value* value) {
  if (i < op_.outputs.size()) values_[static_cast<size_t>(op_.outputs[i])] = {nullptr, value};
}

TfParams TfCall::params(const TfTensor& tensor) const {
  require(is_int8(tensor), "tensor '", tensor.name, "' is ", dtype_name(tensor.dtype), ", expected int8 with a scale; ",
          "convert the whole model to INT8, or to float");
  require(tensor.quantization->scale.size() == 1, "tensor '", tensor.name, "' has a scale for each channel, which is ",
          "for weights only");
  const double scale = tensor.quantization->scale[0];
  const int64_t zero_point = tensor.quantization->zero_point[0];
  require(scale > 0 && zero_point >= -128 && zero_point <= 127, "tensor '", tensor.name, "' has the impossible scale ",
          scale, " or zero point ", zero_point);
  return {static_cast<float>(scale), static_cast<int32_t>(zero_point)};
}

Value* TfCall::lookup(Value* x, const TfTable& table) {
  bool same = true;
  for (size_t i = 0; i < table.size(); ++i) same = same && table[i] == static_cast<int8_t>(static_cast<int>(i) - 128);
  if (same) return x;
  files::Array array{DType::kInt8, {256}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(table.data());
  array.bytes.assign(bytes, bytes + table.size());
  return (*this)("cortex_m::quantized_activation", {x, constant(std::move(array))});
}

Value* TfCall::requantized(Value* x, size_t i) {
  const TfParams from = params_in(i), to = params_out();
  return from == to ? x : lookup(x, tflite_requantized_table(from, to, false));
}

Value* TfCall::clamped(Value* x, const TfBounds& bounds) {
  return lookup(x, tflite_table([&](int32_t q) -> int64_t { return std::clamp(q, bounds.low, bounds.high); }));
}

Value* TfCall::scratch() {
  Node* node = builder_.graph().add_node(nullptr, kAllocOp, {}, {{DType::kUInt8, {0}, {}}}, name() + "_scratch");
  return node->output();
}

Value* TfCall::scalar_like(const Value* like, double number) {
  return constant(files::filled(like->type.dtype, std::vector<int32_t>(like->type.sizes.size(), 1), number));
}

Value* TfCall::int32s(const Ints& list) {
  files::Array array = files::filled(DType::kInt32, {static_cast<int32_t>(list.size())}, 0);
  for (size_t i = 0; i < list.size(); ++i) files::set_element(array, i, static_cast<double>(list[i]));
  return constant(std::move(array));
}

Value* TfCall::int64s(const Ints& list) {
  files::Array array{DType::kInt64, {static_cast<int32_t>(list.size())}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(list.data());
  array.bytes.assign(bytes, bytes + list.size() * sizeof(int64_t));
  return constant(std::move(array));
}

Value* TfCall::view(Value* x, Shape sizes) {
  if (x->type.sizes == sizes) return x;
  return (*this)("aten::view_copy", {x, std::move(sizes)});
}

// Dimensions of size 1 may go anywhere without a byte being moved.
Value* TfCall::permute(Value* x, const Ints& dims) {
  const Shape& from = x->type.sizes;
  require(dims.size() == from.size(), "permutes ", dims.size(), " dimensions of ", from.size());
  Shape to;
  int64_t last = -1;
  bool moves = false;
  std::vector<bool> seen(from.size(), false);
  for (const int64_t dim : dims) {
    const size_t at = wrap(dim, from.size(), "dimension");
    require(!seen[at], "names a dimension twice");
    seen[at] = true;
    to.push_back(from[at]);
    if (from[at] == 1) continue;
    moves = moves || static_cast<int64_t>(at) < last;
    last = static_cast<int64_t>(at);
  }
  if (!moves) return view(x, to);
  if (x->type.dtype == DType::kInt8 && from.size() <= 4) return (*this)("cortex_m::transpose", {x, dims});
  return (*this)("aten::permute_copy", {x, dims});
}

Value* TfCall::activated(Value* x, int8_t activation) {
  switch (activation) {
    case 0:
      return x;
    case 1:
      return (*this)("aten::relu", {x});
    case 2:
      return (*this)("aten::hardtanh", {x, -1.0, 1.0});
    case 3:
      return (*this)("aten::hardtanh", {x, 0.0, 6.0});
    case 4:
      return (*this)("aten::tanh", {x});
    default:
      fail("its fused activation ", int{activation}, " is not supported");
  }
}

TfWindow tflite_window(TfCall& call, const Shape& sizes, const Ints& kernel, int8_t padding, const Ints& stride,
                       const Ints& dilation) {
  TfWindow w{kernel, stride, dilation, {0, 0}, {0, 0}, {}};
  call.require(padding == 0 || padding == 1, "has the unknown padding ", int{padding});
  for (size_t i = 0; i < 2; ++i) {
    for (const int64_t one : {kernel[i], stride[i], dilation[i]}) {
      call.require(one >= 1 && one <= (1 << 20), "has an impossible window");
    }
    const int64_t reach = (kernel[i] - 1) * dilation[i] + 1;
    if (padding == 0) {
      w.outputs.push_back((sizes[i] + stride[i] - 1) / stride[i]);
      const int64_t total = std::max<int64_t>(0, (w.outputs[i] - 1) * stride[i] + reach - sizes[i]);
      w.before[i] = total / 2;
      w.after[i] = total - w.before[i];
    } else {
      call.require(reach <= sizes[i], "has a window of ", reach, " over ", sizes[i]);
      w.outputs.push_back((sizes[i] - reach) / stride[i] + 1);
    }
  }
  return w;
}

}  // namespace wick::compiler
