// The casts between stored and computed elements, each a loop of one line. Knows nothing of operators.
#include "kernels/convert.h"

#include <type_traits>

#include "kernels/element.h"

namespace wick::kernels {

namespace {

template <typename F>
int64_t saturating_int64(F value) {
  if (!(value >= F(-9223372036854775808.0))) return value != value ? 0 : INT64_MIN;
  if (value >= F(9223372036854775808.0)) return INT64_MAX;
  return static_cast<int64_t>(value);
}

// Stored forms that C++ has no arithmetic type for.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};

template <typename To, typename From>
To convert(From from) {
  if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(half_to_float(from.bits));
  } else if constexpr (std::is_same_v<From, BFloat>) {
    return convert<To>(bfloat_to_float(from.bits));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return from.byte != 0 ? To(1) : To(0);
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{float_to_half(static_cast<float>(from))};
  } else if constexpr (std::is_same_v<To, BFloat>) {
    return BFloat{float_to_bfloat(static_cast<float>(from))};
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{from != From(0) ? uint8_t{1} : uint8_t{0}};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return static_cast<To>(int64_of(from));
  } else {
    return static_cast<To>(from);
  }
}

// Calls each(S{}) with the stored form S of a dtype.
template <typename Each>
void with_stored(DType dtype, Each each) {
  switch (dtype) {
    case DType::kUInt8:
      return each(uint8_t{});
    case DType::kInt8:
      return each(int8_t{});
    case DType::kInt16:
      return each(int16_t{});
    case DType::kInt32:
      return each(int32_t{});
    case DType::kInt64:
      return each(int64_t{});
    case DType::kFloat16:
      return each(Half{});
    case DType::kFloat32:
      return each(float{});
    case DType::kFloat64:
      return each(double{});
    case DType::kBool:
      return each(Bool{});
    case DType::kBFloat16:
      return each(BFloat{});
    case DType::kUInt16:
      return each(uint16_t{});
    case DType::kUInt32:
      return each(uint32_t{});
    case DType::kUInt64:
      return;
  }
}

}  // namespace

int64_t int64_of(float value) { return saturating_int64(value); }
int64_t int64_of(double value) { return saturating_int64(value); }

template <typename T>
void load_block(DType dtype, const void* from, int32_t step, uint32_t count, T* block) {
  with_stored(dtype, [&](auto form) {
    const auto* s = static_cast<const decltype(form)*>(from);
    for (uint32_t i = 0; i < count; ++i) block[i] = convert<T>(s[static_cast<int32_t>(i) * step]);
  });
}

template <typename T>
void store_block(DType dtype, const T* block, uint32_t count, void* to, int32_t step) {
  with_stored(dtype, [&](auto form) {
    auto* s = static_cast<decltype(form)*>(to);
    for (uint32_t i = 0; i < count; ++i) s[static_cast<int32_t>(i) * step] = convert<decltype(form)>(block[i]);
  });
}

template void load_block(DType, const void*, int32_t, uint32_t, float*);
template void load_block(DType, const void*, int32_t, uint32_t, double*);
template void load_block(DType, const void*, int32_t, uint32_t, int64_t*);
template void store_block(DType, const float*, uint32_t, void*, int32_t);
template void store_block(DType, const double*, uint32_t, void*, int32_t);
template void store_block(DType, const int64_t*, uint32_t, void*, int32_t);

}  // namespace wick::kernels
