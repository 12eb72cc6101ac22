// INT8 matrix product: four rows of the left matrix are expanded once, with their offset, and meet every row of the
// right one. Rows that are missing at the end are the last one again, and their sums are dropped.
#include "core/quant.h"
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

extern "C" void wick_dsp_matmul_4(const int32_t* lhs, const int8_t* rhs, int32_t words, uint32_t rhs_offsets,
                                  int32_t sums[4]);

namespace wick::kernels::dsp {
namespace {

enum Path : uint32_t { kScalar, kExact, kFast };  // kExact: any multiplier and shift

constexpr int32_t kRows = 4;
constexpr int32_t kMaxDepth = kAccLimit / (255 * 255) - 1;
constexpr int32_t kMaxScratch = 8192;
constexpr int32_t kWordBytes = 2 * kRows * 4;  // expanded, of four elements in each row

uint32_t both_halves(int32_t value) { return 0x00010001u * static_cast<uint16_t>(value); }
bool is_offset(int32_t value) { return value >= -127 && value <= 128; }
int32_t words_of(const BatchMatmulS8& c) { return (c.depth + 3) / 4; }

// The last 1 to 3 elements of a row as a word, zeros behind.
uint32_t tail_word(const int8_t* x, int32_t count) {
  uint32_t word = 0;
  for (int32_t i = count - 1; i >= 0; --i) word = word << 8 | static_cast<uint8_t>(x[i]);
  return word;
}

// Elements past the end must be 0 with the offset added.
void expand_row(const int8_t* x, int32_t depth, int32_t offset, int32_t* to) {
  const uint32_t offsets = both_halves(offset);
  for (; depth >= 4; depth -= 4, x += 4, to += 2 * kRows) {
    const uint32_t four = load4(x);
    to[0] = static_cast<int32_t>(add_even(offsets, four));
    to[1] = static_cast<int32_t>(add_odd(offsets, four));
  }
  if (depth == 0) return;
  const uint32_t four = tail_word(x, depth);
  to[0] = static_cast<int32_t>(add_even(depth > 2 ? offsets : offsets & 0xFFFFu, four));
  to[1] = static_cast<int32_t>(add_odd(depth > 1 ? offsets & 0xFFFFu : 0, four));
}

// Sums of one block of left rows with one right row.
void sum_row(const BatchMatmulS8& c, const int32_t* lhs, const int8_t* rhs, int32_t sums[kRows]) {
  const uint32_t offsets = both_halves(c.rhs_offset);
  const int32_t words = c.depth / 4, rest = c.depth % 4;
  for (int32_t i = 0; i < kRows; ++i) sums[i] = 0;
  if (words > 0) wick_dsp_matmul_4(lhs, rhs, words, offsets, sums);
  if (rest > 0) {
    int8_t tail[4];
    store4(tail, tail_word(rhs + 4 * words, rest));
    wick_dsp_matmul_4(lhs + words * 2 * kRows, tail, 1, offsets, sums);
  }
}

int8_t requantized(const BatchMatmulS8& c, int32_t acc, int32_t addend) {
  if (c.path == kExact) {
    const int32_t value = wrap_add(requantize(acc, c.multiplier, c.shift), c.output_zero_point);
    return static_cast<int8_t>(clamp(value, -128, 127));
  }
  int32_t x;
  __asm("smmlar %0, %1, %2, %3" : "=r"(x) : "r"(2 * acc), "r"(c.multiplier), "r"(addend + (acc >> 31)));
  return static_cast<int8_t>(__ssat(x >> -c.shift, 8));
}

}  // namespace

KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c) {
  c.path = kScalar;
  const bool fits = c.depth > 0 && c.depth <= kMaxDepth && words_of(c) * kWordBytes <= kMaxScratch &&
                    is_offset(c.lhs_offset) && is_offset(c.rhs_offset);
  if (!fits) return scalar::batch_matmul_s8_plan(c);
  c.path = requantizes_fast(c.multiplier, c.shift, c.output_zero_point) ? kFast : kExact;
  return {0, static_cast<uint32_t>(words_of(c) * kWordBytes)};
}

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::batch_matmul_s8(c, lhs, rhs, output, scratch);
  int32_t* expanded = static_cast<int32_t*>(scratch);
  const int32_t addend = c.path == kFast ? rounding_addend(c.shift, c.output_zero_point) : 0;
  for (int32_t b = 0; b < c.batch; ++b, rhs += c.rhs_rows * c.depth) {
    for (int32_t row = 0; row < c.lhs_rows; row += kRows) {
      const int32_t rows = c.lhs_rows - row < kRows ? c.lhs_rows - row : kRows;
      for (int32_t i = 0; i < kRows; ++i) {
        expand_row(lhs + (i < rows ? i : rows - 1) * c.depth, c.depth, c.lhs_offset, expanded + 2 * i);
      }
      for (int32_t n = 0; n < c.rhs_rows; ++n) {
        int32_t sums[kRows];
        sum_row(c, expanded, rhs + n * c.depth, sums);
        for (int32_t i = 0; i < rows; ++i) output[i * c.rhs_rows + n] = requantized(c, sums[i], addend);
      }
      lhs += rows * c.depth;
      output += rows * c.rhs_rows;
    }
  }
}

}  // namespace wick::kernels::dsp
