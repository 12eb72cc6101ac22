// Convolution and linear against CMSIS-NN itself: FNV-1a of the outputs of its own kernels (commit 99f736a), recorded
// on an emulated Cortex-M33 with the formulas below for data. Whole layers of real networks, each with its own path.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"

namespace wick {
namespace {

using kernels::Conv2dS8;
using kernels::DepthwiseConv2dS8;
using kernels::LinearS8;

int32_t log2_ceil(int32_t value) {
  int32_t bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

uint32_t hash(const std::vector<int8_t>& bytes) {
  uint32_t h = 2166136261u;
  for (int8_t byte : bytes) h = (h ^ static_cast<uint8_t>(byte)) * 16777619u;
  return h;
}

// Inputs, weights and tables of one layer; `depth` products per output.
struct Data {
  Data(int32_t inputs, int32_t weight_count, int32_t outputs, int32_t depth)
      : input(static_cast<size_t>(inputs)),
        weights(static_cast<size_t>(weight_count)),
        bias(static_cast<size_t>(outputs)),
        multiplier(bias.size()),
        shift(bias.size(), -(6 + (log2_ceil(depth) + 1) / 2)) {
    for (int32_t i = 0; i < inputs; ++i) input[static_cast<size_t>(i)] = static_cast<int8_t>(i * 37 % 255 - 127);
    for (int32_t i = 0; i < weight_count; ++i) {
      weights[static_cast<size_t>(i)] = static_cast<int8_t>((i * 53 + 7) % 255 - 127);
    }
    for (int32_t i = 0; i < outputs; ++i) {
      bias[static_cast<size_t>(i)] = i * 97 % 2001 - 1000;
      multiplier[static_cast<size_t>(i)] = (1 << 30) + i * 12345;
    }
  }
  std::vector<int8_t> input, weights;
  std::vector<int32_t> bias, multiplier, shift;
};

template <typename Params, typename Plan, typename Prepare, typename Run>
uint32_t run_and_hash(Params params, size_t outputs, Plan plan, Prepare prepare, Run run) {
  const kernels::KernelMemory memory = plan(params);
  std::vector<uint64_t> prepared(memory.prepared_bytes / 8 + 1), scratch(memory.scratch_bytes / 8 + 1);
  std::vector<int8_t> output(outputs);
  prepare(params, prepared.data());
  run(params, output.data(), scratch.data());
  return hash(output);
}

struct ConvCase {
  int32_t h, w, in_c, out_c, kernel_h, kernel_w, stride, pad_h, pad_w;
  uint32_t hash;
};

template <typename Conv>
Conv conv_of(const ConvCase& k, const Data& data) {
  Conv c = {};
  c.batch = c.dilation_h = c.dilation_w = 1;
  c.in_h = k.h, c.in_w = k.w, c.in_c = k.in_c, c.out_c = k.out_c;
  c.kernel_h = k.kernel_h, c.kernel_w = k.kernel_w, c.stride_h = c.stride_w = k.stride;
  c.pad_h = k.pad_h, c.pad_w = k.pad_w;
  c.out_h = (k.h + 2 * k.pad_h - k.kernel_h) / k.stride + 1, c.out_w = (k.w + 2 * k.pad_w - k.kernel_w) / k.stride + 1;
  c.input_offset = 3, c.output_offset = -5, c.act_min = -128, c.act_max = 127;
  c.weights = data.weights.data(), c.bias = data.bias.data();
  c.multiplier = data.multiplier.data(), c.shift = data.shift.data();
  return c;
}

TEST_CASE("conv2d_s8 gives CMSIS-NN's bytes on layers of real networks") {
  static constexpr ConvCase kCases[] = {
      {48, 48, 8, 16, 1, 1, 1, 0, 0, 0xca829e91},  {25, 5, 64, 64, 1, 1, 1, 0, 0, 0x91fb5fdb},
      {32, 32, 16, 16, 3, 3, 1, 1, 1, 0x9886f405}, {49, 10, 1, 64, 10, 4, 2, 5, 1, 0xc3b58226},
      {96, 96, 3, 8, 3, 3, 2, 1, 1, 0x5250e1e6},   {32, 32, 3, 16, 3, 3, 1, 1, 1, 0xd3102305},
  };
  for (const ConvCase& k : kCases) {
    const int32_t depth = k.kernel_h * k.kernel_w * k.in_c;
    const Data data(k.h * k.w * k.in_c, depth * k.out_c, k.out_c, depth);
    Conv2dS8 c = conv_of<Conv2dS8>(k, data);
    c.groups = 1;
    CAPTURE(c.in_h);
    CAPTURE(c.in_c);
    CHECK(run_and_hash(c, static_cast<size_t>(c.out_h * c.out_w * c.out_c), kernels::isa::conv2d_s8_plan,
                       kernels::isa::conv2d_s8_prepare, [&data](const Conv2dS8& p, int8_t* out, void* scratch) {
                         kernels::isa::conv2d_s8(p, data.input.data(), out, scratch);
                       }) == k.hash);
  }
}

TEST_CASE("depthwise_conv2d_s8 gives CMSIS-NN's bytes on layers of real networks") {
  static constexpr ConvCase kCases[] = {
      {48, 48, 8, 8, 3, 3, 1, 1, 1, 0x01a042a0},
      {25, 5, 64, 64, 3, 3, 1, 1, 1, 0x6d3e0262},
      {24, 24, 16, 16, 3, 3, 2, 1, 1, 0x1144fa98},
      {49, 10, 1, 64, 10, 4, 2, 5, 1, 0x5af2ed59},
  };
  for (const ConvCase& k : kCases) {
    const int32_t depth = k.kernel_h * k.kernel_w;
    const Data data(k.h * k.w * k.in_c, depth * k.out_c, k.out_c, depth);
    const DepthwiseConv2dS8 c = conv_of<DepthwiseConv2dS8>(k, data);
    CAPTURE(c.in_h);
    CAPTURE(c.in_c);
    CHECK(run_and_hash(c, static_cast<size_t>(c.out_h * c.out_w * c.out_c), kernels::isa::depthwise_conv2d_s8_plan,
                       kernels::isa::depthwise_conv2d_s8_prepare,
                       [&data](const DepthwiseConv2dS8& p, int8_t* out, void* scratch) {
                         kernels::isa::depthwise_conv2d_s8(p, data.input.data(), out, scratch);
                       }) == k.hash);
  }
}

TEST_CASE("linear_s8 gives CMSIS-NN's bytes on layers of real networks") {
  struct LinearCase {
    int32_t in_features, out_features;
    uint32_t hash;
  };
  static constexpr LinearCase kCases[] = {{784, 32, 0x1b779b0c},  {32, 16, 0xd172bba9},   {16, 10, 0xf5bb2fe5},
                                          {640, 128, 0x5bc7f722}, {128, 128, 0xfc7b34fd}, {64, 12, 0x67bad8a4}};
  for (const LinearCase& k : kCases) {
    const Data data(k.in_features, k.in_features * k.out_features, k.out_features, k.in_features);
    LinearS8 c = {};
    c.rows = 1, c.in_features = k.in_features, c.out_features = k.out_features;
    c.input_offset = 3, c.output_offset = -5, c.act_min = -128, c.act_max = 127;
    c.multiplier = data.multiplier[0], c.shift = data.shift[0];
    c.weights = data.weights.data(), c.bias = data.bias.data();
    CAPTURE(c.in_features);
    CHECK(run_and_hash(c, static_cast<size_t>(c.out_features), kernels::isa::linear_s8_plan,
                       kernels::isa::linear_s8_prepare, [&data](const LinearS8& p, int8_t* out, void* scratch) {
                         kernels::isa::linear_s8(p, data.input.data(), out, scratch);
                       }) == k.hash);
  }
}

}  // namespace
}  // namespace wick
