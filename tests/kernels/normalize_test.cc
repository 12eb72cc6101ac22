// Normalisation on numbers whose statistics are exact.
#include "kernels/normalize.h"

#include <doctest.h>

#include <cstdint>

#include "kernels/element.h"

namespace wick::kernels {
namespace {

using Loops = Nest<Normalize::kOperands>;

Normalize make(const Loops& groups, const Loops& elements, int32_t count, DType dtype) {
  Normalize n{};
  n.groups = groups.narrowed<3>();
  n.elements = elements.sorted().narrowed<3>();
  n.count = count;
  n.dtype = n.parameter_dtype = n.statistic_dtype = dtype;
  return n;
}

TEST_CASE("normalize_by_own gives rows mean 0 and deviation 1, then weight and bias") {
  Loops groups, elements;
  groups.add(2, {4, 4, 0, 0, 1});
  elements.add(4, {1, 1, 1, 1, 0});
  const Normalize n = make(groups, elements, 4, DType::kFloat32);
  const float x[8] = {-1, 1, -1, 1, 1003, 1005, 1005, 1003}, weight[4] = {1, 2, 3, 4}, bias[4] = {0, 0, 0, 10};
  float y[8], mean[2], reciprocal[2];
  normalize_by_own(n, {x, y, weight, bias}, mean, reciprocal);
  const float expected[8] = {-1, 2, -3, 14, -1, 2, 3, 6};
  for (int i = 0; i < 8; ++i) CHECK(y[i] == expected[i]);
  CHECK(mean[1] == 1004.0f);
  CHECK(reciprocal[1] == 1.0f);
}

TEST_CASE("normalize works on channels that are scattered in memory") {
  // Two images of two pixels and two channels, channels last: groups are channels.
  Loops groups, elements;
  groups.add(2, {1, 1, 1, 1, 1});
  elements.add(2, {4, 4, 0, 0, 0});
  elements.add(2, {2, 2, 0, 0, 0});
  Normalize n = make(groups, elements, 4, DType::kFloat32);
  const float x[8] = {1, 10, 2, 20, 3, 30, 4, 40}, weight[2] = {2, 1}, mean[2] = {2, 10}, variance[2] = {0.25f, 4};
  float y[8];
  normalize(n, {x, y, weight, nullptr}, mean, variance);
  const float expected[8] = {-4, 0, 0, 5, 4, 10, 8, 15};
  for (int i = 0; i < 8; ++i) CHECK(y[i] == expected[i]);
}

TEST_CASE("normalize converts half precision at the edges") {
  Loops groups, elements;
  elements.add(2, {1, 1, 1, 1, 0});
  const Normalize n = make(groups, elements, 2, DType::kFloat16);
  const uint16_t x[2] = {float_to_half(-2.0f), float_to_half(2.0f)};
  uint16_t y[2], mean[1], reciprocal[1];
  normalize_by_own(n, {x, y, nullptr, nullptr}, mean, reciprocal);
  CHECK(half_to_float(y[0]) == -1.0f);
  CHECK(half_to_float(y[1]) == 1.0f);
  CHECK(half_to_float(reciprocal[0]) == 0.5f);
}

TEST_CASE("group_statistics gives the biased variance") {
  Loops groups, elements;
  elements.add(4, {1, 1, 0, 0, 0});
  const Normalize n = make(groups, elements, 4, DType::kFloat64);
  const double x[4] = {1, 2, 3, 6};
  double mean, variance;
  group_statistics(n, x, &mean, &variance);
  CHECK(mean == 3.0);
  CHECK(variance == 3.5);
}

}  // namespace
}  // namespace wick::kernels
