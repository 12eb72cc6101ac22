// quantize_* and dequantize_* of this build's instruction set and of scalar:: against their definitions.
#include <doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using test::Guarded;
using test::Random;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Values near ties, far outside the range, and not a number; `inverse_scale` a power of two keeps ties exact.
void draw_floats(Random& random, float scale, Guarded<float>& values) {
  static constexpr float kSpecial[] = {0.0f,   -0.0f,     1e-30f,     -1e-30f, 3e9f,     -3e9f,    1e30f,
                                       -1e30f, kInfinity, -kInfinity, NAN,     70000.0f, -70000.0f};
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t kind = random.next() % 4;
    if (kind == 0) {
      values[i] = random.of(kSpecial);
    } else if (kind == 1) {
      values[i] = (static_cast<float>(random.in(-200, 200)) + 0.5f) * scale;
    } else {
      values[i] = static_cast<float>(random.in(-40000, 40000)) * (kind == 2 ? 0.0123f : 1.1f) * scale;
    }
  }
}

template <typename T, typename KernelFn>
void check_quantize(Random& random, Guarded<float>& input, float inverse, int32_t zero_point, int32_t low, int32_t high,
                    KernelFn kernel) {
  CAPTURE(inverse);
  CAPTURE(zero_point);
  CAPTURE(low);
  CAPTURE(high);
  std::vector<T> expected(input.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<T>(reference::quantize(input[i], inverse, zero_point, low, high));
  }
  const size_t offset = sizeof(T) * (random.next() % (16 / sizeof(T)));
  test::check_plain_kernel(random, expected, offset, [&](T* out) {
    kernel(input.data(), out, static_cast<uint32_t>(input.size()), inverse, zero_point, low, high);
  });
}

TEST_CASE("quantize_f32 equals the definition over random values") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Guarded<float> input(random.next() % 70, 4 * (random.next() % 4));
    // A power of two, so that a fused multiply-add and a rounded product agree.
    const float inverse = std::ldexp(1.0f, random.in(-6, 12));
    draw_floats(random, 1.0f / inverse, input);
    const bool narrow = random.one_in(3);
    const int32_t low8 = narrow ? random.in(-128, 0) : -128, high8 = narrow ? random.in(0, 127) : 127;
    check_quantize<int8_t>(random, input, inverse, random.in(-128, 127), low8, high8, kernels::scalar::quantize_f32_s8);
    check_quantize<int8_t>(random, input, inverse, random.in(-128, 127), low8, high8, kernels::isa::quantize_f32_s8);
    const int32_t low16 = narrow ? random.in(-32768, 0) : -32768, high16 = narrow ? random.in(0, 32767) : 32767;
    const int32_t zero16 = random.one_in(2) ? 0 : random.in(-32768, 32767);
    check_quantize<int16_t>(random, input, inverse, zero16, low16, high16, kernels::scalar::quantize_f32_s16);
    check_quantize<int16_t>(random, input, inverse, zero16, low16, high16, kernels::isa::quantize_f32_s16);
  }
}

TEST_CASE("quantize_f32 rounds the product to float first") {
  for (uint32_t seed = 0x1000; seed < 0x1000 + 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Guarded<float> input(random.next() % 70, 4 * (random.next() % 4));
    const float inverse = 1.0f / (static_cast<float>(random.in(1, 1000000)) * 1e-6f);
    draw_floats(random, 1.0f / inverse, input);
    check_quantize<int8_t>(random, input, inverse, random.in(-128, 127), -128, 127, kernels::scalar::quantize_f32_s8);
    check_quantize<int8_t>(random, input, inverse, random.in(-128, 127), -128, 127, kernels::isa::quantize_f32_s8);
    check_quantize<int16_t>(random, input, inverse, 0, -32768, 32767, kernels::scalar::quantize_f32_s16);
    check_quantize<int16_t>(random, input, inverse, 0, -32768, 32767, kernels::isa::quantize_f32_s16);
  }
}

template <typename T, typename KernelFn>
void check_dequantize(Random& random, Guarded<T>& input, float scale, int32_t zero_point, KernelFn kernel) {
  std::vector<float> expected(input.size());
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<float>(input[i] - zero_point) * scale;
  test::check_plain_kernel(random, expected, 4 * (random.next() % 4), [&](float* out) {
    kernel(input.data(), out, static_cast<uint32_t>(input.size()), scale, zero_point);
  });
}

TEST_CASE("dequantize_f32 equals the definition over random values") {
  for (uint32_t seed = 0; seed < test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const float scale = static_cast<float>(random.in(1, 1000000)) * 1e-6f;
    Guarded<int8_t> bytes(random.next() % 70, test::draw_offset(random));
    bytes.fill_garbage(random);
    const int32_t zero8 = random.in(-128, 127);
    check_dequantize(random, bytes, scale, zero8, kernels::scalar::dequantize_s8_f32);
    check_dequantize(random, bytes, scale, zero8, kernels::isa::dequantize_s8_f32);
    Guarded<int16_t> words(random.next() % 70, 2 * (random.next() % 8));
    words.fill_garbage(random);
    const int32_t zero16 = random.in(-32768, 32767);
    check_dequantize(random, words, scale, zero16, kernels::scalar::dequantize_s16_f32);
    check_dequantize(random, words, scale, zero16, kernels::isa::dequantize_s16_f32);
  }
}

}  // namespace
}  // namespace wick
