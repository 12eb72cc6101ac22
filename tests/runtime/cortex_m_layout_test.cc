// INT8 operators on tensors whose bytes lie in another order than their sizes: sizes are logical, dim_order says where
// the bytes are. Values are small enough to follow by hand.
#include <doctest.h>

#include "support/int8_program.h"

namespace wick {
namespace {

using test::bytes_from;
using test::bytes_of;
using test::Int8Program;
using test::kChannelsLast;

TEST_CASE("maximum broadcasts a channel vector over a channels-last image") {
  Int8Program p;
  const int32_t image = p.planned({1, 2, 2, 2}, kChannelsLast), vector = p.planned({2, 1, 1});
  const int32_t y = p.planned({1, 2, 2, 2}, kChannelsLast);
  p.builder.inputs({image, vector});
  p.builder.outputs({y});
  p.call("maximum", {image, vector, y});
  std::vector<uint8_t> out;
  REQUIRE(p.run({bytes_of({1, 10, 2, 20, 3, 30, 4, 40}), bytes_of({2, 25})}, &out) == "");
  CHECK(out == bytes_of({2, 25, 2, 25, 3, 30, 4, 40}));
}

TEST_CASE("minimum broadcasts in opposite directions") {
  Int8Program p;
  const int32_t row = p.planned({1, 1, 1, 3}), column = p.planned({1, 1, 2, 1}), y = p.planned({1, 1, 2, 3});
  p.builder.inputs({row, column});
  p.builder.outputs({y});
  p.call("minimum", {row, column, y});
  std::vector<uint8_t> out;
  REQUIRE(p.run({bytes_of({1, 5, 9}), bytes_of({4, 7})}, &out) == "");
  CHECK(out == bytes_of({1, 4, 4, 1, 5, 7}));
}

TEST_CASE("maximum reads operands of different memory orders by logical index") {
  Int8Program p;
  const int32_t a = p.planned({1, 2, 1, 3}, kChannelsLast), b = p.planned({1, 2, 1, 3}), y = p.planned({1, 2, 1, 3});
  p.builder.inputs({a, b});
  p.builder.outputs({y});
  p.call("maximum", {a, b, y});
  std::vector<uint8_t> out;
  // a by channel: 1 2 3 and 10 20 30.
  REQUIRE(p.run({bytes_of({1, 10, 2, 20, 3, 30}), bytes_of({0, 9, 0, 0, 99, 0})}, &out) == "");
  CHECK(out == bytes_of({1, 9, 3, 10, 99, 30}));
}

TEST_CASE("transpose permutes logical dimensions of a channels-last tensor") {
  Int8Program p;
  const int32_t x = p.planned({1, 2, 2, 3}, kChannelsLast), y = p.planned({1, 2, 3, 2});
  p.builder.inputs({x});
  p.builder.outputs({y});
  // Logical NCHW to a plain tensor of logical [N, H, W, C]: the bytes stay as they are.
  p.call("transpose", {x, p.builder.int_list({0, 2, 3, 1}), y});
  std::vector<uint8_t> out;
  REQUIRE(p.run({bytes_from(0, 12)}, &out) == "");
  CHECK(out == bytes_from(0, 12));
}

TEST_CASE("transpose refuses what is no permutation") {
  Int8Program p;
  const int32_t x = p.planned({2, 3}), y = p.planned({2, 2});
  p.builder.inputs({x});
  p.builder.outputs({y});
  p.call("transpose", {x, p.builder.int_list({0, -2}), y});
  std::vector<uint8_t> out;
  const std::string error = p.run({bytes_from(0, 6)}, &out);
  CAPTURE(error);
  CHECK(error.find("entry 1 is -2: not a permutation") != std::string::npos);
}

TEST_CASE("pad takes its borders in memory order") {
  Int8Program p;
  const int32_t x = p.planned({1, 2, 1, 2}, kChannelsLast), y = p.planned({1, 2, 2, 3}, kChannelsLast);
  p.builder.inputs({x});
  p.builder.outputs({y});
  // N, H, W, C: one line before, one column behind.
  p.call("pad", {x, p.builder.int_list({0, 1, 0, 0}), p.builder.int_list({0, 0, 1, 0}), p.builder.integer(-7), y});
  std::vector<uint8_t> out;
  REQUIRE(p.run({bytes_of({1, 10, 2, 20})}, &out) == "");
  CHECK(out == bytes_of({-7, -7, -7, -7, -7, -7, 1, 10, 2, 20, -7, -7}));
}

// softmax of {x, x} is a half each: 128 / 256, at zero point -128.
TEST_CASE("softmax runs over any dimension") {
  for (int32_t dim : {1, 2, 3, -3}) {
    CAPTURE(dim);
    Int8Program p;
    const int32_t x = p.planned({1, 2, 2, 2}, kChannelsLast), y = p.planned({1, 2, 2, 2}, kChannelsLast);
    auto& b = p.builder;
    b.inputs({x});
    b.outputs({y});
    p.call("softmax",
           {x, b.integer(dim), b.integer(0), b.integer(-128), b.integer(1 << 30), b.integer(25), b.integer(-62), y});
    // Element (c, h, w) is 100 * [w or h or c is 1]: only the dimension asked for sees a difference.
    std::vector<int32_t> values;
    for (int32_t h = 0; h < 2; ++h) {
      for (int32_t w = 0; w < 2; ++w) {
        for (int32_t c = 0; c < 2; ++c) values.push_back(100 * (dim == 2 ? h : dim == 3 ? w : c));
      }
    }
    std::vector<uint8_t> out;
    REQUIRE(p.run({bytes_of(values)}, &out) == "");
    for (size_t i = 0; i < 8; ++i) CHECK(static_cast<int8_t>(out[i]) == (values[i] == 0 ? -128 : 127));
  }
}

TEST_CASE("A view that the program left out is read in the memory order of what it views") {
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned({1, 3, 2, 2}, kChannelsLast), copy = p.planned_at(64, {1, 3, 2, 2}, kChannelsLast);
  const int32_t view = p.planned_at(64, {3, 2, 2}), y = p.planned({3, 2, 2});
  p.planned({64});  // room for what lies at 64
  p.planned({64});
  b.inputs({x});
  b.outputs({y});
  p.call("transpose", {x, b.int_list({0, 1, 2, 3}), copy});
  p.call("transpose", {view, b.int_list({0, 1, 2}), y});
  std::vector<uint8_t> out;
  REQUIRE(p.run({bytes_of({0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23})}, &out) == "");
  CHECK(out == bytes_of({0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
}

TEST_CASE("A view that no memory order can express is refused") {
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned({1, 3, 2, 2}, kChannelsLast), copy = p.planned_at(64, {1, 3, 2, 2}, kChannelsLast);
  const int32_t view = p.planned_at(64, {12}), y = p.planned({12});
  p.planned({64});
  p.planned({64});
  b.inputs({x});
  b.outputs({y});
  p.call("transpose", {x, b.int_list({0, 1, 2, 3}), copy});
  p.call("transpose", {view, b.int_list({0}), y});
  std::vector<uint8_t> out;
  const std::string error = p.run({bytes_from(0, 12)}, &out);
  CAPTURE(error);
  CHECK(error.find("is a view of value 1, whose memory order does not fit the view's shape") != std::string::npos);
}

}  // namespace
}  // namespace wick
