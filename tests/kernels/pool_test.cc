// avg_pool2d_s8 and max_pool2d_s8 of this build's instruction set and of scalar:: against their definitions.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::Pool2d;
using test::Guarded;
using test::Mood;
using test::Random;

void check_pools(Random& random, Pool2d c, Mood mood) {
  test::draw_activation(random, &c.act_min, &c.act_max);
  Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.channels), test::draw_offset(random));
  test::draw_bytes(random, mood, random.in(-10, 10), input);
  CAPTURE(c.in_h);
  CAPTURE(c.in_w);
  CAPTURE(c.channels);
  CAPTURE(c.out_h);
  CAPTURE(c.out_w);
  CAPTURE(c.kernel_h);
  CAPTURE(c.kernel_w);
  CAPTURE(c.stride_h);
  CAPTURE(c.stride_w);
  CAPTURE(c.pad_h);
  CAPTURE(c.pad_w);
  CAPTURE(c.act_min);
  CAPTURE(c.act_max);
  std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.channels));
  const size_t offset = test::draw_offset(random);
  const auto nothing = [](Pool2d&, void*) {};

  reference::avg_pool2d(c, input.data(), expected.data());
  test::check_kernel(random, c, expected, offset, kernels::scalar::avg_pool2d_s8_plan, nothing,
                     [&](const Pool2d& p, int8_t* out, void* scratch) {
                       kernels::scalar::avg_pool2d_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(
      random, c, expected, offset, kernels::isa::avg_pool2d_s8_plan, nothing,
      [&](const Pool2d& p, int8_t* out, void* scratch) { kernels::isa::avg_pool2d_s8(p, input.data(), out, scratch); });

  reference::max_pool2d(c, input.data(), expected.data());
  test::check_kernel(random, c, expected, offset, kernels::scalar::max_pool2d_s8_plan, nothing,
                     [&](const Pool2d& p, int8_t* out, void* scratch) {
                       kernels::scalar::max_pool2d_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(
      random, c, expected, offset, kernels::isa::max_pool2d_s8_plan, nothing,
      [&](const Pool2d& p, int8_t* out, void* scratch) { kernels::isa::max_pool2d_s8(p, input.data(), out, scratch); });
}

TEST_CASE("pools equal the definition over random shapes") {
  for (uint32_t seed = 0; seed < 3 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Pool2d c = {};
    c.batch = random.one_in(4) ? 2 : 1;
    c.channels = random.in(1, 70);
    // Windows may hang over the end as well (ceil_mode), but each starts inside the image or its leading border.
    const auto axis = [&random](int32_t* in, int32_t* kernel, int32_t* stride, int32_t* pad, int32_t* out) {
      *kernel = random.in(1, 5), *stride = random.in(1, 4), *in = random.in(1, 10);
      *pad = random.one_in(2) ? 0 : random.in(0, *kernel / 2);
      *out = (*in + *pad - 1) / *stride + 1;
      if (random.one_in(2)) *out = *in + 2 * *pad >= *kernel ? (*in + 2 * *pad - *kernel) / *stride + 1 : 1;
    };
    axis(&c.in_h, &c.kernel_h, &c.stride_h, &c.pad_h, &c.out_h);
    axis(&c.in_w, &c.kernel_w, &c.stride_w, &c.pad_w, &c.out_w);
    check_pools(random, c, test::draw_mood(random));
  }
}

TEST_CASE("a maximum over dilated windows equals the definition") {
  for (uint32_t seed = 0x2000; seed < 0x2000 + test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Pool2d c = {};
    c.batch = random.in(1, 2), c.channels = random.in(1, 40);
    test::draw_activation(random, &c.act_min, &c.act_max);
    const auto axis = [&random](int32_t* in, int32_t* kernel, int32_t* stride, int32_t* pad, int32_t* dilation,
                                int32_t* out) {
      *kernel = random.in(1, 4), *stride = random.in(1, 3), *dilation = random.in(1, 3), *in = random.in(1, 12);
      const int32_t reach = (*kernel - 1) * *dilation + 1;
      *pad = random.in(0, reach / 2);
      while (*in + 2 * *pad < reach) ++*in;
      *out = (*in + 2 * *pad - reach) / *stride + 1;
      if (*out * *stride < *in + *pad && random.one_in(2)) ++*out;  // ceil_mode
    };
    axis(&c.in_h, &c.kernel_h, &c.stride_h, &c.pad_h, &c.dilation_h, &c.out_h);
    axis(&c.in_w, &c.kernel_w, &c.stride_w, &c.pad_w, &c.dilation_w, &c.out_w);
    Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.channels), test::draw_offset(random));
    test::draw_bytes(random, Mood::kOrdinary, 0, input);
    std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.channels));
    reference::max_pool2d(c, input.data(), expected.data());
    test::check_kernel(
        random, c, expected, test::draw_offset(random), kernels::isa::max_pool2d_s8_plan, [](Pool2d&, void*) {},
        [&](const Pool2d& q, int8_t* out, void* scratch) {
          kernels::isa::max_pool2d_s8(q, input.data(), out, scratch);
        });
  }
}

TEST_CASE("pools equal the definition on the shapes that networks use") {
  // height, width, channels, kernel_h, kernel_w, stride, pad
  static constexpr int32_t kShapes[][7] = {{25, 5, 64, 25, 5, 1, 0}, {8, 8, 64, 8, 8, 1, 0},    {7, 7, 32, 7, 7, 7, 0},
                                           {12, 12, 8, 2, 2, 2, 0},  {12, 12, 12, 3, 3, 2, 1},  {11, 9, 5, 3, 3, 1, 1},
                                           {13, 13, 6, 2, 2, 2, 0},  {20, 20, 1, 20, 20, 1, 0}, {9, 9, 16, 3, 3, 2, 0}};
  uint32_t seed = 0x1000;
  for (const auto& shape : kShapes) {
    for (Mood mood : {Mood::kOrdinary, Mood::kTies, Mood::kExtremes}) {
      CAPTURE(seed);
      Random random(seed++);
      Pool2d c = {};
      c.batch = 1;
      c.in_h = shape[0], c.in_w = shape[1], c.channels = shape[2], c.kernel_h = shape[3], c.kernel_w = shape[4];
      c.stride_h = c.stride_w = shape[5], c.pad_h = c.pad_w = shape[6];
      c.out_h = (c.in_h + 2 * c.pad_h - c.kernel_h) / c.stride_h + 1;
      c.out_w = (c.in_w + 2 * c.pad_w - c.kernel_w) / c.stride_w + 1;
      check_pools(random, c, mood);
    }
  }
}

}  // namespace
}  // namespace wick
