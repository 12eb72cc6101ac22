// INT8 operators other than convolution: every release's signature, and what each wrong argument is told.
#include <doctest.h>

#include "support/int8_program.h"

namespace wick {
namespace {

using test::bytes_of;
using test::Int8Program;
using test::kChannelsLast;

std::vector<uint8_t> bytes_of_floats(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void check_told(const std::string& error, const char* told) {
  CAPTURE(error);
  CAPTURE(told);
  CHECK(error.find(told) != std::string::npos);
}

struct LinearSpec {
  std::vector<int32_t> in = {2, 3}, out = {2, 2}, weights = {2, 3};
  bool kernel_sum = false;
  std::vector<int64_t> multipliers = {1 << 30}, shifts = {0};
  int64_t act_max = 127;
};

std::string run(const LinearSpec& s, std::vector<uint8_t>* output) {
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned(s.in), y = p.planned(s.out);
  const int32_t w = p.constant(DType::kInt8, s.weights, std::vector<int8_t>{1, 2, 3, -1, 0, 4, 5, 6});
  // Bias {10, -20}; with input_offset 2 the weights' sums 6 and 3 make {22, -14}.
  const int32_t bias = s.kernel_sum ? b.none() : p.table({10, -20});
  const int32_t sum = s.kernel_sum ? p.table({22, -14}) : b.none();
  b.inputs({x});
  b.outputs({y});
  p.call("quantized_linear", {x, w, bias, sum, b.integer(2), b.integer(0), b.integer(1), b.int_list(s.multipliers),
                              b.int_list(s.shifts), b.integer(s.act_max), b.integer(-128), y});
  return p.run({bytes_of({1, 2, 3, -4, 5, 6})}, output);
}

TEST_CASE("quantized_linear takes a bias or a kernel sum and gives the same bytes") {
  // Row 0: 10 + 3*1 + 4*2 + 5*3 = 36, -20 - 3 + 20 = -3; row 1: 10 - 2 + 14 + 24 = 46, -20 + 2 + 32 = 14. Halved, + 1.
  for (bool kernel_sum : {false, true}) {
    LinearSpec s;
    s.kernel_sum = kernel_sum;
    std::vector<uint8_t> out;
    REQUIRE(run(s, &out) == "");
    CHECK(out == bytes_of({19, 0, 24, 8}));
  }
}

TEST_CASE("quantized_linear says which argument is wrong, and how") {
  std::vector<uint8_t> out;
  LinearSpec features, outputs, per_channel, shift, bounds;
  features.in = {3, 2}, features.out = {3, 2};
  check_told(run(features, &out), "weights read 3 features, the input has 2");
  outputs.out = {2, 1};
  check_told(run(outputs, &out), "output has sizes [2, 1], expected [2, 2]");
  per_channel.multipliers = {1 << 30, 1 << 30};
  check_told(run(per_channel, &out), "expected 1 entry, found 2");
  shift.shifts = {31};
  check_told(run(shift, &out), "31 is outside of -31..30");
  bounds.act_max = -129;
  check_told(run(bounds, &out), "-129 is outside of -128..127");
}

TEST_CASE("quantized_batch_matmul runs with and without scratch") {
  for (bool scratch : {false, true}) {
    Int8Program p;
    auto& b = p.builder;
    const int32_t lhs = p.planned({1, 2, 2}), rhs = p.planned({1, 2, 2}), y = p.planned({1, 2, 2});
    std::vector<int32_t> args = {lhs, b.integer(0), rhs, b.integer(1), b.integer(0), b.integer(1 << 30), b.integer(1)};
    if (scratch) args.push_back(p.planned({0}, {}, DType::kUInt8));
    args.push_back(y);
    b.inputs({lhs, rhs});
    b.outputs({y});
    p.call("quantized_batch_matmul", args);
    std::vector<uint8_t> out;
    REQUIRE(p.run({bytes_of({1, 2, 3, 4}), bytes_of({0, 1, 2, 3})}, &out) == "");
    CHECK(out == bytes_of({5, 11, 11, 25}));
  }
}

TEST_CASE("quantized_avg_pool2d runs with every release's arguments") {
  for (uint32_t count : {8u, 9u, 10u}) {
    CAPTURE(count);
    Int8Program p;
    auto& b = p.builder;
    const bool ceil_mode = count == 10;
    const int32_t x = p.planned({1, 1, 3, 3}, kChannelsLast);
    const int32_t y = p.planned(ceil_mode ? std::vector<int32_t>{1, 1, 2, 2} : std::vector<int32_t>{1, 1, 1, 1});
    std::vector<int32_t> args = {x, b.int_list({2, 2}), b.int_list({2, 2}), b.int_list({0, 0})};
    if (ceil_mode) args.push_back(b.boolean(true));
    for (int i = 0; i < 3; ++i) args.push_back(b.integer(0));
    if (count >= 9) args.push_back(p.planned({0}, {}, DType::kUInt8));
    args.push_back(y);
    b.inputs({x});
    b.outputs({y});
    p.call("quantized_avg_pool2d", args);
    std::vector<uint8_t> out;
    REQUIRE(p.run({bytes_of({-1, -2, 5, -3, -4, 8, 7, 9, -9})}, &out) == "");
    // Halves away from zero; partial windows average what they have.
    CHECK(out == (ceil_mode ? bytes_of({-3, 7, 8, -9}) : bytes_of({-3})));
  }
}

std::string run_max_pool(std::vector<int64_t> dilation, int64_t out_zero_point, std::vector<int64_t> pad,
                         std::vector<int32_t> sizes = {2, 2}, std::vector<int32_t> expected = {-1, 8, 8, 8}) {
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned({1, 1, 3, 3}, kChannelsLast), y = p.planned({1, 1, sizes[0], sizes[1]}, kChannelsLast);
  b.inputs({x});
  b.outputs({y});
  p.call("quantized_max_pool2d",
         {x, b.int_list({2, 2}), b.int_list({1, 1}), b.int_list(pad), b.int_list(dilation), b.boolean(false),
          b.integer(4), b.integer(out_zero_point), b.integer(-128), b.integer(8), y});
  std::vector<uint8_t> out;
  const std::string error = p.run({bytes_of({-1, -2, 5, -3, -4, 8, 7, 9, -9})}, &out);
  if (error.empty()) CHECK(out == bytes_of(expected));
  return error;
}

TEST_CASE("quantized_max_pool2d clamps, and refuses what it is not defined for") {
  CHECK(run_max_pool({1, 1}, 4, {0, 0}) == "");
  // Rows 0 and 2: the largest of -1, -2, 7, 9 and of -2, 5, 9, -9, both clamped.
  CHECK(run_max_pool({2, 1}, 4, {0, 0}, {1, 2}, {8, 8}) == "");
  // Rows 0 and 2 of columns 0 and 2, with a border of one: each window holds one or two rows and columns.
  CHECK(run_max_pool({2, 2}, 4, {1, 1}, {3, 3}, {-4, 8, -4, 8, 7, 8, -4, 8, -4}) == "");
  check_told(run_max_pool({1, 1}, 5, {0, 0}), "zero point 5 differs from the input's, 4");
  check_told(run_max_pool({1, 1}, 4, {2, 0}), "padding 2x0 is more than half of the window, 2x2");
}

std::string run_quantize(double scale, int64_t zero_point, int64_t dtype, std::vector<uint8_t>* out) {
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned({4}, {}, DType::kFloat32), y = p.planned({4});
  b.inputs({x});
  b.outputs({y});
  p.call("quantize_per_tensor",
         {x, b.number(scale), b.integer(zero_point), b.integer(-128), b.integer(127), b.integer(dtype), y});
  return p.run({bytes_of_floats({0.25f, 0.75f, -1e9f, 1e30f})}, out);
}

TEST_CASE("quantize_per_tensor rounds halves to even and saturates, and refuses bad scales and types") {
  std::vector<uint8_t> out;
  REQUIRE(run_quantize(0.5, 3, 1, &out) == "");
  CHECK(out == bytes_of({3, 5, -128, 127}));
  check_told(run_quantize(0.0, 3, 1, &out), "expected a positive finite scale");
  check_told(run_quantize(-1.0, 3, 1, &out), "expected a positive finite scale");
  check_told(run_quantize(1.0 / 0.0, 3, 1, &out), "expected a positive finite scale");
  check_told(run_quantize(0.0 / 0.0, 3, 1, &out), "expected a positive finite scale");
  check_told(run_quantize(0.5, 200, 1, &out), "200 is outside of -128..127");
  check_told(run_quantize(0.5, 3, 0, &out), "expected int8 (1) or int16 (2), found 0");
  check_told(run_quantize(0.5, 3, 2, &out), "expected int16, found int8");
}

TEST_CASE("quantized_add subtracts with a negative multiplier, quantized_div divides in float") {
  std::vector<uint8_t> out;
  {
    Int8Program p;
    auto& b = p.builder;
    const int32_t x = p.planned({3}), z = p.planned({3}), y = p.planned({3});
    b.inputs({x, z});
    b.outputs({y});
    // Both halved, the sum doubled: x - (z - 1).
    p.call("quantized_add",
           {x, b.integer(0), b.integer(1 << 30), b.integer(0), z, b.integer(1), b.integer(-(1 << 30)), b.integer(0),
            b.integer(0), b.integer(1 << 30), b.integer(-18), b.integer(-128), b.integer(127), y});
    REQUIRE(p.run({bytes_of({5, 100, -100}), bytes_of({3, -100, 50})}, &out) == "");
    CHECK(out == bytes_of({3, 127, -128}));
  }
  Int8Program p;
  auto& b = p.builder;
  const int32_t x = p.planned({4}), z = p.planned({4}), y = p.planned({4});
  b.inputs({x, z});
  b.outputs({y});
  p.call("quantized_div", {x, b.integer(0), z, b.integer(0), b.integer(1), b.number(0.5), y});
  REQUIRE(p.run({bytes_of({3, -3, 7, 127}), bytes_of({1, 1, 0, 0})}, &out) == "");
  CHECK(out == bytes_of({3, -1, 1, 1}));
}

TEST_CASE("quantized_activation wants a table of 256 entries") {
  for (int32_t entries : {256, 255}) {
    Int8Program p;
    std::vector<int8_t> lut(static_cast<size_t>(entries));
    for (size_t i = 0; i < lut.size(); ++i) lut[i] = static_cast<int8_t>(-static_cast<int32_t>(i % 100));
    const int32_t x = p.planned({3}), y = p.planned({3}), table = p.constant(DType::kInt8, {entries}, lut);
    p.builder.inputs({x});
    p.builder.outputs({y});
    p.call("quantized_activation", {x, table, y});
    std::vector<uint8_t> out;
    const std::string error = p.run({bytes_of({-128, -127, 0})}, &out);
    if (entries == 256) {
      CHECK(error == "");
      CHECK(out == bytes_of({0, -1, -28}));
    } else {
      check_told(error, "expected a table of 256 entries, found 255");
    }
  }
}

}  // namespace
}  // namespace wick
