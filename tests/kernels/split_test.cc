// Jobs cut in two (kernels/split.h): the halves, run one after the other, give the definition's bytes of the whole.
#include "kernels/split.h"

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
using kernels::DepthwiseConv2dS8;
using kernels::KernelMemory;
using kernels::LinearS8;
using kernels::SplitAt;
using test::Guarded;
using test::Mood;
using test::Random;

// A job and its two halves behave as one kernel.
template <typename Kind>
struct Both {
  Kind a, b;
  SplitAt at;
  KernelMemory of_a, of_b;
};

uint32_t aligned(uint32_t bytes) { return (bytes + 7) & ~7u; }

template <typename Kind, typename Plan, typename PrepareFn, typename RunFn>
void check_halves(Random& random, const Kind& a, const Kind& b, const SplitAt& at, const int8_t* input,
                  const std::vector<int8_t>& expected, Plan plan, PrepareFn prepare, RunFn run) {
  test::check_kernel(
      random, Both<Kind>{a, b, at, {}, {}}, expected, 0,
      [&](Both<Kind>& both) {
        both.of_a = plan(both.a);
        both.of_b = plan(both.b);
        return KernelMemory{aligned(both.of_a.prepared_bytes) + both.of_b.prepared_bytes,
                            aligned(both.of_a.scratch_bytes) + both.of_b.scratch_bytes};
      },
      [&](Both<Kind>& both, void* prepared) {
        uint8_t* memory = static_cast<uint8_t*>(prepared);
        prepare(both.a, both.of_a.prepared_bytes > 0 ? memory : nullptr);
        prepare(both.b, both.of_b.prepared_bytes > 0 ? memory + aligned(both.of_a.prepared_bytes) : nullptr);
      },
      [&](const Both<Kind>& both, int8_t* output, void* scratch) {
        run(both.a, input, output, scratch);
        uint8_t* second = static_cast<uint8_t*>(scratch);
        if (second != nullptr) second += aligned(both.of_a.scratch_bytes);
        run(both.b, input + both.at.input, output + both.at.output, second);
      });
}

TEST_CASE("split_rows gives halves of a convolution that make the whole") {
  uint32_t halved = 0;
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed + 0x5000);
    const Mood mood = test::draw_mood(random);
    Conv2dS8 c = test::draw_conv_shape<Conv2dS8>(random);
    c.batch = 1;
    c.groups = random.one_in(4) ? random.in(1, 4) : 1;
    c.in_c = random.in(1, 40 / c.groups) * c.groups;
    c.out_c = random.in(1, 40 / c.groups) * c.groups;
    test::shrink_conv(c, c.in_c / c.groups);
    test::draw_conv_offsets(random, mood, c);
    const int32_t taps = c.kernel_h * c.kernel_w * c.in_c / c.groups;
    Guarded<int8_t> input(static_cast<size_t>(c.in_h * c.in_w * c.in_c), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    test::ConvTables tables(random, mood, c, taps);
    c.weights = weights.data();
    CAPTURE(test::describe(c));
    Conv2dS8 a, b;
    SplitAt at;
    if (!kernels::split_rows(c, &a, &b, &at)) continue;
    ++halved;
    CHECK(a.out_h + b.out_h == c.out_h);
    std::vector<int8_t> expected(static_cast<size_t>(c.out_h * c.out_w * c.out_c));
    reference::conv2d(c, input.data(), expected.data());
    check_halves(random, a, b, at, input.data(), expected, kernels::isa::conv2d_s8_plan,
                 kernels::isa::conv2d_s8_prepare, kernels::isa::conv2d_s8);
  }
  CHECK(halved > test::kDraws);
}

TEST_CASE("split_rows gives halves of a depthwise convolution that make the whole") {
  uint32_t halved = 0;
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed + 0x6000);
    const Mood mood = test::draw_mood(random);
    DepthwiseConv2dS8 c = test::draw_conv_shape<DepthwiseConv2dS8>(random);
    c.batch = 1;
    c.in_c = random.in(1, 40);
    c.out_c = c.in_c * (random.one_in(3) ? random.in(1, 3) : 1);
    test::shrink_conv(c, 1);
    test::draw_conv_offsets(random, mood, c);
    const int32_t taps = c.kernel_h * c.kernel_w;
    Guarded<int8_t> input(static_cast<size_t>(c.in_h * c.in_w * c.in_c), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    test::ConvTables tables(random, mood, c, taps);
    c.weights = weights.data();
    CAPTURE(test::describe(c));
    DepthwiseConv2dS8 a, b;
    SplitAt at;
    if (!kernels::split_rows(c, &a, &b, &at)) continue;
    ++halved;
    std::vector<int8_t> expected(static_cast<size_t>(c.out_h * c.out_w * c.out_c));
    reference::depthwise_conv2d(c, input.data(), expected.data());
    check_halves(random, a, b, at, input.data(), expected, kernels::isa::depthwise_conv2d_s8_plan,
                 kernels::isa::depthwise_conv2d_s8_prepare, kernels::isa::depthwise_conv2d_s8);
  }
  CHECK(halved > test::kDraws);
}

TEST_CASE("split_linear gives halves that make the whole") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed + 0x7000);
    const Mood mood = test::draw_mood(random);
    LinearS8 c = {};
    c.rows = random.one_in(2) ? 1 : random.in(2, 6);
    c.in_features = random.in(1, 90);
    c.out_features = random.in(1, 60);
    c.input_offset = -test::draw_zero_point(random, mood);
    c.output_offset = test::draw_zero_point(random, mood);
    test::draw_activation(random, &c.act_min, &c.act_max);
    test::draw_factor(random, mood, 8000 * (1 + c.in_features / 8), &c.multiplier, &c.shift);
    Guarded<int8_t> input(static_cast<size_t>(c.rows * c.in_features), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_features * c.in_features), test::draw_offset(random));
    Guarded<int32_t> bias(static_cast<size_t>(c.out_features), 0);
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    for (size_t o = 0; o < bias.size(); ++o) bias[o] = test::draw_bias(random, mood);
    c.weights = weights.data();
    c.bias = random.one_in(4) ? nullptr : bias.data();
    CAPTURE(c.rows);
    CAPTURE(c.in_features);
    CAPTURE(c.out_features);
    LinearS8 a, b;
    SplitAt at;
    if (!kernels::split_linear(c, &a, &b, &at)) {
      CHECK(c.rows == 1);
      CHECK(c.out_features < 8);
      continue;
    }
    std::vector<int8_t> expected(static_cast<size_t>(c.rows * c.out_features));
    reference::linear(c, input.data(), expected.data());
    check_halves(random, a, b, at, input.data(), expected, kernels::isa::linear_s8_plan,
                 kernels::isa::linear_s8_prepare, kernels::isa::linear_s8);
  }
}

}  // namespace
}  // namespace wick
