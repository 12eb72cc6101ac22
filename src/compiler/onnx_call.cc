#include "compiler/onnx_call.h"

#include "files/failure.h"

namespace wick::compiler {

Value* OnnxCall::in(size_t i) const {
  if (!has(i)) fail("input ", i, " is missing");
  return inputs_[i];
}

const files::Array& OnnxCall::constant(size_t i) const {
  const Value* value = in(i);
  if (!value->is_constant() || value->data == nullptr) {
    fail("input ", i, " ('", i < node_.inputs.size() ? node_.inputs[i] : "", "') must be constant, but depends on the ",
         "model's inputs; export the model with fixed shapes");
  }
  return *value->data;
}

Ints OnnxCall::ints(size_t i) const {
  const files::Array& array = constant(i);
  require(!is_float(array.dtype), "input ", i, " must be integers");
  Ints list;
  for (uint64_t k = 0; k < files::element_count(array); ++k) {
    // Beyond 2^53 only "to the end" is meant.
    list.push_back(array.dtype == DType::kInt64 ? reinterpret_cast<const int64_t*>(array.bytes.data())[k]
                                                : static_cast<int64_t>(files::element(array, k)));
  }
  return list;
}

Doubles OnnxCall::doubles(size_t i) const {
  const files::Array& array = constant(i);
  Doubles list;
  for (uint64_t k = 0; k < files::element_count(array); ++k) list.push_back(files::element(array, k));
  return list;
}

double OnnxCall::number(size_t i) const {
  const files::Array& array = constant(i);
  require(files::element_count(array) == 1, "input ", i, " must be one number");
  return files::element(array, 0);
}

int64_t OnnxCall::whole(size_t i) const {
  const Ints list = ints(i);
  require(list.size() == 1, "input ", i, " must be one number");
  return list[0];
}

template <typename T>
const T* OnnxCall::attribute(const std::string& name) const {
  const auto found = node_.attributes.find(name);
  if (found == node_.attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) fail("attribute '", name, "' is of another type than expected");
  return value;
}

int64_t OnnxCall::integer(const std::string& name, int64_t otherwise) const {
  const auto* value = attribute<int64_t>(name);
  return value == nullptr ? otherwise : *value;
}

double OnnxCall::real(const std::string& name, double otherwise) const {
  const auto* value = attribute<double>(name);
  return value == nullptr ? otherwise : *value;
}

std::string OnnxCall::text(const std::string& name, const std::string& otherwise) const {
  const auto* value = attribute<std::string>(name);
  return value == nullptr ? otherwise : *value;
}

Ints OnnxCall::ints(const std::string& name, Ints otherwise) const {
  const auto* value = attribute<Ints>(name);
  return value == nullptr ? std::move(otherwise) : *value;
}

std::vector<size_t> OnnxCall::axes(const std::string& name, size_t i, size_t rank) const {
  const Ints said = has_attribute(name) ? ints(name, {}) : has(i) ? ints(i) : Ints{};
  std::vector<size_t> list;
  for (const int64_t one : said) list.push_back(wrap(one, rank, "axis"));
  return list;
}

size_t OnnxCall::axis(int64_t otherwise, size_t rank) const { return wrap(integer("axis", otherwise), rank, "axis"); }

Value* OnnxCall::scalar_like(const Value* like, double number) {
  return constant(files::filled(like->type.dtype, std::vector<int32_t>(like->type.sizes.size(), 1), number));
}

Value* OnnxCall::int64s(const Ints& list) {
  files::Array array{DType::kInt64, {static_cast<int32_t>(list.size())}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(list.data());
  array.bytes.assign(bytes, bytes + list.size() * sizeof(int64_t));
  return constant(std::move(array));
}

Value* OnnxCall::view(Value* x, Shape sizes) {
  if (x->type.sizes == sizes) return x;
  return (*this)("aten::view_copy", {x, std::move(sizes)});
}

Value* OnnxCall::permute(Value* x, const Ints& dims) { return (*this)("aten::permute_copy", {x, dims}); }

void OnnxCall::set(size_t i, Value* value) {
  if (i < outputs_.size()) outputs_[i] = value;
}

}  // namespace wick::compiler
