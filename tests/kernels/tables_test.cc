#include <doctest.h>

#include "kernels/isa.h"
#include "support/draws.h"
#include "support/guarded.h"
#include "support/random.h"

using namespace wick;
using namespace wick::test;

// Tables with shifts from -17 to -22 may be told usual or not.
TEST_CASE("usual_tables says so of usual tables only, whichever element is not") {
  uint32_t usual = 0;
  for (uint32_t seed = 0; seed < 4 * kDraws; ++seed) {
    CAPTURE(seed);
    Random random(seed + 0x7000);
    const size_t count = static_cast<size_t>(random.in(1, 40));
    Guarded<int32_t> multiplier(count, 4 * (random.next() % 4)), shift(count, 4 * (random.next() % 4)),
        bias(count, 4 * (random.next() % 4));
    for (size_t i = 0; i < count; ++i) {
      multiplier[i] = random.in(0, INT32_MAX);
      shift[i] = random.in(-16, -1);
      bias[i] = random.in(-(1 << 28), (1 << 28) - 1);
    }
    const size_t odd = random.next() % count;
    bool expected = true;
    const bool with_bias = random.one_in(2);
    switch (random.next() % 8) {
      case 0:
        multiplier[odd] = random.one_in(2) ? -1 : INT32_MIN;
        expected = false;
        break;
      case 1:
        shift[odd] = random.one_in(2) ? 0 : random.in(1, 30);
        expected = false;
        break;
      case 2:
        shift[odd] = random.one_in(2) ? -23 : random.in(-31, -23);
        expected = false;
        break;
      case 3:
        bias[odd] = random.one_in(2) ? 1 << 28 : -(1 << 28) - 1;
        expected = !with_bias;
        break;
      case 4:
        bias[odd] = random.one_in(2) ? INT32_MAX : INT32_MIN;
        expected = !with_bias;
        break;
      default:
        break;
    }
    usual += expected ? 1 : 0;
    CHECK(kernels::isa::usual_tables(multiplier.data(), shift.data(), with_bias ? bias.data() : nullptr,
                                     static_cast<int32_t>(count)) == expected);
  }
  CHECK(usual > kDraws);
}
