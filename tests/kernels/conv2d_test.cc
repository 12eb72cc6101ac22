// conv2d_s8 of this build's instruction set and of scalar:: against the definition, over random shapes.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/conv_draws.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::Conv2dS8;
using test::Guarded;
using test::Mood;
using test::Random;

void check_conv(Random& random, Conv2dS8 c, Mood mood) {
  const int32_t depth = c.in_c / c.groups, taps = c.kernel_h * c.kernel_w * depth;
  test::draw_conv_offsets(random, mood, c);
  Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.in_c), test::draw_offset(random));
  Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
  test::draw_bytes(random, mood, -c.input_offset, input);
  test::draw_bytes(random, mood, 0, weights);
  test::ConvTables tables(random, mood, c, taps);
  c.weights = weights.data();
  CAPTURE(test::describe(c));
  CAPTURE(c.groups);

  std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.out_c));
  reference::conv2d(c, input.data(), expected.data());
  const size_t offset = test::draw_offset(random);
  test::check_kernel(random, c, expected, offset, kernels::scalar::conv2d_s8_plan, kernels::scalar::conv2d_s8_prepare,
                     [&](const Conv2dS8& p, int8_t* out, void* scratch) {
                       kernels::scalar::conv2d_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(
      random, c, expected, offset, kernels::isa::conv2d_s8_plan, kernels::isa::conv2d_s8_prepare,
      [&](const Conv2dS8& p, int8_t* out, void* scratch) { kernels::isa::conv2d_s8(p, input.data(), out, scratch); });
}

TEST_CASE("conv2d_s8 equals the definition over random shapes") {
  for (uint32_t seed = 0; seed < 4 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Conv2dS8 c = test::draw_conv_shape<Conv2dS8>(random);
    c.groups = random.one_in(4) ? random.in(1, 6) : 1;
    c.in_c = random.in(1, 70 / c.groups) * c.groups;
    c.out_c = random.in(1, 70 / c.groups) * c.groups;
    test::shrink_conv(c, c.in_c / c.groups);
    check_conv(random, c, test::draw_mood(random));
  }
}

TEST_CASE("conv2d_s8 equals the definition on the shapes that networks use") {
  struct Common {
    int32_t size, in_c, out_c, kernel, stride, pad;
  };
  static constexpr Common kCommon[] = {
      {5, 64, 64, 1, 1, 0}, {6, 8, 16, 1, 1, 0},  {7, 16, 10, 1, 2, 0}, {6, 16, 16, 3, 1, 1}, {5, 32, 8, 3, 1, 1},
      {8, 3, 8, 3, 2, 1},   {9, 3, 8, 3, 2, 0},   {8, 1, 6, 3, 1, 1},   {9, 1, 4, 5, 1, 0},   {7, 4, 4, 3, 1, 1},
      {6, 12, 7, 3, 1, 1},  {10, 2, 3, 3, 1, 1},  {4, 64, 12, 3, 1, 1}, {5, 17, 5, 1, 1, 0},  {12, 4, 8, 4, 4, 0},
      {1, 64, 31, 1, 1, 0}, {2, 24, 20, 2, 1, 0}, {13, 8, 8, 3, 1, 1},  {3, 70, 70, 1, 1, 0}, {6, 5, 9, 3, 1, 0},
      {5, 32, 70, 1, 1, 0}, {5, 48, 68, 1, 1, 0}, {7, 16, 18, 3, 1, 1}, {5, 24, 67, 3, 2, 1}, {17, 3, 36, 5, 2, 2},
  };
  uint32_t seed = 0x1000;
  for (const Common& common : kCommon) {
    for (Mood mood : {Mood::kOrdinary, Mood::kTies, Mood::kExtremes}) {
      CAPTURE(seed);
      Random random(seed++);
      Conv2dS8 c = {};
      c.batch = c.groups = c.dilation_h = c.dilation_w = 1;
      c.in_h = c.in_w = common.size;
      c.in_h += random.in(0, 2);
      c.in_c = common.in_c, c.out_c = common.out_c;
      c.kernel_h = c.kernel_w = common.kernel, c.stride_h = c.stride_w = common.stride;
      c.pad_h = c.pad_w = common.pad;
      c.out_h = (c.in_h + 2 * c.pad_h - c.kernel_h) / c.stride_h + 1;
      c.out_w = (c.in_w + 2 * c.pad_w - c.kernel_w) / c.stride_w + 1;
      check_conv(random, c, mood);
    }
  }
}

// A kernel that holds sums in fewer than 32 bits, or proves bounds with the bias left out, fails here.
TEST_CASE("conv2d_s8 wraps its accumulator like an int32") {
  for (uint32_t seed = 0x2000; seed < 0x2000 + test::kDraws / 4; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Conv2dS8 c = {};
    c.batch = c.groups = c.dilation_h = c.dilation_w = c.stride_h = c.stride_w = 1;
    c.in_h = c.in_w = c.out_h = c.out_w = 2;
    c.kernel_h = c.kernel_w = 1;
    c.in_c = random.in(1, 70), c.out_c = random.in(1, 20);
    c.input_offset = random.one_in(2) ? 128 : -127;
    c.act_min = -128, c.act_max = 127;
    Guarded<int8_t> input(static_cast<size_t>(4 * c.in_c)), weights(static_cast<size_t>(c.in_c * c.out_c));
    for (size_t i = 0; i < input.size(); ++i) input[i] = random.one_in(2) ? 127 : -128;
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = random.one_in(8) ? 127 : -128;
    std::vector<int32_t> bias(static_cast<size_t>(c.out_c)), multiplier(bias.size()), shift(bias.size());
    for (size_t o = 0; o < bias.size(); ++o) {
      bias[o] = random.one_in(2) ? INT32_MAX - random.in(0, 1000) : INT32_MIN + random.in(0, 1000);
      multiplier[o] = random.in(1 << 30, INT32_MAX);
      shift[o] = random.in(-27, -22);
    }
    c.weights = weights.data(), c.bias = bias.data(), c.multiplier = multiplier.data(), c.shift = shift.data();
    std::vector<int8_t> expected(static_cast<size_t>(4 * c.out_c));
    reference::conv2d(c, input.data(), expected.data());
    test::check_kernel(random, c, expected, 0, kernels::scalar::conv2d_s8_plan, kernels::scalar::conv2d_s8_prepare,
                       [&](const Conv2dS8& p, int8_t* out, void* scratch) {
                         kernels::scalar::conv2d_s8(p, input.data(), out, scratch);
                       });
    test::check_kernel(
        random, c, expected, 0, kernels::isa::conv2d_s8_plan, kernels::isa::conv2d_s8_prepare,
        [&](const Conv2dS8& p, int8_t* out, void* scratch) { kernels::isa::conv2d_s8(p, input.data(), out, scratch); });
  }
}

}  // namespace
}  // namespace wick
