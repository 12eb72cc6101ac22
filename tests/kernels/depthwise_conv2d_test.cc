// depthwise_conv2d_s8 of this build's instruction set and of scalar:: against the definition, over random shapes.
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

using kernels::DepthwiseConv2dS8;
using test::Guarded;
using test::Mood;
using test::Random;

void check_depthwise(Random& random, DepthwiseConv2dS8 c, Mood mood) {
  const int32_t taps = c.kernel_h * c.kernel_w;
  test::draw_conv_offsets(random, mood, c);
  Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.in_c), test::draw_offset(random));
  Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
  test::draw_bytes(random, mood, -c.input_offset, input);
  test::draw_bytes(random, mood, 0, weights);
  test::ConvTables tables(random, mood, c, taps);
  c.weights = weights.data();
  CAPTURE(test::describe(c));

  std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.out_c));
  reference::depthwise_conv2d(c, input.data(), expected.data());
  const size_t offset = test::draw_offset(random);
  test::check_kernel(random, c, expected, offset, kernels::scalar::depthwise_conv2d_s8_plan,
                     kernels::scalar::depthwise_conv2d_s8_prepare,
                     [&](const DepthwiseConv2dS8& p, int8_t* out, void* scratch) {
                       kernels::scalar::depthwise_conv2d_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(random, c, expected, offset, kernels::isa::depthwise_conv2d_s8_plan,
                     kernels::isa::depthwise_conv2d_s8_prepare,
                     [&](const DepthwiseConv2dS8& p, int8_t* out, void* scratch) {
                       kernels::isa::depthwise_conv2d_s8(p, input.data(), out, scratch);
                     });
}

TEST_CASE("depthwise_conv2d_s8 equals the definition over random shapes") {
  for (uint32_t seed = 0; seed < 4 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    DepthwiseConv2dS8 c = test::draw_conv_shape<DepthwiseConv2dS8>(random);
    const int32_t per_input = random.one_in(3) ? random.in(1, 5) : 1;
    c.in_c = random.in(1, 70 / per_input);
    c.out_c = c.in_c * per_input;
    test::shrink_conv(c, 1);
    check_depthwise(random, c, test::draw_mood(random));
  }
}

TEST_CASE("depthwise_conv2d_s8 equals the definition on the shapes that networks use") {
  struct Common {
    int32_t height, width, in_c, per_input, kernel_h, kernel_w, stride, pad_h, pad_w;
  };
  static constexpr Common kCommon[] = {
      {25, 5, 16, 1, 3, 3, 1, 1, 1},
      {12, 12, 8, 1, 3, 3, 1, 1, 1},
      {12, 12, 16, 1, 3, 3, 2, 0, 0},
      {11, 13, 8, 1, 3, 3, 2, 1, 1},
      {6, 6, 24, 1, 3, 3, 1, 1, 1},
      {3, 3, 40, 1, 3, 3, 1, 1, 1},
      {4, 4, 33, 1, 3, 3, 1, 1, 1},
      {9, 7, 12, 1, 5, 5, 1, 2, 2},
      {15, 1, 30, 1, 15, 1, 1, 0, 0},
      {24, 1, 20, 1, 5, 1, 1, 2, 0},
      {20, 10, 1, 8, 10, 4, 2, 4, 1},
      {8, 8, 1, 12, 3, 3, 1, 1, 1},
      {7, 9, 6, 2, 3, 3, 1, 1, 1},
      {10, 3, 4, 1, 3, 3, 1, 1, 1},
      {2, 2, 9, 1, 3, 3, 1, 1, 1},
      {1, 9, 7, 1, 1, 3, 1, 0, 1},
      {8, 8, 17, 1, 2, 2, 2, 0, 0},
      {1, 1, 64, 1, 3, 3, 1, 1, 1},
      // Higher than a band of rows; heights that the unrolled loops don't divide.
      {33, 5, 9, 1, 3, 3, 1, 1, 1},
      {70, 5, 8, 1, 3, 3, 1, 1, 1},
      {37, 6, 11, 1, 3, 3, 1, 1, 1},
      {43, 7, 8, 1, 3, 3, 2, 1, 1},
      {20, 5, 16, 1, 3, 3, 1, 1, 1},
      {25, 10, 1, 33, 10, 4, 2, 5, 1},
  };
  uint32_t seed = 0x1000;
  for (const Common& common : kCommon) {
    for (Mood mood : {Mood::kOrdinary, Mood::kTies, Mood::kExtremes}) {
      CAPTURE(seed);
      Random random(seed++);
      DepthwiseConv2dS8 c = {};
      c.batch = c.dilation_h = c.dilation_w = 1;
      c.in_h = common.height, c.in_w = common.width;
      c.in_c = common.in_c, c.out_c = common.in_c * common.per_input;
      c.kernel_h = common.kernel_h, c.kernel_w = common.kernel_w, c.stride_h = c.stride_w = common.stride;
      c.pad_h = common.pad_h, c.pad_w = common.pad_w;
      c.out_h = (c.in_h + 2 * c.pad_h - c.kernel_h) / c.stride_h + 1;
      c.out_w = (c.in_w + 2 * c.pad_w - c.kernel_w) / c.stride_w + 1;
      check_depthwise(random, c, mood);
    }
  }
}

}  // namespace
}  // namespace wick
