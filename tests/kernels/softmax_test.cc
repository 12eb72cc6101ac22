// softmax_s8 of this build's instruction set and of scalar:: against the definition.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "reference.h"
#include "support/draws.h"
#include "support/run_kernel.h"

namespace wick {
namespace {

using kernels::SoftmaxS8;
using test::Guarded;
using test::Mood;
using test::Random;

void check_softmax(Random& random, const SoftmaxS8& c, Guarded<int8_t>& input) {
  CAPTURE(c.rows);
  CAPTURE(c.row_size);
  CAPTURE(c.multiplier);
  CAPTURE(c.shift);
  CAPTURE(c.diff_min);
  std::vector<int8_t> expected(input.size());
  reference::softmax(c, input.data(), expected.data());
  const size_t offset = test::draw_offset(random);
  test::check_kernel(random, c, expected, offset, kernels::scalar::softmax_s8_plan, kernels::scalar::softmax_s8_prepare,
                     [&](const SoftmaxS8& p, int8_t* out, void* scratch) {
                       kernels::scalar::softmax_s8(p, input.data(), out, scratch);
                     });
  test::check_kernel(
      random, c, expected, offset, kernels::isa::softmax_s8_plan, kernels::isa::softmax_s8_prepare,
      [&](const SoftmaxS8& p, int8_t* out, void* scratch) { kernels::isa::softmax_s8(p, input.data(), out, scratch); });
}

// As an exporter derives them from the input's scale: scale * 2^26 = multiplier * 2^(shift - 31).
void draw_scale(Random& random, SoftmaxS8& c) {
  c.multiplier = random.one_in(4) ? 1 << 30 : random.in(1 << 30, INT32_MAX);
  c.shift = random.in(16, 31);
  c.diff_min = -static_cast<int32_t>((int64_t{31} << 26) >> c.shift);
}

TEST_CASE("softmax_s8 equals the definition over random rows") {
  for (uint32_t seed = 0; seed < 2 * test::kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Mood mood = test::draw_mood(random);
    SoftmaxS8 c = {};
    c.rows = random.in(1, 4), c.row_size = random.in(1, random.one_in(4) ? 200 : 20);
    draw_scale(random, c);
    Guarded<int8_t> input(static_cast<size_t>(c.rows * c.row_size), test::draw_offset(random));
    test::draw_bytes(random, mood, random.in(-128, 127), input);
    check_softmax(random, c, input);
  }
}

TEST_CASE("softmax_s8 equals the definition when the cut-off is anywhere") {
  for (uint32_t seed = 0x1000; seed < 0x1000 + test::kDraws / 2; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    SoftmaxS8 c = {};
    c.rows = 2, c.row_size = random.in(1, 40);
    draw_scale(random, c);
    c.multiplier = random.in(0, INT32_MAX);
    c.shift = random.in(0, 22);
    c.diff_min = random.in(-260, 0);
    Guarded<int8_t> input(static_cast<size_t>(c.rows * c.row_size), test::draw_offset(random));
    test::draw_bytes(random, Mood::kOrdinary, 0, input);
    check_softmax(random, c, input);
  }
}

TEST_CASE("softmax_s8 gives each of many equal values its share until the share rounds to nothing") {
  for (int32_t row_size : {1, 2, 255, 256, 257, 511, 512, 513, 1023, 1024, 4095, 4096, 5000, 9000}) {
    Random random(static_cast<uint32_t>(row_size));
    SoftmaxS8 c = {};
    c.rows = 1, c.row_size = row_size, c.multiplier = 1 << 30, c.shift = 23, c.diff_min = -248;
    Guarded<int8_t> input(static_cast<size_t>(row_size));
    for (size_t i = 0; i < input.size(); ++i) input[i] = 5;
    check_softmax(random, c, input);
  }
}

}  // namespace
}  // namespace wick
