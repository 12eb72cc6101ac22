#include "compiler/torch_json.h"

#include <cmath>
#include <limits>

#include "files/failure.h"

namespace wick::compiler {

Json parse_json(const files::Bytes& text, const std::string& name) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) files::fail(name, ": is no JSON");
  return json;
}

DType dtype_of(const Json& scalar_type) {
  const int64_t number = scalar_type.get<int64_t>();
  if (number >= 1 && number <= 8) return static_cast<DType>(number - 1);
  if (number == 12) return DType::kBool;
  if (number == 13) return DType::kBFloat16;
  if (number == 28) return DType::kUInt16;
  files::fail("tensors of torch.export's ScalarType ", number, " are not supported");
}

bool has(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

int64_t static_int(const Json& sym_int) {
  if (!has(sym_int, "as_int")) files::fail("a size is not a number");
  return sym_int.at("as_int").get<int64_t>();
}

StridedTensor static_tensor(const Json& meta) {
  StridedTensor tensor;
  tensor.dtype = dtype_of(meta.at("dtype"));
  for (const Json& size : meta.at("sizes")) tensor.sizes.push_back(static_int(size));
  for (const Json& stride : meta.at("strides")) tensor.strides.push_back(static_int(stride));
  tensor.offset = static_int(meta.at("storage_offset"));
  return tensor;
}

double float_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  files::fail("'", text, "' is no number");
}

}  // namespace wick::compiler
