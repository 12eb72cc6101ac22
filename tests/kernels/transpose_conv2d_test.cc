// transpose_conv2d_s8 of this build's instruction set and of scalar:: against the definition, over random shapes.
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

using kernels::TransposeConv2dS8;
using test::Guarded;
using test::Mood;
using test::Random;

TransposeConv2dS8 draw_shape(Random& random) {
  TransposeConv2dS8 c = {};
  c.batch = random.one_in(4) ? 2 : 1;
  const auto axis = [&random](int32_t* kernel, int32_t* stride, int32_t* in, int32_t* out, int32_t* pad) {
    *kernel = random.in(1, 5), *stride = random.in(1, 4), *in = random.in(1, 6);
    *pad = random.in(0, *kernel - 1);
    // Up to a stride more than the input reaches: output_padding.
    *out = (*in - 1) * *stride - 2 * *pad + *kernel + random.in(0, *stride - 1);
    if (*out < 1) *out = 1;
  };
  axis(&c.kernel_h, &c.stride_h, &c.in_h, &c.out_h, &c.pad_h);
  axis(&c.kernel_w, &c.stride_w, &c.in_w, &c.out_w, &c.pad_w);
  c.in_c = random.in(1, random.one_in(2) ? 70 : 20), c.out_c = random.in(1, random.one_in(2) ? 70 : 12);
  const auto macs = [&c] { return int64_t{c.batch} * c.in_h * c.in_w * c.in_c * c.kernel_h * c.kernel_w * c.out_c; };
  while (macs() > 40000 && c.out_c > 1) --c.out_c;
  while (macs() > 40000 && c.in_c > 1) --c.in_c;
  return c;
}

TEST_CASE("transpose_conv2d_s8 equals the definition over random shapes") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    TransposeConv2dS8 c = draw_shape(random);
    const int32_t taps = c.kernel_h * c.kernel_w * c.in_c;
    test::draw_conv_offsets(random, mood, c);
    Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.in_c), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    test::ConvTables tables(random, mood, c, taps);
    c.weights = weights.data();
    CAPTURE(test::describe(c));

    std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.out_c));
    reference::transpose_conv2d(c, input.data(), expected.data());
    const size_t offset = test::draw_offset(random);
    test::check_kernel(random, c, expected, offset, kernels::scalar::transpose_conv2d_s8_plan,
                       kernels::scalar::transpose_conv2d_s8_prepare,
                       [&](const TransposeConv2dS8& p, int8_t* out, void* scratch) {
                         kernels::scalar::transpose_conv2d_s8(p, input.data(), out, scratch);
                       });
    test::check_kernel(random, c, expected, offset, kernels::isa::transpose_conv2d_s8_plan,
                       kernels::isa::transpose_conv2d_s8_prepare,
                       [&](const TransposeConv2dS8& p, int8_t* out, void* scratch) {
                         kernels::isa::transpose_conv2d_s8(p, input.data(), out, scratch);
                       });
  }
}

}  // namespace
}  // namespace wick
