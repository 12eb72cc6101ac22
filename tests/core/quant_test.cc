// core/quant.h against the definition in 64-bit arithmetic, at the edges where the two roundings meet.
#include "core/quant.h"

#include <doctest.h>

#include <cstdint>

namespace wick {
namespace {

// The definition, step by step in 64 bits: half up at 2^31, then half away from zero at 2^e.
int32_t requantize_by_definition(int32_t value, int32_t multiplier, int32_t shift) {
  const int64_t shifted = static_cast<int32_t>(static_cast<uint32_t>(value) << (shift > 0 ? shift : 0));
  const int64_t product = shifted * multiplier;
  const int32_t high = static_cast<int32_t>((product + (int64_t{1} << 30)) >> 31);
  const int32_t e = shift > 0 ? 0 : -shift;
  if (e == 0) return high;
  const int64_t magnitude = high < 0 ? -static_cast<int64_t>(high) : high;
  const int64_t rounded = (magnitude + (int64_t{1} << (e - 1))) >> e;
  return static_cast<int32_t>(high < 0 ? -rounded : rounded);
}

uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

TEST_CASE("requantize rounds twice") {
  CHECK(requantize(7984, 1583594044, -9) == 12);
  CHECK(requantize(1, 1 << 30, -1) == 1);
  CHECK(requantize(-1, 1 << 30, 0) == 0);    // half up at 2^31
  CHECK(requantize(-2, 1 << 30, -1) == -1);  // half away from zero at 2^e
}

TEST_CASE("requantize equals the definition at the extremes") {
  const int32_t values[] = {INT32_MIN, INT32_MIN + 1, -65537, -3, -2, -1, 0, 1, 2, 3, 65536, INT32_MAX - 1, INT32_MAX};
  const int32_t multipliers[] = {0, 1 << 30, (1 << 30) + 1, 1583594044, INT32_MAX - 1, INT32_MAX};
  for (int32_t value : values) {
    for (int32_t multiplier : multipliers) {
      for (int32_t shift = -31; shift <= 30; ++shift) {
        CAPTURE(value);
        CAPTURE(multiplier);
        CAPTURE(shift);
        REQUIRE(requantize(value, multiplier, shift) == requantize_by_definition(value, multiplier, shift));
      }
    }
  }
}

TEST_CASE("requantize equals the definition on small sums that hit ties") {
  uint32_t state = 12345;
  for (int i = 0; i < 20000; ++i) {
    const int32_t value = static_cast<int32_t>(next_random(state) % 401) - 200;
    const int32_t multiplier =
        (next_random(state) & 1) != 0 ? 1 << 30 : static_cast<int32_t>((1u << 30) + next_random(state) % (1u << 30));
    const int32_t shift = -static_cast<int32_t>(next_random(state) % 4);
    CAPTURE(value);
    CAPTURE(multiplier);
    CAPTURE(shift);
    REQUIRE(requantize(value, multiplier, shift) == requantize_by_definition(value, multiplier, shift));
  }
}

TEST_CASE("doubling_high_mul_sat truncates after the nudge and saturates") {
  CHECK(doubling_high_mul_sat(INT32_MIN, INT32_MIN) == INT32_MAX);
  CHECK(doubling_high_mul_sat(1, 1 << 30) == 1);
  CHECK(doubling_high_mul_sat(-1, 1 << 30) == 0);
  CHECK(doubling_high_mul_sat(-3, 1 << 30) == -1);
  CHECK(doubling_high_mul_sat(3, 1 << 30) == 2);
}

}  // namespace
}  // namespace wick
