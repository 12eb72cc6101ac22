// INT8 addition. The operand of larger scale is rescaled by exactly one half, which is a shift; the other has only 256
// values, so that its rescaled form comes from a table in scratch. Few elements would not pay for it: they are
// scalar's.
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/repeat.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// Read by the assembly: keep the order.
struct AddArgs {
  const int32_t* table;
  int32_t multiplier, addend, shift;
  uint32_t count;
};

extern "C" void wick_dsp_add(const int8_t* a, const int8_t* b, int8_t* out, const AddArgs* args);

namespace {

enum Path : uint32_t { kScalar, kTableOfB, kTableOfA };

constexpr uint32_t kTableBytes = 256 * 4;
constexpr uint32_t kFewElements = 32;

struct Operand {
  int32_t zero_point, multiplier, shift;
};

bool is_byte(int32_t value) { return value >= -128 && value <= 127; }
// (x << 20) times one half, rounded: nothing is lost.
bool is_shift(const Operand& o) { return o.multiplier == 1 << 30 && o.shift == 0 && is_byte(o.zero_point); }
bool fits_table(const Operand& o) {
  return o.multiplier >= 0 && o.shift <= 0 && o.shift >= -31 && is_byte(o.zero_point);
}

uint32_t count_of(const BinaryShape& shape) {
  uint32_t count = shape.inner;
  for (uint32_t i = 0; i < shape.outer_rank; ++i) count *= static_cast<uint32_t>(shape.outer_sizes[i]);
  return count;
}

// table[byte] = 2 * requantize((x - zero_point) << 20, multiplier, shift) + addend.
void fill_table(const Operand& o, int32_t addend, int32_t* table) {
  const int32_t exponent = -o.shift, half = exponent > 0 ? 1 << (exponent - 1) : 0;
  for (int32_t i = 0; i < 256; ++i) {
    const int32_t doubled = (static_cast<int8_t>(i) - o.zero_point) * (1 << 21);
    int32_t high;  // doubling_high_mul of the undoubled value
    __asm("smmulr %0, %1, %2" : "=r"(high) : "r"(doubled), "r"(o.multiplier));
    if (exponent > 0) high = (high + half + (high >> 31)) >> exponent;
    table[i] = 2 * high + addend;
  }
}

}  // namespace

KernelMemory add_s8_plan(AddS8& c, const BinaryShape& shape) {
  const Operand a = {c.a_zero_point, c.a_multiplier, c.a_shift}, b = {c.b_zero_point, c.b_multiplier, c.b_shift};
  c.path = kScalar;
  // Both terms lie below 2^28, so their sum is far from 2^30.
  const bool fast = requantizes_fast(c.multiplier, c.shift, c.zero_point) && bounds_fit_s8(c.act_min, c.act_max);
  if (!fast || count_of(shape) < kFewElements) return scalar::add_s8_plan(c, shape);
  if (is_shift(a) && fits_table(b)) {
    c.path = kTableOfB;
  } else if (is_shift(b) && fits_table(a)) {
    c.path = kTableOfA;
  } else {
    return scalar::add_s8_plan(c, shape);
  }
  return {0, kTableBytes};
}

void add_s8(const AddS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::add_s8(c, shape, a, b, output, scratch);
  const bool of_b = c.path == kTableOfB;
  int32_t* table = static_cast<int32_t*>(scratch);
  const Operand looked_up =
      of_b ? Operand{c.b_zero_point, c.b_multiplier, c.b_shift} : Operand{c.a_zero_point, c.a_multiplier, c.a_shift};
  fill_table(looked_up, (of_b ? c.a_zero_point : c.b_zero_point) * -(1 << 20), table);
  AddArgs args = {table, c.multiplier, rounding_addend(c.shift, c.zero_point), -c.shift, 0};
  for_each_stepping_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out, uint32_t count) {
    args.count = count;
    wick_dsp_add(of_b ? x : y, of_b ? y : x, out, &args);
    clamp_s8(out, static_cast<int32_t>(count), c.act_min, c.act_max);
  });
}

}  // namespace wick::kernels::dsp
