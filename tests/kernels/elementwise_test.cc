// add, mul, minimum, maximum and lut of this build's instruction set and of scalar:: against their definitions, over
// equal and broadcast operands.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::AddS8;
using kernels::BinaryShape;
using kernels::MulS8;
using test::Guarded;
using test::Mood;
using test::Random;

// Two operands that meet, and the index of the element that each output element reads from them.
struct Operands {
  BinaryShape shape = {};
  std::vector<size_t> a_index, b_index;
  size_t a_size = 0, b_size = 0;

  explicit Operands(Random& random) {
    shape.inner = 1 + random.next() % (random.one_in(3) ? 200 : 40);
    shape.a_step = shape.b_step = 1;
    if (random.one_in(4)) (random.one_in(2) ? shape.a_step : shape.b_step) = 0;
    shape.outer_rank = random.one_in(2) ? 0 : 1 + random.next() % 4;
    int32_t a_stride = shape.a_step ? static_cast<int32_t>(shape.inner) : 1;
    int32_t b_stride = shape.b_step ? static_cast<int32_t>(shape.inner) : 1;
    for (uint32_t dim = shape.outer_rank; dim-- > 0;) {
      shape.outer_sizes[dim] = random.in(1, 4);
      const uint32_t repeated = random.next() % 4;  // 0: a repeats along this dimension, 1: b does
      shape.a_strides[dim] = repeated == 0 ? 0 : a_stride;
      shape.b_strides[dim] = repeated == 1 ? 0 : b_stride;
      if (repeated != 0) a_stride *= shape.outer_sizes[dim];
      if (repeated != 1) b_stride *= shape.outer_sizes[dim];
    }
    a_size = static_cast<size_t>(a_stride), b_size = static_cast<size_t>(b_stride);
    list_indices(0, 0, 0);
  }

 private:
  void list_indices(uint32_t dim, size_t a, size_t b) {
    if (dim == shape.outer_rank) {
      for (uint32_t i = 0; i < shape.inner; ++i) {
        a_index.push_back(a + i * shape.a_step);
        b_index.push_back(b + i * shape.b_step);
      }
      return;
    }
    for (int32_t i = 0; i < shape.outer_sizes[dim]; ++i) {
      list_indices(dim + 1, a + static_cast<size_t>(i * shape.a_strides[dim]),
                   b + static_cast<size_t>(i * shape.b_strides[dim]));
    }
  }
};

// Draws two operands, computes what `element` says of each pair, and leaves the kernels to `check`.
template <typename ElementFn, typename CheckFn>
void sweep(Random& random, Mood mood, int32_t a_center, int32_t b_center, ElementFn element, CheckFn check) {
  const Operands operands(random);
  Guarded<int8_t> a(operands.a_size, test::draw_offset(random)), b(operands.b_size, test::draw_offset(random));
  test::draw_bytes(random, mood, a_center, a);
  test::draw_bytes(random, mood, b_center, b);
  CAPTURE(operands.shape.inner);
  CAPTURE(operands.shape.outer_rank);
  CAPTURE(operands.shape.a_step);
  CAPTURE(operands.shape.b_step);
  std::vector<int8_t> expected(operands.a_index.size());
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = element(a[operands.a_index[i]], b[operands.b_index[i]]);
  check(operands.shape, a.data(), b.data(), expected, test::draw_offset(random));
}

// As an exporter makes them: the operand of larger scale is halved exactly, the other by at most as much.
void draw_add_factors(Random& random, Mood mood, AddS8& c) {
  if (mood == Mood::kExtremes) {
    test::draw_factor(random, mood, 0, &c.a_multiplier, &c.a_shift);
    test::draw_factor(random, mood, 0, &c.b_multiplier, &c.b_shift);
    test::draw_factor(random, mood, 0, &c.multiplier, &c.shift);
    return;
  }
  c.a_multiplier = 1 << 30, c.a_shift = 0;
  c.b_multiplier = mood == Mood::kTies ? 1 << 30 : random.in(1 << 30, INT32_MAX);
  c.b_shift = -random.in(0, 6);
  if (random.one_in(2)) {
    const int32_t multiplier = c.a_multiplier, shift = c.a_shift;
    c.a_multiplier = c.b_multiplier, c.a_shift = c.b_shift;
    c.b_multiplier = multiplier, c.b_shift = shift;
  }
  c.multiplier = mood == Mood::kTies ? 1 << 30 : random.in(1 << 30, INT32_MAX);
  c.shift = random.in(-20, -16);
}

// Some of the time, a subtraction.
void negate_some(Random& random, AddS8& c) {
  if (random.one_in(5)) c.a_multiplier = -c.a_multiplier;
  if (random.one_in(3)) c.b_multiplier = -c.b_multiplier;
}

