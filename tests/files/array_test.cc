#include "files/array.h"

#include <doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace wick;
using namespace wick::files;

namespace {

template <typename T>
Array array_of(DType dtype, std::vector<int32_t> sizes, const std::vector<T>& values) {
  Array array{dtype, std::move(sizes), std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

Array floats(const std::vector<float>& values) {
  return array_of(DType::kFloat32, {static_cast<int32_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("Array goes to channels-last memory order and back") {
  // [1, 2, 2, 3]: element = 100 * c + 10 * h + w.
  const Array logical =
      array_of<uint8_t>(DType::kUInt8, {1, 2, 2, 3}, {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112});
  const std::vector<uint8_t> channels_last = {0, 2, 3, 1};
  const Array memory = to_memory_order(logical, channels_last);
  CHECK(memory.bytes == std::vector<uint8_t>{0, 100, 1, 101, 2, 102, 10, 110, 11, 111, 12, 112});
  CHECK(to_logical_order(memory, channels_last).bytes == logical.bytes);
}

TEST_CASE("Array is permuted only where sizes above 1 change places") {
  const std::vector<uint8_t> channels_last = {0, 2, 3, 1};
  CHECK(is_permuted(std::vector<int32_t>{1, 2, 2, 3}, channels_last));
  CHECK_FALSE(is_permuted(std::vector<int32_t>{1, 1, 28, 28}, channels_last));
  CHECK_FALSE(is_permuted(std::vector<int32_t>{1, 32, 1, 1}, channels_last));
  CHECK(is_permuted(std::vector<int32_t>{2, 3}, std::vector<uint8_t>{1, 0}));
}

TEST_CASE("Compare wants integers equal") {
  const Array a = array_of<int8_t>(DType::kInt8, {3}, {1, -2, 3}), b = array_of<int8_t>(DType::kInt8, {3}, {1, -2, 4});
  CHECK(compare(a, a, {}).matches);
  const Comparison c = compare(a, b, {});
  CHECK_FALSE(c.matches);
  CHECK(c.max_abs_error == 1);
  CHECK(c.difference == "1 of 3 elements differ, the first at [2]: 3, expected 4; largest error 1");
  CHECK(compare(a, b, {1.0, {}}).matches);
  // Apart by less than a double can tell.
  CHECK_FALSE(compare(array_of<int64_t>(DType::kInt64, {1}, {INT64_MAX}),
                      array_of<int64_t>(DType::kInt64, {1}, {INT64_MAX - 1}), {})
                  .matches);
}

TEST_CASE("Compare allows floats a hundred-thousandth of the largest magnitude") {
  CHECK(compare(floats({100.0f, 0.0009f}), floats({100.0f, 0.0f}), {}).matches);
  CHECK_FALSE(compare(floats({100.0f, 0.0011f}), floats({100.0f, 0.0f}), {}).matches);
  CHECK_FALSE(compare(floats({100.0f, 0.0009f}), floats({100.0f, 0.0f}), {0.0, 0.0}).matches);
  CHECK(compare(floats({1.5f}), floats({1.0f}), {{}, 0.5}).matches);
}

TEST_CASE("Compare wants NaN and infinities where they are expected") {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  CHECK(compare(floats({nan, inf, -inf}), floats({nan, inf, -inf}), {}).matches);
  CHECK_FALSE(compare(floats({nan}), floats({1.0f}), {}).matches);
  CHECK_FALSE(compare(floats({inf}), floats({-inf}), {}).matches);
  CHECK_FALSE(compare(floats({1.0f}), floats({inf}), {}).matches);
}

TEST_CASE("Compare tells types and shapes apart") {
  const Comparison c = compare(floats({1.0f}), array_of<int8_t>(DType::kInt8, {1}, {1}), {});
  CHECK_FALSE(c.matches);
  CHECK(c.difference == "is float32 [1], expected int8 [1]");
}

TEST_CASE("Argmax takes the first of the largest") { CHECK(argmax(floats({1.0f, 5.0f, 5.0f, -1.0f})) == 1); }
