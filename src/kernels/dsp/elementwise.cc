// INT8 multiplication, minimum, maximum and lookup, four elements at a time.
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/repeat.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// Read by the assembly: keep the order.
struct MulArgs {
  uint32_t a_offsets, b_offsets_doubled;
  int32_t multiplier, addend, shift;
  uint32_t count;
};

extern "C" void wick_dsp_mul(const int8_t* a, const int8_t* b, int8_t* out, const MulArgs* args);

namespace {

bool is_byte(int32_t value) { return value >= -128 && value <= 127; }
uint32_t both_halves(int32_t value) { return 0x00010001u * static_cast<uint16_t>(value); }

// word(a, b) for four elements, on a whole run. What is left is done in a word of its own.
template <typename WordFn>
inline void by_words(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output, WordFn word) {
  for_each_stepping_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out, uint32_t count) {
    for (; count >= 8; count -= 8, x += 8, y += 8, out += 8) {
      store4(out, word(load4(x), load4(y)));
      store4(out + 4, word(load4(x + 4), load4(y + 4)));
    }
    for (; count > 0; --count) {
      *out++ = static_cast<int8_t>(word(static_cast<uint8_t>(*x++), static_cast<uint8_t>(*y++)));
    }
  });
}

}  // namespace

void mul_s8(const MulS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  // Products lie below 2^16, so only the constants decide.
  if (!is_byte(c.a_zero_point) || !is_byte(c.b_zero_point) || !requantizes_fast(c.multiplier, c.shift, c.zero_point)) {
    return scalar::mul_s8(c, shape, a, b, output);
  }
  MulArgs args = {both_halves(-c.a_zero_point),
                  both_halves(-2 * c.b_zero_point),
                  c.multiplier,
                  rounding_addend(c.shift, c.zero_point),
                  -c.shift,
                  0};
  for_each_stepping_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out, uint32_t count) {
    args.count = count;
    wick_dsp_mul(x, y, out, &args);
  });
}

void minimum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  by_words(shape, a, b, output, min4);
}

void maximum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  by_words(shape, a, b, output, max4);
}

void lut_s8(const int8_t* lut, const int8_t* input, int8_t* output, uint32_t count) {
  const int8_t* zero = lut + 128;
  for (; count >= 4; count -= 4, input += 4, output += 4) {
    const int8_t a = zero[input[0]], b = zero[input[1]], c = zero[input[2]], d = zero[input[3]];
    output[0] = a;
    output[1] = b;
    output[2] = c;
    output[3] = d;
  }
  for (; count > 0; --count) *output++ = zero[*input++];
}

}  // namespace wick::kernels::dsp
