#include "compiler/quantize/wick_forms.h"

#include <functional>
#include <numeric>

namespace wick::compiler {

const float* floats(const Value* value) { return reinterpret_cast<const float*>(value->data->bytes.data()); }

files::Array array_of(const std::vector<float>& values, const Shape& sizes) {
  files::Array array{DType::kFloat32, {sizes.begin(), sizes.end()}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  array.bytes.assign(bytes, bytes + values.size() * sizeof(float));
  return array;
}

int64_t product(const Shape& sizes, size_t from, size_t to) {
  return std::accumulate(sizes.begin() + static_cast<int64_t>(from), sizes.begin() + static_cast<int64_t>(to),
                         int64_t{1}, std::multiplies<>());
}

Value* reshaped(Builder& build, Value* value, const Shape& sizes) {
  if (value->type.sizes == sizes) return value;
  return build("aten::reshape", {value, Ints(sizes)}, value->name);
}

Value* permuted(Builder& build, Value* value, const std::vector<size_t>& order) {
  bool moves = false;
  Ints dims;
  for (size_t i = 0; i < order.size(); ++i) {
    dims.push_back(static_cast<int64_t>(order[i]));
    moves = moves || order[i] != i;
  }
  return moves ? build("aten::permute", {value, dims}, value->name) : value;
}

Value* summed_last(Builder& build, Value* x, double factor, const std::string& name, float more) {
  const int64_t length = x->type.sizes.back();
  const std::vector<float> weights(static_cast<size_t>(length), static_cast<float>(factor));
  Value* weight = build.constant(name + "_weight", array_of(weights, {1, length}));
  if (more == 0) return build("aten::linear", {x, weight, Argument()}, name);
  return build("aten::linear", {x, weight, build.constant(name + "_bias", array_of({more}, {1}))}, name);
}

Shape with_height(const Shape& sizes) { return {sizes[0], sizes[1], 1, sizes[2]}; }

Value* broadcast(Builder& build, Value* value, const Shape& sizes) {
  if (value->type.sizes == sizes) return value;
  if (!value->is_constant()) {
    Shape padded(sizes.size() - value->type.sizes.size(), 1);
    padded.insert(padded.end(), value->type.sizes.begin(), value->type.sizes.end());
    return build("aten::expand", {reshaped(build, value, padded), Ints(sizes), false}, value->name);
  }
  const int64_t count = product(sizes, 0, sizes.size());
  std::vector<float> wide(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const size_t dim = sizes.size() - 1 - d;
      const int64_t index = rest % sizes[dim];
      rest /= sizes[dim];
      if (d >= value->type.sizes.size()) continue;
      const int64_t size = value->type.sizes[value->type.sizes.size() - 1 - d];
      if (size != 1) at += index * stride;
      stride *= size;
    }
    wide[static_cast<size_t>(i)] = floats(value)[at];
  }
  return build.constant(value->name, array_of(wide, sizes));
}

}  // namespace wick::compiler
