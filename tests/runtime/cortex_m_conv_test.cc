// The INT8 convolutions as operators: every release's signature, both layouts, and what each wrong argument is told.
#include <doctest.h>

#include <functional>

#include "reference.h"
#include "support/int8_program.h"
#include "support/random.h"

namespace wick {
namespace {

using test::Int8Program;
using test::Random;

// A 3x3 convolution of [1, 3, 4, 5] to [1, 4, 4, 5]; tests change one thing at a time.
struct ConvSpec {
  const char* name = "quantized_conv2d";
  std::vector<int32_t> in = {1, 3, 4, 5}, out = {1, 4, 4, 5}, weights = {4, 3, 3, 3};
  std::vector<uint8_t> in_order = test::kChannelsLast, out_order = test::kChannelsLast;
  DType in_dtype = DType::kInt8;
  std::vector<int64_t> stride = {1, 1}, pad = {1, 1}, dilation = {1, 1};
  int64_t input_offset = 5, output_offset = -3, act_min = -100, act_max = 90;
  std::vector<int32_t> multipliers = {1 << 30, 1500000000, INT32_MAX, 1 << 30}, shifts = {-6, -7, -8, -5};
  std::vector<int32_t> bias = {10, -20, 3000, 0};
  bool scratch = true, constant_weights = true;
  uint32_t extra_args = 0;
};

std::vector<int8_t> some_weights(size_t count) {
  Random random(7);
  std::vector<int8_t> weights(count);
  for (int8_t& w : weights) w = static_cast<int8_t>(random.in(-128, 127));
  return weights;
}

std::string run(const ConvSpec& s, const std::vector<uint8_t>& input, std::vector<uint8_t>* output) {
  Int8Program p;
  const int32_t x = p.planned(s.in, s.in_order, s.in_dtype), y = p.planned(s.out, s.out_order);
  size_t count = 1;
  for (int32_t size : s.weights) count *= static_cast<size_t>(size);
  const int32_t w =
      s.constant_weights ? p.constant(DType::kInt8, s.weights, some_weights(count)) : p.planned(s.weights);
  auto& b = p.builder;
  std::vector<int32_t> args = {x,
                               w,
                               s.bias.empty() ? b.none() : p.table(s.bias),
                               b.int_list(s.stride),
                               b.int_list(s.pad),
                               b.int_list(s.dilation),
                               b.integer(s.input_offset),
                               b.integer(s.output_offset),
                               p.table(s.multipliers),
                               p.table(s.shifts),
                               b.integer(s.act_min),
                               b.integer(s.act_max)};
  if (s.scratch) args.push_back(p.planned({112}, {}, DType::kUInt8));
  for (uint32_t i = 0; i < s.extra_args; ++i) args.push_back(b.none());
  args.push_back(y);
  b.inputs({x});
  b.outputs({y});
  p.call(s.name, args);
  return p.run({input}, output);
}

struct Parameters {
  int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t dilation_h, dilation_w, groups, input_offset, output_offset, act_min, act_max;
  const int8_t* weights;
  const int32_t *bias, *multiplier, *shift;
};

std::vector<uint8_t> expected_of(const ConvSpec& s, const std::vector<uint8_t>& input) {
  const std::vector<int8_t> weights = some_weights(108);
  const Parameters c = {1,
                        4,
                        5,
                        3,
                        4,
                        5,
                        4,
                        3,
                        3,
                        1,
                        1,
                        1,
                        1,
                        1,
                        1,
                        1,
                        5,
                        -3,
                        -100,
                        90,
                        weights.data(),
                        s.bias.empty() ? nullptr : s.bias.data(),
                        s.multipliers.data(),
                        s.shifts.data()};
  std::vector<uint8_t> output(80);
  reference::conv2d(c, reinterpret_cast<const int8_t*>(input.data()), reinterpret_cast<int8_t*>(output.data()));
  return output;
}

TEST_CASE("quantized_conv2d runs with every release's arguments and in both layouts") {
  const std::vector<uint8_t> input = test::bytes_from(-60, 60);
  ConvSpec with_scratch, without, no_bias, nhwc;
  without.scratch = false;
  no_bias.bias.clear();
  nhwc.name = "quantized_conv2d_nhwc";
  nhwc.in = {1, 4, 5, 3}, nhwc.out = {1, 4, 5, 4};
  nhwc.in_order = nhwc.out_order = {};
  for (const ConvSpec& s : {with_scratch, without, no_bias, nhwc}) {
    std::vector<uint8_t> output;
    CHECK(run(s, input, &output) == "");
    CHECK(output == expected_of(s, input));
  }
}

TEST_CASE("quantized_conv2d says which argument is wrong, and how") {
  struct Wrong {
    std::function<void(ConvSpec&)> spoil;
    const char* told;
  };
  const Wrong wrongs[] = {
      {[](ConvSpec& s) { s.in_order = {}; }, "argument 0 (value 0): expected channels-last memory"},
      {[](ConvSpec& s) { s.out_order = {}; }, "expected channels-last memory"},
      {[](ConvSpec& s) { s.in_dtype = DType::kUInt8; }, "expected int8, found uint8"},
      {[](ConvSpec& s) {
         s.in = {3, 4, 5}, s.in_order = {};
       },
       "expected rank 4, found 3"},
      {[](ConvSpec& s) {
         s.out = {1, 4, 4, 4};
       },
       "output has sizes [1, 4, 4, 4], expected [1, 4, 4, 5]"},
      {[](ConvSpec& s) {
         s.weights = {4, 3, 3, 2};
       },
       "weights read 2 channels at a time, which does not divide"},
      {[](ConvSpec& s) { s.constant_weights = false; }, "expected a constant"},
      {[](ConvSpec& s) {
         s.stride = {0, 1};
       },
       "argument 3"},
      {[](ConvSpec& s) { s.stride = {1}; }, "expected 2 entries, found 1"},
      {[](ConvSpec& s) {
         s.pad = {1, -1};
       },
       "entry 1 is -1, expected 0.."},
      {[](ConvSpec& s) {
         s.dilation = {4, 1};
       },
       "a window of 9 does not fit into 6"},
      {[](ConvSpec& s) { s.input_offset = 129; }, "129 is outside of -127..128"},
      {[](ConvSpec& s) { s.output_offset = 128; }, "128 is outside of -128..127"},
      {[](ConvSpec& s) { s.multipliers[1] = -5; }, "element 1 is -5, expected 0..2147483647"},
      {[](ConvSpec& s) { s.shifts[2] = 31; }, "element 2 is 31, expected -31..30"},
      {[](ConvSpec& s) { s.shifts.pop_back(); }, "expected 4 elements, found 3"},
      {[](ConvSpec& s) { s.bias.push_back(1); }, "expected 4 elements, found 5"},
      {[](ConvSpec& s) { s.act_min = 91; }, "the largest output 90 is below the smallest, 91"},
      {[](ConvSpec& s) { s.extra_args = 3; }, "has 17 arguments, expected 13 or 14"},
  };
  for (const Wrong& wrong : wrongs) {
    ConvSpec s;
    wrong.spoil(s);
    std::vector<uint8_t> output;
    const std::string error = run(s, std::vector<uint8_t>(60), &output);
    CAPTURE(error);
    CAPTURE(wrong.told);
    CHECK(error.find("cortex_m::quantized_conv2d.out (instruction 0)") != std::string::npos);
    CHECK(error.find(wrong.told) != std::string::npos);
  }
}

}  // namespace
}  // namespace wick
