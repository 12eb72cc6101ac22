// Element encodings at their edges; the expected bits are IEEE 754's.
#include "kernels/element.h"

#include <doctest.h>

#include <cmath>
#include <cstdint>

namespace wick::kernels {
namespace {

TEST_CASE("half conversion meets the edges of the format") {
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0xc000) == -2.0f);
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(half_to_float(0x0001) == 0x1p-24f);
  CHECK(half_to_float(0x8400) == -0x1p-14f);
  CHECK(std::isinf(half_to_float(0x7c00)));
  CHECK(std::isnan(half_to_float(0x7e00)));
  CHECK(float_to_half(65519.0f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(-0.0f) == 0x8000);
  CHECK(float_to_half(0x1p-25f) == 0x0000);           // tie to even
  CHECK(float_to_half(0x1.8p-24f) == 0x0002);         // tie to even
  CHECK(float_to_half(1.0f + 0x1p-11f) == 0x3c00);    // tie to even
  CHECK(float_to_half(1.0f + 0x1.8p-10f) == 0x3c02);  // tie to even
  CHECK(float_to_half(0x1.ffep-15f) == 0x0400);       // rounds up to the smallest normal
}

TEST_CASE("every half survives the way to float and back") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0) continue;
    CAPTURE(h);
    REQUIRE(float_to_half(half_to_float(static_cast<uint16_t>(h))) == h);
  }
}

TEST_CASE("bfloat16 rounds half to even") {
  CHECK(bfloat_to_float(0x3f80) == 1.0f);
  CHECK(float_to_bfloat(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(float_to_bfloat(1.0f + 0x1.8p-7f) == 0x3f82);
  CHECK(float_to_bfloat(-1.0f - 0x1.1p-8f) == 0xbf81);
  CHECK(float_to_bfloat(NAN) == 0x7fc0);
}

TEST_CASE("elements convert by dtype") {
  uint16_t halves[2] = {0x3c00, 0};
  store_f32(halves, DType::kFloat16, 1, -0.5f);
  CHECK(load_f32(halves, DType::kFloat16, 0) == 1.0f);
  CHECK(load_f64(halves, DType::kFloat16, 1) == -0.5);
  int8_t bytes[2] = {-3, 0};
  store_i64(bytes, DType::kInt8, 1, 200);
  CHECK(load_i64(bytes, DType::kInt8, 0) == -3);
  CHECK(load_i64(bytes, DType::kInt8, 1) == -56);
}

}  // namespace
}  // namespace wick::kernels
