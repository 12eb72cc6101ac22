// How the DSP cores' convolution is cut: which plan a layer gets, and that every plan gives the definition's bytes.
// Plans are forced on small layers, which would never choose most of them.
#include "kernels/isa.h"

#ifdef WICK_ISA_DSP
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/dsp/conv2d.h"
#include "kernels/dsp/conv2d_plan.h"
#include "kernels/dsp/conv2d_winograd.h"
#include "reference.h"
#include "support/conv_draws.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::Conv2dS8;
using kernels::DepthwiseConv2dS8;
using kernels::KernelMemory;
using kernels::dsp::ConvPlan;
using kernels::dsp::WeightLayout;
using test::Guarded;
using test::Mood;
using test::Random;

// A layer with weights of `weight` and tables of one value each.
struct Layer {
  Layer(int32_t in_h, int32_t in_w, int32_t in_c, int32_t out_c, int32_t kernel, int32_t stride, int32_t pad)
      : weights(static_cast<size_t>(out_c * kernel * kernel * in_c), 1),
        bias(static_cast<size_t>(out_c), 100),
        multiplier(bias.size(), 1 << 30),
        shift(bias.size(), -9) {
    c.batch = c.groups = c.dilation_h = c.dilation_w = 1;
    c.in_h = in_h, c.in_w = in_w, c.in_c = in_c, c.out_c = out_c;
    c.kernel_h = c.kernel_w = kernel, c.stride_h = c.stride_w = stride, c.pad_h = c.pad_w = pad;
    c.out_h = (in_h + 2 * pad - kernel) / stride + 1, c.out_w = (in_w + 2 * pad - kernel) / stride + 1;
    c.input_offset = 128, c.output_offset = -128, c.act_min = -128, c.act_max = 127;
    c.weights = weights.data(), c.bias = bias.data();
    c.multiplier = multiplier.data(), c.shift = shift.data();
  }
  ConvPlan plan() const { return kernels::dsp::plan_conv2d(c, WeightLayout::kRowMajor); }
  int64_t scratch() const { return kernels::dsp::scratch_bytes(c, plan()); }

  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier, shift;
  Conv2dS8 c = {};
};

TEST_CASE("A convolution's plan survives its packing") {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    ConvPlan plan;
    plan.arithmetic = static_cast<ConvPlan::Arithmetic>(random.in(1, 3));
    plan.direct = random.one_in(2), plan.strip = random.one_in(2);
    plan.row_pairs = random.in(1, 2047), plan.extent = random.in(0, 65535);
    const ConvPlan same = ConvPlan::unpack(plan.pack());
    CHECK(plan.pack() != 0);
    CHECK((plan.pack() & kernels::dsp::kDepthwiseIsConv2d) == 0);
    CHECK(same.arithmetic == plan.arithmetic);
    CHECK(same.direct == plan.direct);
    CHECK(same.strip == plan.strip);
    CHECK(same.row_pairs == plan.row_pairs);
    CHECK(same.extent == plan.extent);
  }
}

TEST_CASE("Layers of small networks take little scratch") {
  const Layer pointwise(25, 5, 64, 64, 1, 1, 0);
  CHECK(pointwise.plan().direct);
  CHECK(pointwise.plan().arithmetic == ConvPlan::kFast);
  CHECK(pointwise.scratch() <= 3200);

  Layer first(49, 10, 1, 64, 10, 2, 5);
  first.c.kernel_w = 4, first.c.pad_w = 1, first.c.out_w = 5;
  CHECK(first.plan().arithmetic == ConvPlan::kFast);
  CHECK_FALSE(first.plan().direct);
  CHECK(first.plan().extent == first.c.out_h);
  CHECK(first.scratch() <= 3200);

  const Layer residual(32, 32, 16, 16, 3, 1, 1);
  CHECK(residual.plan().arithmetic == ConvPlan::kWinograd);
  CHECK(residual.scratch() <= 16 * 1024);

  const Layer wide(10, 640, 8, 8, 5, 1, 2);
  CHECK(wide.plan().strip);
  CHECK(wide.scratch() <= 32 * 1024);
}

