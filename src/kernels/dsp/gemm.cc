// Weights into row streams: constants of each row, pairs of each step, zeros where a run's last word is not full.
#include "kernels/dsp/gemm.h"

#include "core/quant.h"
#include "kernels/dsp/fast_requantize.h"

namespace wick::kernels::dsp {

namespace {

int32_t pair(int32_t low, int32_t high) {
  return static_cast<int32_t>((static_cast<uint32_t>(low) & 0xFFFF) | static_cast<uint32_t>(high) << 16);
}

// The words of one run of one row, its bytes `step` apart, and its tail of two, as every second word of a stream.
int32_t* write_run(int32_t* at, const int8_t* w, int32_t step, int32_t bytes, const Window& window, int32_t scale) {
  int32_t left = bytes;
  for (; left >= 4; left -= 4, at += 4, w += 4 * step) {
    const int8_t* odd = w + step;
    at[0] = pair(scale * w[0], scale * w[2 * step]);
    at[2] = pair(scale * odd[0], scale * odd[2 * step]);
  }
  if (left == 0 || window.tail == 1) return at;
  const int32_t b0 = scale * w[0];
  const int32_t b1 = left > 1 ? scale * w[step] : 0, b2 = left > 2 ? scale * w[2 * step] : 0;
  if (window.tail == 2) {
    at[0] = pair(b0, b1);
    return at + 2;
  }
  at[0] = pair(b0, b2);
  at[2] = pair(b1, 0);
  return at + 4;
}

// One row, whatever its layout.
void write_row(int32_t* at, const RowSet& rows, int32_t row, const Window& window) {
  const int32_t step = rows.depth_major ? rows.count : 1, scale = rows.exact ? 1 : 2;
  const int32_t run_step = rows.run_bytes * step;
  const int8_t* w = rows.weights + (rows.depth_major ? row : row * rows.runs * rows.run_bytes);
  for (int32_t run = 0; run < rows.runs; ++run) {
    at = write_run(at, w + run * run_step, step, rows.run_bytes, window, scale);
  }
  if (window.tail != 1) return;
  const int8_t* last = w + run_step - step;
  for (int32_t run = 0; run < rows.runs; run += 2, last += 2 * run_step, at += 2) {
    *at = pair(scale * last[0], run + 1 < rows.runs ? scale * last[run_step] : 0);
  }
}

void write_biases(int32_t* at, const RowSet& rows, int32_t row0, int32_t row1) {
  const int32_t doubling = rows.exact ? 0 : 1;
  at[0] = rows.bias != nullptr ? wrap_shl(rows.bias[row0], doubling) : 0;
  at[1] = rows.bias != nullptr ? wrap_shl(rows.bias[row1], doubling) : 0;
}

void write_constants(int32_t* at, const RowSet& rows, int32_t row, int32_t flags) {
  const FastRow fast =
      rows.exact ? FastRow{0, 0, 0} : fast_row(rows.multiplier[row], rows.shift[row], rows.output_offset);
  at[0] = fast.multiplier;
  at[1] = fast.addend;
  at[2] = fast.shift | flags;
}

}  // namespace

void write_rows(const RowSet& rows, const Window& window, int32_t first, int32_t last, int32_t* stream) {
  const int32_t steps = window.steps();
  const bool whole_words = rows.run_bytes == 4 * window.words;
  const int32_t words = window.words * rows.runs;
  for (int32_t r = first; r < last; r += 2) {
    const int32_t r1 = r + 1 < last ? r + 1 : r;
    write_biases(stream, rows, r, r1);
    stream += 2;
    if (whole_words && !rows.depth_major) {
      const int8_t* w = rows.weights + r * words * 4;
      const auto expand = rows.exact ? wick_dsp_expand_rows : wick_dsp_expand_rows_doubled;
      expand(stream, w, w + (r1 - r) * words * 4, words);
    } else if (whole_words && r1 != r && !rows.exact) {
      wick_dsp_expand_columns_doubled(stream, rows.weights + r, rows.count, words);
    } else {
      write_row(stream, rows, r, window);
      write_row(stream + 1, rows, r1, window);
    }
    stream += 2 * steps;
    write_constants(stream, rows, r, 0);
    write_constants(stream + 3, rows, r1, (r1 != r ? kFlagTwoRows : 0) | (r + 2 >= last ? INT32_MIN : 0));
    stream += 6;
  }
}

}  // namespace wick::kernels::dsp
