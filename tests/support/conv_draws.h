// Random shapes and tables for the three convolutions, and a line that names a shape when a test fails.
#pragma once

#include <doctest.h>

#include <cstdint>
#include <vector>

#include "support/draws.h"
#include "support/guarded.h"
#include "support/random.h"

namespace wick::test {

// Everything but channels. Padding may differ at the end: output sizes are chosen, not derived from equal borders.
template <typename Conv>
Conv draw_conv_shape(Random& random) {
  static constexpr int32_t kKernels[] = {1, 1, 2, 3, 3, 3, 4, 5};
  static constexpr int32_t kDilations[] = {1, 1, 1, 2, 3};
  static constexpr int32_t kStrides[] = {1, 1, 2, 3};
  Conv c = {};
  c.batch = random.one_in(4) ? 2 : 1;
  c.kernel_h = random.of(kKernels), c.kernel_w = random.of(kKernels);
  c.dilation_h = random.of(kDilations), c.dilation_w = random.one_in(2) ? c.dilation_h : random.of(kDilations);
  c.stride_h = random.of(kStrides), c.stride_w = random.one_in(2) ? c.stride_h : random.of(kStrides);
  const auto axis = [&random](int32_t kernel, int32_t dilation, int32_t stride, int32_t* in, int32_t* out,
                              int32_t* pad) {
    const int32_t extent = (kernel - 1) * dilation + 1;
    // Now and then a border so wide that whole windows lie outside the image.
    *pad = random.one_in(3) ? 0 : random.in(0, random.one_in(8) ? extent + 2 : extent / 2);
    const int32_t pad_end = random.one_in(4) ? random.in(0, extent) : *pad;
    *in = random.in(1, 11);
    while (*in + *pad + pad_end < extent) ++*in;
    *out = (*in + *pad + pad_end - extent) / stride + 1;
  };
  axis(c.kernel_h, c.dilation_h, c.stride_h, &c.in_h, &c.out_h, &c.pad_h);
  axis(c.kernel_w, c.dilation_w, c.stride_w, &c.in_w, &c.out_w, &c.pad_w);
  return c;
}

// Keeps a draw cheap: fewer output rows, then fewer columns, then one image. Any output size is legal.
template <typename Conv>
void shrink_conv(Conv& c, int32_t depth) {
  constexpr int32_t kMostMacs = 24000;
  const auto macs = [&c, depth] {
    return int64_t{c.batch} * c.out_h * c.out_w * c.out_c * c.kernel_h * c.kernel_w * depth;
  };
  while (macs() > kMostMacs && c.out_h > 1) --c.out_h;
  while (macs() > kMostMacs && c.out_w > 1) --c.out_w;
  if (macs() > kMostMacs) c.batch = 1;
}

template <typename Conv>
void draw_conv_offsets(Random& random, Mood mood, Conv& c) {
  c.input_offset = -draw_zero_point(random, mood);
  c.output_offset = mood == Mood::kTies ? random.in(-20, 20) : draw_zero_point(random, mood);
  draw_activation(random, &c.act_min, &c.act_max);
}

// Bias, multipliers and shifts of one convolution.
struct ConvTables {
  template <typename Conv>
  ConvTables(Random& random, Mood mood, Conv& c, int32_t taps)
      : bias(static_cast<size_t>(c.out_c), 4 * (random.next() % 4)),
        multiplier(bias.size(), 4 * (random.next() % 4)),
        shift(bias.size(), 4 * (random.next() % 4)) {
    const bool same_for_all = random.one_in(4);
    // One channel that does not shift to the right can send a whole convolution down a general path, away from ties.
    const bool right_only = mood == Mood::kTies && random.one_in(2);
    for (size_t o = 0; o < bias.size(); ++o) {
      bias[o] = draw_bias(random, mood);
      draw_factor(random, mood, 8000 * (1 + taps / 8), &multiplier[o], &shift[o]);
      if (right_only && shift[o] == 0) shift[o] = -1;
      if (same_for_all) multiplier[o] = multiplier[0], shift[o] = shift[0];
    }
    c.bias = random.one_in(4) ? nullptr : bias.data();
    c.multiplier = multiplier.data();
    c.shift = shift.data();
  }

  Guarded<int32_t> bias, multiplier, shift;
};

// "2x5x6x3 -> 5x6x8, kernel 3x3, stride 1x1, pad 1x1, offset 3"
template <typename Conv>
doctest::String describe(const Conv& c) {
  const auto text = [](int32_t value) { return doctest::toString(value); };
  return text(c.batch) + "x" + text(c.in_h) + "x" + text(c.in_w) + "x" + text(c.in_c) + " -> " + text(c.out_h) + "x" +
         text(c.out_w) + "x" + text(c.out_c) + ", kernel " + text(c.kernel_h) + "x" + text(c.kernel_w) + ", stride " +
         text(c.stride_h) + "x" + text(c.stride_w) + ", pad " + text(c.pad_h) + "x" + text(c.pad_w) + ", offset " +
         text(c.input_offset) + ", bounds " + text(c.act_min) + ".." + text(c.act_max);
}

}  // namespace wick::test