TEST_CASE("Fast arithmetic is chosen where it is proven, and only there") {
  for (const size_t o : {3u, 5u}) {  // the tables are read in fours and one by one
    Layer layer(5, 5, 16, 6, 1, 1, 0);
    CHECK(layer.plan().arithmetic == ConvPlan::kFast);
    layer.shift[o] = -31;  // a channel that training switched off: its output is constant
    layer.bias[o] = 1000;
    CHECK(layer.plan().arithmetic == ConvPlan::kFast);
    layer.shift[o] = -23;  // sums of 2^22 and more reach the next integer
    layer.bias[o] = 1 << 22;
    CHECK(layer.plan().arithmetic == ConvPlan::kSums);
    layer.bias[o] = 100;
    layer.shift[o] = 0;
    CHECK(layer.plan().arithmetic == ConvPlan::kSums);
    layer.shift[o] = -9;
    layer.bias[o] = 1 << 30;
    CHECK(layer.plan().arithmetic == ConvPlan::kSums);
    layer.bias[o] = 100;
    layer.multiplier[o] = -1;
    CHECK(layer.plan().arithmetic == ConvPlan::kSums);
  }
}

TEST_CASE("What the core cannot do goes to scalar") {
  Layer grouped(6, 6, 8, 8, 3, 1, 1);
  grouped.c.groups = 2;
  CHECK(grouped.plan().arithmetic == ConvPlan::kScalar);
  Layer dilated(9, 9, 8, 8, 3, 1, 1);
  dilated.c.dilation_w = 2;
  CHECK(dilated.plan().arithmetic == ConvPlan::kScalar);
  Layer padded(6, 6, 8, 8, 3, 1, 1);
  padded.c.input_offset = 129;  // no byte is its zero point
  CHECK(padded.plan().arithmetic == ConvPlan::kScalar);
  Layer far(6, 6, 8, 8, 1, 1, 0);
  far.c.input_offset = -32639;  // the farthest that values with their offset stay in a half
  CHECK(far.plan().arithmetic != ConvPlan::kScalar);
  far.c.input_offset = -32640;
  CHECK(far.plan().arithmetic == ConvPlan::kScalar);
}

ConvPlan draw_plan(Random& random, const Conv2dS8& c, WeightLayout layout) {
  ConvPlan plan = kernels::dsp::plan_conv2d(c, layout);
  REQUIRE(plan.arithmetic != ConvPlan::kScalar);
  const int32_t pairs = (c.out_c + 1) / 2;
  const bool fast = plan.arithmetic != ConvPlan::kSums;
  plan.row_pairs = random.in(1, pairs);
  if (fast && layout == WeightLayout::kRowMajor && kernels::dsp::winograd_applies(c) && !random.one_in(3)) {
    plan.arithmetic = ConvPlan::kWinograd;
    plan.direct = plan.strip = false;
    plan.extent = 2;
    return plan;
  }
  plan.arithmetic = fast && !random.one_in(4) ? ConvPlan::kFast : ConvPlan::kSums;
  if (plan.direct && random.one_in(2)) return plan;
  plan.direct = false;
  plan.strip = random.one_in(3);
  plan.extent = plan.strip ? 4 * random.in(1, 4) : random.in(1, c.out_h);
  return plan;
}

void draw_layer(Random& random, Conv2dS8& c) {
  c = test::draw_conv_shape<Conv2dS8>(random);
  c.groups = c.dilation_w = 1;
  c.in_c = random.one_in(2) ? random.in(1, 9) : 4 * random.in(1, 12);
  c.out_c = random.in(1, 17);
  if (random.one_in(3)) {  // what Winograd takes
    c.kernel_h = c.kernel_w = 3, c.stride_h = c.stride_w = c.dilation_h = 1;
    c.in_c = 4 * random.in(1, random.one_in(4) ? 20 : 4);
    c.in_h = random.in(2, 9), c.in_w = random.in(7, 20);
    c.pad_h = random.in(0, 2), c.pad_w = random.in(0, 2);
    c.out_h = random.in(2, c.in_h + 2), c.out_w = random.in(8, c.in_w + 2);
  } else {
    test::shrink_conv(c, c.in_c);
  }
}

// Small sums with shifts of 1 to 3 land on ties of both signs, also on the fast path.
void draw_tables(Random& random, Mood mood, test::ConvTables& tables) {
  if (random.one_in(4)) return;
  for (size_t o = 0; o < tables.bias.size(); ++o) {
    tables.bias[o] = test::draw_bias(random, Mood::kTies) * (mood == Mood::kTies ? 1 : 500);
    tables.multiplier[o] = random.one_in(3) ? random.in(0, INT32_MAX) : 1 << 30;
    tables.shift[o] = mood == Mood::kTies ? -random.in(1, 3) : -random.in(4, 13);
    if (random.one_in(20)) tables.shift[o] = -31;
  }
}

