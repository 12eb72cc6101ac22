// How a convolution is cut for the matrix core: which arithmetic, how many rows and pixels at a time, where windows are
// read. Decided once from shapes and constants, kept in the operator's 32-bit path, unpacked by every run.
#pragma once

#include "kernels/dsp/gemm.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// What a layer's memory is measured by. Half a layer, cut in rows for two cores, may take as much as the whole.
inline int64_t activation_bytes(const Conv2dS8& c) {
  const int64_t out_h = c.uncut_out_h > 0 ? c.uncut_out_h : c.out_h;
  return int64_t{c.in_h} * c.in_w * c.in_c + out_h * c.out_w * c.out_c;
}

enum class WeightLayout : uint8_t { kRowMajor, kDepthMajor };

// A layer may take this much scratch. More only where the layer makes it small beside its activations, or where its
// windows are so deep that fewer than eight rows at a time would spend more on expanding pixels than on products.
inline constexpr int32_t kScratchBytes = 3200;
inline constexpr int32_t kScratchLimit = 96 * 1024;  // what needs more goes to scalar

struct ConvPlan {
  // kSums: the core gives sums, core/quant.h does the rest. kWinograd is fast, too.
  enum Arithmetic : uint32_t { kScalar, kFast, kSums, kWinograd };
  Arithmetic arithmetic = kScalar;
  bool direct = false;    // windows are read from the input itself; otherwise from a padded copy of a block of it
  bool strip = false;     // a block is one line of `extent` pixels; otherwise `extent` whole lines
  int32_t row_pairs = 0;  // output channels at a time, halved
  int32_t extent = 0;

  uint32_t pack() const;
  static ConvPlan unpack(uint32_t path);
};

// The padded copy of a part of the image.
struct Block {
  int32_t columns, lines;  // of output pixels
  int32_t image_columns, image_lines;
  int32_t lead;  // unused bytes before each line, so that most lines are copied by aligned words
  int32_t line_bytes;
  // The last run may be read three bytes beyond its end.
  int64_t bytes() const { return (int64_t{image_lines} * line_bytes + 3 + 7) & ~int64_t{7}; }
};

// Copies what output pixels from (oy, ox) on look at, with bytes that count as 0 around the image: `lines` by `columns`
// of image pixels.
void copy_image(const Conv2dS8& c, const Block& block, const int8_t* image, int32_t oy, int32_t ox, int32_t lines,
                int32_t columns, int8_t* copy);

Block block_of(const Conv2dS8& c, const ConvPlan& plan);
Window window_of(const Conv2dS8& c, const ConvPlan& plan, const Block& block);
RowSet row_set_of(const Conv2dS8& c, const ConvPlan& plan, WeightLayout layout);

ConvPlan plan_conv2d(const Conv2dS8& c, WeightLayout layout);
// Scratch: pixels | block | rows | sums.
int64_t scratch_bytes(const Conv2dS8& c, const ConvPlan& plan);

}  // namespace wick::kernels::dsp