TEST_CASE("add_s8 equals the definition over random operands") {
  for (uint32_t seed = 0; seed < 6 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    AddS8 c = {};
    c.a_zero_point = test::draw_zero_point(random, mood), c.b_zero_point = test::draw_zero_point(random, mood);
    c.zero_point = test::draw_zero_point(random, mood);
    draw_add_factors(random, mood, c);
    negate_some(random, c);
    test::draw_activation(random, &c.act_min, &c.act_max);
    CAPTURE(c.a_multiplier);
    CAPTURE(c.a_shift);
    CAPTURE(c.b_multiplier);
    CAPTURE(c.b_shift);
    CAPTURE(c.multiplier);
    CAPTURE(c.shift);
    const auto nothing = [](AddS8&, void*) {};
    sweep(
        random, mood, c.a_zero_point, c.b_zero_point, [&c](int8_t a, int8_t b) { return reference::add(c, a, b); },
        [&](const BinaryShape& shape, const int8_t* a, const int8_t* b, const std::vector<int8_t>& expected,
            size_t offset) {
          test::check_kernel(
              random, c, expected, offset, [&shape](AddS8& p) { return kernels::scalar::add_s8_plan(p, shape); },
              nothing,
              [&](const AddS8& p, int8_t* out, void* scratch) {
                kernels::scalar::add_s8(p, shape, a, b, out, scratch);
              });
          test::check_kernel(
              random, c, expected, offset, [&shape](AddS8& p) { return kernels::isa::add_s8_plan(p, shape); }, nothing,
              [&](const AddS8& p, int8_t* out, void* scratch) { kernels::isa::add_s8(p, shape, a, b, out, scratch); });
        });
  }
}

TEST_CASE("mul_s8 equals the definition over random operands") {
  for (uint32_t seed = 0; seed < 4 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    MulS8 c = {};
    c.a_zero_point = test::draw_zero_point(random, mood), c.b_zero_point = test::draw_zero_point(random, mood);
    c.zero_point = test::draw_zero_point(random, mood);
    test::draw_factor(random, mood, 16000, &c.multiplier, &c.shift);
    CAPTURE(c.multiplier);
    CAPTURE(c.shift);
    sweep(
        random, mood, c.a_zero_point, c.b_zero_point, [&c](int8_t a, int8_t b) { return reference::mul(c, a, b); },
        [&](const BinaryShape& shape, const int8_t* a, const int8_t* b, const std::vector<int8_t>& expected,
            size_t offset) {
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::scalar::mul_s8(c, shape, a, b, out); });
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::isa::mul_s8(c, shape, a, b, out); });
        });
  }
}

TEST_CASE("minimum_s8 and maximum_s8 equal the definition over random operands") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    sweep(
        random, mood, 0, 0, [](int8_t a, int8_t b) { return a < b ? a : b; },
        [&](const BinaryShape& shape, const int8_t* a, const int8_t* b, const std::vector<int8_t>& expected,
            size_t offset) {
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::scalar::minimum_s8(shape, a, b, out); });
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::isa::minimum_s8(shape, a, b, out); });
        });
    sweep(
        random, mood, 0, 0, [](int8_t a, int8_t b) { return a > b ? a : b; },
        [&](const BinaryShape& shape, const int8_t* a, const int8_t* b, const std::vector<int8_t>& expected,
            size_t offset) {
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::scalar::maximum_s8(shape, a, b, out); });
          test::check_plain_kernel(random, expected, offset,
                                   [&](int8_t* out) { kernels::isa::maximum_s8(shape, a, b, out); });
        });
  }
}

TEST_CASE("lut_s8 looks each byte up") {
  for (uint32_t seed = 0; seed < test::kDraws / 2; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Guarded<int8_t> lut(256, test::draw_offset(random));
    Guarded<int8_t> input(random.next() % 300, test::draw_offset(random));
    lut.fill_garbage(random);
    input.fill_garbage(random);
    std::vector<int8_t> expected(input.size());
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = lut[static_cast<size_t>(input[i] + 128)];
    const uint32_t count = static_cast<uint32_t>(input.size());
    const size_t offset = test::draw_offset(random);
    test::check_plain_kernel(random, expected, offset,
                             [&](int8_t* out) { kernels::scalar::lut_s8(lut.data(), input.data(), out, count); });
    test::check_plain_kernel(random, expected, offset,
                             [&](int8_t* out) { kernels::isa::lut_s8(lut.data(), input.data(), out, count); });
  }
}

}  // namespace
}  // namespace wick
