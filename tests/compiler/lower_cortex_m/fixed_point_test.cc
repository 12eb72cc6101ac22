#include "compiler/lower_cortex_m/fixed_point.h"

#include <doctest.h>

#include <cmath>

namespace wick::compiler {
namespace {

TEST_CASE("Fixed point of a factor is a fraction of 31 bits and a power of two") {
  CHECK(fixed_point(0) == FixedPoint{0, 0});
  CHECK(fixed_point(1) == FixedPoint{1 << 30, 1});
  CHECK(fixed_point(0.5) == FixedPoint{1 << 30, 0});
  CHECK(fixed_point(-0.25) == FixedPoint{-(1 << 30), -1});
  CHECK(fixed_point(0.75) == FixedPoint{1610612736, 0});
  // The fraction rounds up to one: half of it, and a power more.
  CHECK(fixed_point(1 - std::ldexp(1, -40)) == FixedPoint{1 << 30, 1});
  // Half to even: 2^30 + 1/2 stays, 2^30 + 3/2 goes up.
  CHECK(fixed_point(0.5 + std::ldexp(1, -32)) == FixedPoint{1 << 30, 0});
  CHECK(fixed_point(0.5 + 3 * std::ldexp(1, -32)) == FixedPoint{(1 << 30) + 2, 0});
}

TEST_CASE("Bounds of an activation are quantized half to even and end with int8") {
  CHECK(quantized_bound(0, {0.5, 3}) == 3);
  CHECK(quantized_bound(6, {0.5, 3}) == 15);
  CHECK(quantized_bound(0.25, {0.5, 0}) == 0);
  CHECK(quantized_bound(0.75, {0.5, 0}) == 2);
  CHECK(quantized_bound(HUGE_VAL, {0.5, 3}) == 127);
  CHECK(quantized_bound(-HUGE_VAL, {0.5, 3}) == -128);
}

TEST_CASE("Activation table has an entry per input, half away from zero, clamped") {
  const auto table = activation_table([](double x) { return x * x; }, {1, 0}, {2, -128});
  CHECK(table.size() == 256);
  CHECK(table[128 + 1] == -128);  // 1 / 2 - 128 = -127.5
  CHECK(table[128 + 2] == -126);
  CHECK(table[128 + 100] == 127);
  const auto same = activation_table([](double x) { return x; }, {0.1, 5}, {0.1, 5});
  for (int q = -128; q <= 127; ++q) CHECK(same[static_cast<size_t>(q + 128)] == q);
}

}  // namespace
}  // namespace wick::compiler
