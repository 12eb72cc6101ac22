// 3x3 convolutions of stride 1 by exact integer Winograd (conv2d_winograd.S): when it pays, what scratch it takes, and
// the walk: row pairs in tiles, outputs two lines by eight columns at a time.
#include "kernels/dsp/conv2d_winograd.h"

#include "core/quant.h"
#include "kernels/dsp/fast_requantize.h"

namespace wick::kernels::dsp {

namespace {

// Read by the assembly: keep the order.
struct WinogradArgs {
  int32_t steps, row_pairs, out_step, row_bytes;
  int32_t* products;
};
struct WinogradLines {
  int32_t line_bytes, pixel_bytes, pixel_words;
  uint32_t offsets;  // four times the input offset in both halves
};

extern "C" {
void wick_dsp_winograd_tiles(const int32_t* u, const int32_t* v, int8_t* out, const WinogradArgs* args);
void wick_dsp_winograd_inputs(int32_t* v, const int8_t* x, const WinogradLines* lines, int32_t* columns);
void wick_dsp_winograd_weights(int32_t* u, const int8_t* w, int32_t channels);
}

constexpr int32_t kOutLines = 2, kOutColumns = 8;
constexpr int32_t kProductWords = 128, kColumnWords = 80;
constexpr int32_t kFlagFirstRow = 0x200;

int32_t input_words(const Conv2dS8& c) { return 32 * c.in_c; }
int32_t pair_words(const Conv2dS8& c) { return 16 * c.in_c + 8; }

ConvPlan with_pairs(int32_t pairs) {
  ConvPlan plan;
  plan.arithmetic = ConvPlan::kWinograd;
  plan.extent = kOutLines;
  plan.row_pairs = pairs;
  return plan;
}

// Instructions, roughly, for eight by two outputs and all rows.
int64_t winograd_cost(int32_t in_c, int32_t pairs, int32_t tiles, int64_t groups) {
  return groups * (int64_t{pairs} * (88 * in_c + 870) + int64_t{tiles} * 140 * in_c) + int64_t{pairs} * 90 * in_c;
}
int64_t im2col_cost(int32_t in_c, int32_t pairs, int32_t tiles, int64_t groups) {
  return groups * 4 * (int64_t{pairs} * (50 * in_c + 70) + int64_t{tiles} * 40 * in_c);
}

void write_constants(int32_t* at, const RowSet& rows, int32_t row, int32_t flags) {
  const FastRow fast = fast_row(rows.multiplier[row], rows.shift[row], rows.output_offset);
  at[0] = rows.bias != nullptr ? wrap_shl(rows.bias[row], 1) : 0;
  at[1] = fast.multiplier;
  at[2] = fast.addend;
  at[3] = fast.shift | flags;
}

void write_weights(const Conv2dS8& c, const RowSet& rows, int32_t first, int32_t last, int32_t* u) {
  for (int32_t r = first; r < last; r += 2, u += pair_words(c)) {
    const int32_t r1 = r + 1 < last ? r + 1 : r;
    wick_dsp_winograd_weights(u, rows.weights + r * 9 * c.in_c, c.in_c);
    wick_dsp_winograd_weights(u + 1, rows.weights + r1 * 9 * c.in_c, c.in_c);
    int32_t* constants = u + 16 * c.in_c;
    write_constants(constants, rows, r, kFlagFirstRow | (r1 != r ? kFlagTwoRows : 0));
    write_constants(constants + 4, rows, r1, kFlagTwoRows);
  }
}

}  // namespace

bool winograd_applies(const Conv2dS8& c) {
  // The borders of the padded copy are bytes.
  if (c.input_offset < -127 || c.input_offset > 128 || c.groups != 1) return false;
  return c.kernel_h == 3 && c.kernel_w == 3 && c.stride_h == 1 && c.stride_w == 1 && c.dilation_h == 1 &&
         c.dilation_w == 1 && c.in_c % 4 == 0 && c.out_h >= kOutLines && c.out_w >= kOutColumns;
}

ConvPlan cut_winograd(const Conv2dS8& c, const ConvPlan& im2col) {
  if (im2col.arithmetic != ConvPlan::kFast || !winograd_applies(c)) return im2col;
  const int64_t activations = activation_bytes(c);
  const int64_t budget = activations < kWinogradScratchBytes ? activations : kWinogradScratchBytes;
  const int64_t room = (budget - winograd_scratch_bytes(c, with_pairs(0))) / (4 * pair_words(c));
  if (room < 1) return im2col;
  const int32_t pairs = (c.out_c + 1) / 2;
  const int32_t most = room < pairs ? static_cast<int32_t>(room) : pairs;
  const int32_t tiles = (pairs + most - 1) / most;
  const int64_t groups = int64_t{(c.out_h + 1) / kOutLines} * ((c.out_w + kOutColumns - 1) / kOutColumns);
  const int32_t im2col_tiles = (pairs + im2col.row_pairs - 1) / im2col.row_pairs;
  if (winograd_cost(c.in_c, pairs, tiles, groups) * 8 > im2col_cost(c.in_c, pairs, im2col_tiles, groups) * 7) {
    return im2col;
  }
  return with_pairs((pairs + tiles - 1) / tiles);
}

int64_t winograd_scratch_bytes(const Conv2dS8& c, const ConvPlan& plan) {
  return 4 * (kProductWords + kColumnWords + input_words(c) + int64_t{plan.row_pairs} * pair_words(c)) +
         block_of(c, plan).bytes();
}

void run_winograd(const Conv2dS8& c, const ConvPlan& plan, const RowSet& rows, const int8_t* input, int8_t* output,
                  void* scratch) {
  const Block block = block_of(c, plan);
  int32_t* products = static_cast<int32_t*>(scratch);
  int32_t* columns = products + kProductWords;
  int32_t* v = columns + kColumnWords;
  int32_t* u = v + input_words(c);
  int8_t* copy = reinterpret_cast<int8_t*>(u + plan.row_pairs * pair_words(c));
  WinogradArgs args{c.in_c / 2, 0, c.out_c, c.out_w * c.out_c, products};
  const WinogradLines lines{block.line_bytes, c.in_c, c.in_c / 4,
                            0x00010001u * static_cast<uint16_t>(4 * c.input_offset)};
  for (int32_t first = 0; first < c.out_c; first += 2 * plan.row_pairs) {
    const int32_t last = first + 2 * plan.row_pairs < c.out_c ? first + 2 * plan.row_pairs : c.out_c;
    write_weights(c, rows, first, last, u);
    args.row_pairs = (last - first + 1) / 2;
    for (int32_t n = 0; n < c.batch; ++n) {
      const int8_t* image = input + n * c.in_h * c.in_w * c.in_c;
      int8_t* out = output + n * c.out_h * c.out_w * c.out_c + first;
      for (int32_t y = 0; y < c.out_h; y += kOutLines) {
        // The last tiles of an axis may overlap those before: they come out the same.
        const int32_t oy = y + kOutLines <= c.out_h ? y : c.out_h - kOutLines;
        copy_image(c, block, image, oy, 0, block.image_lines, block.image_columns, copy);
        for (int32_t x = 0; x < c.out_w; x += kOutColumns) {
          const int32_t ox = x + kOutColumns <= c.out_w ? x : c.out_w - kOutColumns;
          wick_dsp_winograd_inputs(v, copy + block.lead + ox * c.in_c, &lines, columns);
          wick_dsp_winograd_tiles(u, v, out + (oy * c.out_w + ox) * c.out_c, &args);
        }
      }
    }
  }
}

}  // namespace wick::kernels::dsp
