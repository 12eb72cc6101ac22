// linear_s8, batch_matmul_s8 and linear_f32 of this build's instruction set and of scalar:: against their definitions.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::BatchMatmulS8;
using kernels::LinearS8;
using test::Guarded;
using test::Mood;
using test::Random;

void check_linear(Random& random, LinearS8 c, Mood mood) {
  c.input_offset = -test::draw_zero_point(random, mood);
  if (random.one_in(8)) c.input_offset = random.in(-40000, 40000);  // inputs that no half holds, too
  c.filter_offset = random.one_in(8) ? -test::draw_zero_point(random, mood) : 0;
  c.output_offset = mood == Mood::kTies ? random.in(-20, 20) : test::draw_zero_point(random, mood);
  test::draw_activation(random, &c.act_min, &c.act_max);
  test::draw_factor(random, mood, 8000 * (1 + c.in_features / 8), &c.multiplier, &c.shift);
  Guarded<int8_t> input(static_cast<size_t>(c.rows * c.in_features), test::draw_offset(random));
  Guarded<int8_t> weights(static_cast<size_t>(c.out_features * c.in_features), test::draw_offset(random));
  Guarded<int32_t> bias(static_cast<size_t>(c.out_features), 4 * (random.next() % 4));
  Guarded<int32_t> kernel_sum(bias.size(), 4 * (random.next() % 4));
  test::draw_bytes(random, mood, -c.input_offset, input);
  test::draw_bytes(random, mood, -c.filter_offset, weights);
  for (size_t o = 0; o < bias.size(); ++o) {
    bias[o] = test::draw_bias(random, mood);
    int64_t sum = bias[o];
    for (size_t i = 0; i < static_cast<size_t>(c.in_features); ++i) {
      sum += int64_t{c.input_offset} * (weights[o * static_cast<size_t>(c.in_features) + i] + c.filter_offset);
    }
    kernel_sum[o] = static_cast<int32_t>(static_cast<uint32_t>(sum));
  }
  c.weights = weights.data();
  c.bias = random.one_in(4) ? nullptr : bias.data();
  c.kernel_sum = random.one_in(3) ? kernel_sum.data() : nullptr;
  CAPTURE(c.rows);
  CAPTURE(c.in_features);
  CAPTURE(c.out_features);
  CAPTURE(c.input_offset);
  CAPTURE(c.filter_offset);
  CAPTURE(c.multiplier);
  CAPTURE(c.shift);
  CAPTURE(c.bias);
  CAPTURE(c.kernel_sum);

  std::vector<int8_t> expected(static_cast<size_t>(c.rows * c.out_features));
  reference::linear(c, input.data(), expected.data());
  const size_t offset = test::draw_offset(random);
  test::check_kernel(random, c, expected, offset, kernels::scalar::linear_s8_plan, kernels::scalar::linear_s8_prepare,
                     [&](const LinearS8& p, int8_t* out, void* scratch) {
                       kernels::scalar::linear_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(
      random, c, expected, offset, kernels::isa::linear_s8_plan, kernels::isa::linear_s8_prepare,
      [&](const LinearS8& p, int8_t* out, void* scratch) { kernels::isa::linear_s8(p, input.data(), out, scratch); });
}

TEST_CASE("linear_s8 equals the definition over random shapes") {
  for (uint32_t seed = 0; seed < 4 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    LinearS8 c = {};
    c.rows = random.one_in(2) ? 1 : random.in(1, 9);
    c.in_features = random.in(1, random.one_in(4) ? 300 : 70);
    c.out_features = random.in(1, random.one_in(4) ? 100 : 20);
    check_linear(random, c, test::draw_mood(random));
  }
}

TEST_CASE("linear_s8 equals the definition on the shapes that networks use") {
  static constexpr int32_t kShapes[][3] = {{1, 784, 32}, {1, 32, 16}, {1, 16, 10}, {1, 640, 12}, {1, 64, 12},
                                           {4, 128, 8},  {3, 8, 8},   {1, 1, 1},   {2, 4, 1},    {1, 256, 2}};
  uint32_t seed = 0x1000;
  for (const auto& shape : kShapes) {
    for (Mood mood : {Mood::kOrdinary, Mood::kTies, Mood::kExtremes}) {
      CAPTURE(seed);
      Random random(seed++);
      LinearS8 c = {};
      c.rows = shape[0], c.in_features = shape[1], c.out_features = shape[2];
      check_linear(random, c, mood);
    }
  }
}

TEST_CASE("batch_matmul_s8 equals the definition over random shapes") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    BatchMatmulS8 c = {};
    c.batch = random.in(1, 3), c.lhs_rows = random.in(1, 9), c.rhs_rows = random.in(1, 17), c.depth = random.in(1, 70);
    c.lhs_offset = -test::draw_zero_point(random, mood), c.rhs_offset = -test::draw_zero_point(random, mood);
    if (random.one_in(8)) c.lhs_offset = random.in(-40000, 40000);
    c.output_zero_point = mood == Mood::kTies ? random.in(-20, 20) : test::draw_zero_point(random, mood);
    test::draw_factor(random, mood, 8000 * (1 + c.depth / 8), &c.multiplier, &c.shift);
    Guarded<int8_t> lhs(static_cast<size_t>(c.batch * c.lhs_rows * c.depth), test::draw_offset(random));
    Guarded<int8_t> rhs(static_cast<size_t>(c.batch * c.rhs_rows * c.depth), test::draw_offset(random));
    test::draw_bytes(random, mood, -c.lhs_offset, lhs);
    test::draw_bytes(random, mood, -c.rhs_offset, rhs);
    CAPTURE(c.batch);
    CAPTURE(c.lhs_rows);
    CAPTURE(c.rhs_rows);
    CAPTURE(c.depth);
    CAPTURE(c.lhs_offset);
    CAPTURE(c.rhs_offset);
    CAPTURE(c.multiplier);
    CAPTURE(c.shift);

    std::vector<int8_t> expected(static_cast<size_t>(c.batch * c.lhs_rows * c.rhs_rows));
    reference::batch_matmul(c, lhs.data(), rhs.data(), expected.data());
    const size_t offset = test::draw_offset(random);
    const auto nothing = [](BatchMatmulS8&, void*) {};
    test::check_kernel(random, c, expected, offset, kernels::scalar::batch_matmul_s8_plan, nothing,
                       [&](const BatchMatmulS8& p, int8_t* out, void* scratch) {
                         kernels::scalar::batch_matmul_s8(p, lhs.data(), rhs.data(), out, scratch);
                       });
    test::check_kernel(random, c, expected, offset, kernels::isa::batch_matmul_s8_plan, nothing,
                       [&](const BatchMatmulS8& p, int8_t* out, void* scratch) {
                         kernels::isa::batch_matmul_s8(p, lhs.data(), rhs.data(), out, scratch);
                       });
  }
}

