// The INT8 matrix core: output channels (rows) in pairs against pixels in fours or twos, both as streams of int16
// pairs. Knows the streams and how weights become one; no image, no window beyond its shape.
//
// A window is cut into steps of two bytes: a word gives the pairs (0, 2) and (1, 3). What a run leaves over is a tail:
// three bytes are a word with a zero weight, two are one pair, a single byte is paired with that of the next run (all
// such pairs at the end). Weights and pixels are cut alike, so the order does not matter.
//
// Pixel stream:  steps x { pair of pixel 0, 1, 2, 3 }   (0, 1 in twos)
// Row stream, per pair of rows r, r + 1:
//   bias[r] bias[r+1] | steps x { pair of r, pair of r + 1 } | multiplier addend shift of r | the same of r + 1
// The pixels' values include the input offset. In the fast form weights and bias are doubled (fast_requantize.h). Flags
// lie above the last shift's low byte.
#pragma once

#include <cstdint>

namespace wick::kernels::dsp {

// How one pixel's window lies in memory: `rows` runs of words * 4 + tail bytes, and what becomes of its values. Up to
// three bytes behind a run are read too; their weights are 0. Read by the assembly: keep the order.
struct Window {
  int32_t words;
  int32_t tail;  // 0, 1 or 2
  int32_t rows;
  int32_t gap;       // from the end of a run's words to the start of the next run
  uint32_t offsets;  // the input offset in both halves: added to every pair

  int32_t steps() const { return rows * 2 * words + (tail == 2 ? rows : tail == 1 ? (rows + 1) / 2 : 0); }
};

// A run of `bytes`, repeated `rows` times, `row_step` bytes apart. At least two steps, as the cores need.
inline Window window_of(int32_t bytes, int32_t rows, int32_t row_step, int32_t input_offset) {
  Window w{bytes / 4, bytes % 4, rows, 0, 0x00010001u * static_cast<uint16_t>(input_offset)};
  if (w.tail == 3 || w.steps() < 2) {
    ++w.words;
    w.tail = 0;
  }
  w.gap = row_step - 4 * w.words;
  return w;
}

struct RowSet {
  const int8_t* weights;
  bool depth_major;  // [run][out]: one channel's weights lie `count` apart; otherwise [out][run]
  bool exact;        // raw sums are wanted: nothing doubled
  int32_t count;
  int32_t run_bytes, runs;
  const int32_t* bias;  // or null
  const int32_t* multiplier;
  const int32_t* shift;
  int32_t output_offset;
};

inline constexpr int32_t kFlagTwoRows = 0x100;  // the second row is one of its own, not the first again

// Bytes of a pair of rows and of four pixels.
inline int32_t row_pair_bytes(int32_t steps) { return 8 * steps + 32; }
inline int32_t pixels_bytes(int32_t steps) { return 16 * steps; }

// Writes rows [first, last) as a row stream. An odd last row is written as both rows of its pair.
void write_rows(const RowSet& rows, const Window& window, int32_t first, int32_t last, int32_t* stream);

// Read by the assembly: keep the order.
struct GemmArgs {
  int32_t steps;     // at least 2
  int32_t out_step;  // bytes between output pixels
};

extern "C" {
// All row pairs of a stream against four (two) pixels; out[pixel * out_step + row].
void wick_dsp_gemm_2x4(const int32_t* rows, const int32_t* pixels, int8_t* out, const GemmArgs* args);
void wick_dsp_gemm_2x2(const int32_t* rows, const int32_t* pixels, int8_t* out, const GemmArgs* args);
// The bare sums: per pair of rows four of the first row, four of the second.
void wick_dsp_gemm_2x4_sums(const int32_t* rows, const int32_t* pixels, int32_t* sums, const GemmArgs* args);
// Four (two) windows into a pixel stream. Returns its end, where the tails of four windows of tail 1 are still missing.
int32_t* wick_dsp_expand_4(int32_t* pixels, const int8_t* const* windows, const Window* window);
void wick_dsp_expand_tails_4(int32_t* pixels, const int8_t* const* windows, const Window* window);
int32_t* wick_dsp_expand_2(int32_t* pixels, const int8_t* const* windows, const Window* window);
// Two rows of `words` words (may be 0) into a row stream, as they are or doubled. Returns the stream's end.
int32_t* wick_dsp_expand_rows(int32_t* stream, const int8_t* row0, const int8_t* row1, int32_t words);
int32_t* wick_dsp_expand_rows_doubled(int32_t* stream, const int8_t* row0, const int8_t* row1, int32_t words);
// Two rows that lie as columns side by side, from depth to depth `step` bytes apart.
void wick_dsp_expand_columns_doubled(int32_t* stream, const int8_t* w, int32_t step, int32_t words);
}

}  // namespace wick::kernels::dsp
