// Picking by indices and masks: places, order, wrapping and refusal.
#include "kernels/pick.h"

#include <doctest.h>

#include <cstdint>

namespace wick::kernels {
namespace {

// picked is [3][2]; rows are picked by one index tensor.
PickByIndex rows_of_two(const int64_t* index, int32_t count, PickAction action) {
  PickByIndex p{};
  p.positions.add(count, {2, 0, 1, 0, 0, 0});
  p.rest.add(2, {1, 1});
  p.indices[0] = {index, true, true, 3, 2};
  p.count = 1;
  p.action = action;
  p.dtype = DType::kFloat32;
  return p;
}

TEST_CASE("pick_by_index reads rows, counting from the end when negative") {
  const int64_t index[3] = {2, -3, 2};
  float picked[6] = {0, 1, 10, 11, 20, 21}, other[6];
  BadIndex bad{};
  REQUIRE(pick_by_index(rows_of_two(index, 3, PickAction::kRead), picked, other, &bad));
  const float expected[6] = {20, 21, 0, 1, 20, 21};
  for (int i = 0; i < 6; ++i) CHECK(other[i] == expected[i]);
}

TEST_CASE("pick_by_index adds where indices repeat") {
  const int64_t index[2] = {1, 1};
  float picked[6] = {0, 0, 100, 100, 0, 0}, other[4] = {1, 2, 3, 4};
  BadIndex bad{};
  REQUIRE(pick_by_index(rows_of_two(index, 2, PickAction::kAdd), picked, other, &bad));
  CHECK(picked[2] == 104.0f);
  CHECK(picked[3] == 106.0f);
}

TEST_CASE("pick_by_index stops at an index out of range and names it") {
  const int64_t index[3] = {0, 3, 1};
  float picked[6] = {}, other[6] = {1, 1, 1, 1, 1, 1};
  BadIndex bad{};
  CHECK_FALSE(pick_by_index(rows_of_two(index, 3, PickAction::kWrite), picked, other, &bad));
  CHECK(bad.value == 3);
  CHECK(bad.which == 0);
  CHECK(picked[0] == 1.0f);
  CHECK(picked[2] == 0.0f);
}

TEST_CASE("pick_by_mask takes the other tensor's elements in order and counts beyond them") {
  PickByMask p{};
  p.positions.add(5, {1, 1});
  p.other_step = 1;
  p.limit = 2;
  p.action = PickAction::kWrite;
  p.dtype = DType::kInt8;
  const uint8_t mask[5] = {1, 0, 1, 1, 0};
  int8_t picked[5] = {}, other[2] = {7, 8};
  CHECK(pick_by_mask(p, mask, picked, other) == 3);
  const int8_t expected[5] = {7, 0, 8, 0, 0};
  for (int i = 0; i < 5; ++i) CHECK(picked[i] == expected[i]);
}

}  // namespace
}  // namespace wick::kernels
