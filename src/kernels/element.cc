// Element conversions by dtype: see element.h.
#include "kernels/element.h"

namespace wick::kernels {

namespace {
template <typename T>
T at(const void* data, int32_t index) {
  return static_cast<const T*>(data)[index];
}
template <typename T, typename V>
void put(void* data, int32_t index, V value) {
  static_cast<T*>(data)[index] = static_cast<T>(value);
}
}  // namespace

float load_f32(const void* data, DType dtype, int32_t index) {
  switch (dtype) {
    case DType::kFloat32:
      return at<float>(data, index);
    case DType::kFloat16:
      return half_to_float(at<uint16_t>(data, index));
    case DType::kBFloat16:
      return bfloat_to_float(at<uint16_t>(data, index));
    case DType::kFloat64:
      return static_cast<float>(at<double>(data, index));
    default:
      return 0.0f;
  }
}

void store_f32(void* data, DType dtype, int32_t index, float value) {
  switch (dtype) {
    case DType::kFloat32:
      return put<float>(data, index, value);
    case DType::kFloat16:
      return put<uint16_t>(data, index, float_to_half(value));
    case DType::kBFloat16:
      return put<uint16_t>(data, index, float_to_bfloat(value));
    case DType::kFloat64:
      return put<double>(data, index, value);
    default:
      return;
  }
}

double load_f64(const void* data, DType dtype, int32_t index) {
  return dtype == DType::kFloat64 ? at<double>(data, index) : load_f32(data, dtype, index);
}

void store_f64(void* data, DType dtype, int32_t index, double value) {
  if (dtype == DType::kFloat64) return put<double>(data, index, value);
  store_f32(data, dtype, index, static_cast<float>(value));
}

int64_t load_i64(const void* data, DType dtype, int32_t index) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
      return at<uint8_t>(data, index);
    case DType::kInt8:
      return at<int8_t>(data, index);
    case DType::kInt16:
      return at<int16_t>(data, index);
    case DType::kUInt16:
      return at<uint16_t>(data, index);
    case DType::kInt32:
      return at<int32_t>(data, index);
    case DType::kUInt32:
      return at<uint32_t>(data, index);
    case DType::kInt64:
    case DType::kUInt64:
      return at<int64_t>(data, index);
    default:
      return 0;
  }
}

void store_i64(void* data, DType dtype, int32_t index, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return put<uint8_t>(data, index, value != 0 ? 1 : 0);
    case DType::kUInt8:
    case DType::kInt8:
      return put<uint8_t>(data, index, value);
    case DType::kInt16:
    case DType::kUInt16:
      return put<uint16_t>(data, index, value);
    case DType::kInt32:
    case DType::kUInt32:
      return put<uint32_t>(data, index, value);
    case DType::kInt64:
    case DType::kUInt64:
      return put<int64_t>(data, index, value);
    default:
      return;
  }
}

}  // namespace wick::kernels
