#include "compiler/onnx_tensor.h"

#include <onnx/onnx.pb.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "files/failure.h"
#include "files/files.h"

namespace wick::compiler {

namespace {

static_assert(std::endian::native == std::endian::little, "ONNX's raw bytes are little-endian, as a .pte's");

constexpr int64_t kMostElements = int64_t{1} << 31;

// Typed fields hold wider numbers than the tensor's own.
template <typename To, typename Field>
void narrow(const Field& field, std::vector<uint8_t>& bytes) {
  for (size_t i = 0; i < bytes.size() / sizeof(To); ++i) {
    const auto value = static_cast<To>(field.Get(static_cast<int>(i)));
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
  }
}

template <typename To, typename Field>
bool fill(const Field& field, std::vector<uint8_t>& bytes) {
  if (static_cast<size_t>(field.size()) != bytes.size() / sizeof(To)) return false;
  narrow<To>(field, bytes);
  return true;
}

bool fill_from_fields(const onnx::TensorProto& tensor, DType dtype, std::vector<uint8_t>& bytes) {
  switch (dtype) {
    case DType::kFloat32:
      return fill<float>(tensor.float_data(), bytes);
    case DType::kFloat64:
      return fill<double>(tensor.double_data(), bytes);
    case DType::kInt64:
      return fill<int64_t>(tensor.int64_data(), bytes);
    case DType::kInt32:
      return fill<int32_t>(tensor.int32_data(), bytes);
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return fill<uint16_t>(tensor.int32_data(), bytes);
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool:
      return fill<uint8_t>(tensor.int32_data(), bytes);
    case DType::kUInt32:
      return fill<uint32_t>(tensor.uint64_data(), bytes);
    case DType::kUInt64:
      return fill<uint64_t>(tensor.uint64_data(), bytes);
  }
  return false;
}

}  // namespace

DType OnnxTensors::dtype(int32_t onnx_type, const std::string& what) const {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
      return DType::kFloat32;
    case onnx::TensorProto::UINT8:
      return DType::kUInt8;
    case onnx::TensorProto::INT8:
      return DType::kInt8;
    case onnx::TensorProto::UINT16:
      return DType::kUInt16;
    case onnx::TensorProto::INT16:
      return DType::kInt16;
    case onnx::TensorProto::INT32:
      return DType::kInt32;
    case onnx::TensorProto::INT64:
      return DType::kInt64;
    case onnx::TensorProto::BOOL:
      return DType::kBool;
    case onnx::TensorProto::FLOAT16:
      return DType::kFloat16;
    case onnx::TensorProto::DOUBLE:
      return DType::kFloat64;
    case onnx::TensorProto::UINT32:
      return DType::kUInt32;
    case onnx::TensorProto::UINT64:
      return DType::kUInt64;
    case onnx::TensorProto::BFLOAT16:
      return DType::kBFloat16;
    default:
      files::fail(model_.string(), ": ", what, " has element type ", onnx_type,
                  " (strings, complex numbers and types below 8 bits are not supported)");
  }
}

SharedArray OnnxTensors::read(const onnx::TensorProto& tensor) {
  const std::string what = "tensor '" + tensor.name() + "'";
  auto array = std::make_shared<files::Array>();
  array->dtype = dtype(tensor.data_type(), what);
  int64_t count = 1;
  for (const int64_t size : tensor.dims()) {
    if (size < 0 || size >= kMostElements || (size > 0 && count > kMostElements / size)) {
      files::fail(model_.string(), ": ", what, " has an impossible size");
    }
    count *= size;
    array->sizes.push_back(static_cast<int32_t>(size));
  }
  const auto bytes = static_cast<size_t>(count) * dtype_bytes(array->dtype);
  const auto wrong = [&](size_t found) {
    files::fail(model_.string(), ": ", what, " is ", files::describe(*array), ", but has data of ", found,
                found == 1 ? " byte" : " bytes");
  };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    read_external(tensor, *array);
    if (array->bytes.size() != bytes) wrong(array->bytes.size());
  } else if (tensor.has_raw_data()) {
    const std::string& raw = tensor.raw_data();
    if (raw.size() != bytes) wrong(raw.size());
    array->bytes.assign(raw.begin(), raw.end());
  } else {
    // No more than the fields can hold: the file's own size bounds it.
    const size_t held = tensor.ByteSizeLong();
    if (static_cast<size_t>(count) > held) wrong(held);
    array->bytes.resize(bytes);
    if (!fill_from_fields(tensor, array->dtype, array->bytes)) {
      files::fail(model_.string(), ": ", what, " is ", files::describe(*array), ", but has another number of elements");
    }
  }
  return array;
}

void OnnxTensors::read_external(const onnx::TensorProto& tensor, files::Array& array) {
  std::string location;
  uint64_t offset = 0, length = UINT64_MAX;
  const auto number = [&](const std::string& text) {
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) {
      files::fail(model_.string(), ": tensor '", tensor.name(), "' lies at '", text, "', which is no number");
    }
    return std::stoull(text);
  };
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = number(entry.value());
    if (entry.key() == "length") length = number(entry.value());
  }
  // A model must not read what lies elsewhere.
  const std::filesystem::path relative(location);
  const bool leaves = relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (location.empty() || leaves) {
    files::fail(model_.string(), ": tensor '", tensor.name(), "' lies in '", location,
                "', which is not below the model's folder; put it there");
  }
  auto found = files_.find(location);
  if (found == files_.end()) {
    found = files_.emplace(location, files::read_file(model_.parent_path() / relative)).first;
  }
  const std::vector<uint8_t>& bytes = found->second;
  if (length == UINT64_MAX) length = *files::array_bytes(array.dtype, array.sizes);
  if (offset > bytes.size() || length > bytes.size() - offset) {
    files::fail(model_.string(), ": tensor '", tensor.name(), "' lies beyond the end of '", location, "'");
  }
  const auto begin = bytes.begin() + static_cast<int64_t>(offset);
  array.bytes.assign(begin, begin + static_cast<int64_t>(length));
}

}  // namespace wick::compiler