TEST_CASE("conv2d_s8 is the same however it is cut") {
  uint32_t winograd = 0, strips = 0, bands = 0, direct = 0, sums = 0, far = 0;
  for (uint32_t seed = 0; seed < 3 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = random.one_in(2) ? Mood::kTies : test::draw_mood(random);
    Conv2dS8 c = {};
    draw_layer(random, c);
    const int32_t taps = c.kernel_h * c.kernel_w * c.in_c;
    test::draw_conv_offsets(random, mood, c);
    Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w * c.in_c), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    test::ConvTables tables(random, mood, c, taps);
    draw_tables(random, mood, tables);
    c.weights = weights.data();
    if (c.pad_h == 0 && c.pad_w == 0 && random.one_in(4)) {  // an offset whose zero point is no byte
      const int32_t usual = c.input_offset;
      c.input_offset = random.in(-32639, 32640);
      // Some windows reach out of the image all the same.
      if (kernels::dsp::plan_conv2d(c, WeightLayout::kRowMajor).arithmetic == ConvPlan::kScalar) c.input_offset = usual;
    }
    far += c.input_offset < -127 || c.input_offset > 128;
    const ConvPlan plan = draw_plan(random, c, WeightLayout::kRowMajor);
    CAPTURE(test::describe(c));
    CAPTURE(static_cast<int>(plan.arithmetic));
    CAPTURE(plan.direct);
    CAPTURE(plan.strip);
    CAPTURE(plan.extent);
    CAPTURE(plan.row_pairs);
    winograd += plan.arithmetic == ConvPlan::kWinograd;
    sums += plan.arithmetic == ConvPlan::kSums;
    (plan.direct ? direct : plan.strip ? strips : bands) += 1;
    std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.out_c));
    reference::conv2d(c, input.data(), expected.data());
    const auto force = [&plan](Conv2dS8& p) {
      p.path = plan.pack();
      return KernelMemory{0, static_cast<uint32_t>(kernels::dsp::scratch_bytes(p, plan))};
    };
    test::check_kernel(
        random, c, expected, test::draw_offset(random), force, kernels::dsp::conv2d_s8_prepare,
        [&](const Conv2dS8& p, int8_t* out, void* scratch) { kernels::dsp::conv2d_s8(p, input.data(), out, scratch); });
  }
  // Each way was taken often enough to mean something.
  CHECK(winograd >= 50);
  CHECK(strips >= 50);
  CHECK(bands >= 50);
  CHECK(direct >= 20);
  CHECK(sums >= 50);
  CHECK(far >= 10);
}

TEST_CASE("A depthwise convolution of one channel is the same on the matrix core") {
  for (uint32_t seed = 0x3000; seed < 0x3000 + test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    DepthwiseConv2dS8 c = test::draw_conv_shape<DepthwiseConv2dS8>(random);
    c.in_c = c.dilation_w = 1;
    c.out_c = random.in(1, 20);
    if (random.one_in(3)) c.kernel_w = 4, c.in_w += 4;
    test::shrink_conv(c, 1);
    const int32_t taps = c.kernel_h * c.kernel_w;
    test::draw_conv_offsets(random, mood, c);
    Guarded<int8_t> input(static_cast<size_t>(c.batch * c.in_h * c.in_w), test::draw_offset(random));
    Guarded<int8_t> weights(static_cast<size_t>(c.out_c * taps), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.input_offset, input);
    test::draw_bytes(random, mood, 0, weights);
    test::ConvTables tables(random, mood, c, taps);
    c.weights = weights.data();
    CAPTURE(test::describe(c));
    std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.out_h * c.out_w * c.out_c));
    reference::depthwise_conv2d(c, input.data(), expected.data());
    const auto plan = [](DepthwiseConv2dS8& p) {
      const KernelMemory memory = kernels::dsp::one_channel_depthwise_plan(p);
      REQUIRE((p.path & kernels::dsp::kDepthwiseIsConv2d) != 0);
      return memory;
    };
    test::check_kernel(
        random, c, expected, test::draw_offset(random), plan, [](DepthwiseConv2dS8&, void*) {},
        [&](const DepthwiseConv2dS8& p, int8_t* out, void* scratch) {
          kernels::dsp::one_channel_depthwise(p, input.data(), out, scratch);
        });
  }
}

}  // namespace
}  // namespace wick
#endif