// Small whole numbers: every order and every rounding gives the same float.
TEST_CASE("linear_f32 is exact on small whole numbers") {
  for (uint32_t seed = 0; seed < test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const uint32_t rows = random.one_in(2) ? 1 : 1 + random.next() % 9;
    const uint32_t depth = 1 + random.next() % 70, outputs = 1 + random.next() % 40;
    CAPTURE(rows);
    CAPTURE(depth);
    CAPTURE(outputs);
    Guarded<float> x(rows * depth, 4 * (random.next() % 4)), w(outputs * depth, 4 * (random.next() % 4));
    Guarded<float> bias(outputs, 4 * (random.next() % 4));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(random.in(-50, 50));
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(random.in(-50, 50));
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(random.in(-5000, 5000));
    const bool with_bias = !random.one_in(4);
    std::vector<float> expected(rows * outputs);
    for (uint32_t r = 0; r < rows; ++r) {
      for (uint32_t n = 0; n < outputs; ++n) {
        int64_t sum = with_bias ? static_cast<int64_t>(bias[n]) : 0;
        for (uint32_t k = 0; k < depth; ++k) sum += static_cast<int64_t>(x[r * depth + k] * w[n * depth + k]);
        expected[r * outputs + n] = static_cast<float>(sum);
      }
    }
    const size_t offset = 4 * (random.next() % 4);
    const float* b = with_bias ? bias.data() : nullptr;
    test::check_plain_kernel(random, expected, offset, [&](float* out) {
      kernels::scalar::linear_f32(x.data(), w.data(), b, out, rows, depth, outputs);
    });
    test::check_plain_kernel(random, expected, offset, [&](float* out) {
      kernels::isa::linear_f32(x.data(), w.data(), b, out, rows, depth, outputs);
    });
  }
}

// The order of additions is part of the definition: any other order gives other last bits. MVE's is another one.
TEST_CASE("linear_f32 of the instruction set equals scalar bit for bit, or nearly with MVE") {
  for (uint32_t seed = 0x1000; seed < 0x1000 + test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const uint32_t rows = random.one_in(2) ? 1 : 1 + random.next() % 9;
    const uint32_t depth = 1 + random.next() % 90, outputs = 1 + random.next() % 40;
    Guarded<float> x(rows * depth), w(outputs * depth), bias(outputs);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(random.in(-1000000, 1000000)) * 1e-6f;
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(random.in(-1000000, 1000000)) * 1e-6f;
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(random.in(-1000000, 1000000)) * 1e-6f;
    std::vector<float> expected(rows * outputs);
    kernels::scalar::linear_f32(x.data(), w.data(), bias.data(), expected.data(), rows, depth, outputs);
#ifdef WICK_ISA_MVE
    std::vector<float> result(rows * outputs);
    kernels::isa::linear_f32(x.data(), w.data(), bias.data(), result.data(), rows, depth, outputs);
    for (size_t i = 0; i < result.size(); ++i) {
      // Each of depth additions may round by half a unit in the last place of a sum below depth + 1.
      const float difference = result[i] - expected[i], most = 6e-8f * static_cast<float>(depth * (depth + 1));
      REQUIRE((difference <= most && -difference <= most));
    }
    expected = result;  // and the same on every run
#endif
    test::check_plain_kernel(random, expected, 4 * (random.next() % 4), [&](float* out) {
      kernels::isa::linear_f32(x.data(), w.data(), bias.data(), out, rows, depth, outputs);
    });
  }
}

}  // namespace
}  // namespace wick
