// The choices behind a convolution: what is provable about its arithmetic, and how it fits into little scratch.
#include "kernels/dsp/conv2d_plan.h"

#include "kernels/dsp/conv2d_winograd.h"
#include "kernels/dsp/fast_requantize.h"

namespace wick::kernels::dsp {

namespace {

constexpr int32_t kMaxPairs = 0x7FF, kMaxExtent = 0xFFFF;

int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }
int32_t depth_of(const Conv2dS8& c) { return c.kernel_h * c.kernel_w * c.in_c; }
int32_t window_lines(const Conv2dS8& c) { return (c.kernel_h - 1) * c.dilation_h + 1; }

bool inside(int64_t out, int32_t stride, int32_t pad, int32_t span, int32_t in) {
  return pad <= 0 && pad > -in && (out - 1) * stride - pad + span <= in;
}
bool all_inside(const Conv2dS8& c) {
  return inside(c.out_h, c.stride_h, c.pad_h, window_lines(c), c.in_h) &&
         inside(c.out_w, c.stride_w, c.pad_w, c.kernel_w, c.in_w);
}

// Within these no product of two of them, or of one with a size of a tensor in memory, overflows.
bool is_sane(const Conv2dS8& c) {
  constexpr int32_t kMost = 1024;
  return c.kernel_h <= kMost && c.kernel_w <= kMost && c.stride_h <= kMost && c.stride_w <= kMost &&
         c.dilation_h <= kMost && c.pad_h <= kMost && c.pad_h >= -kMost && c.pad_w <= kMost && c.pad_w >= -kMost;
}

bool fits_core(const Conv2dS8& c) {
  if (c.groups != 1 || (c.dilation_w != 1 && c.kernel_w != 1) || !is_sane(c)) return false;
  if (c.batch < 1 || c.out_h < 1 || c.out_w < 1 || c.out_c < 1 || c.in_h < 1 || c.in_w < 1 || depth_of(c) < 1) {
    return false;
  }
  // Padding is made of bytes that count as 0; elsewhere a value with its offset must fit a half.
  return largest_operand(c.input_offset) <= INT16_MAX &&
         ((c.input_offset >= -127 && c.input_offset <= 128) || all_inside(c));
}

int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

// The sum of |w| of one row.
int64_t row_magnitude(const Conv2dS8& c, WeightLayout layout, int32_t row) {
  const int32_t depth = depth_of(c), step = layout == WeightLayout::kDepthMajor ? c.out_c : 1;
  const int8_t* w = c.weights + (layout == WeightLayout::kDepthMajor ? row : row * depth);
  int64_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) sum += magnitude(w[i * step]);
  return sum;
}

bool requantizes_fast(const Conv2dS8& c, WeightLayout layout) {
  if (!bounds_fit_s8(c.act_min, c.act_max)) return false;
  const int64_t operand = largest_operand(c.input_offset);
  const int64_t products = operand * depth_of(c) * 128;
  if (tables_requantize_fast(products, c)) return true;
  for (int32_t o = 0; o < c.out_c; ++o) {
    const int64_t bias = c.bias != nullptr ? magnitude(c.bias[o]) : 0;
    const auto fast = [&](int64_t sum) {
      return row_requantizes_fast(sum + bias, c.multiplier[o], c.shift[o], c.output_offset);
    };
    if (!fast(products) && !fast(operand * row_magnitude(c, layout, o))) return false;
  }
  return true;
}

// Scratch that this layer may take, `fixed` of it whatever the number of rows.
int64_t scratch_budget(const Conv2dS8& c, int64_t fixed, int32_t pair_bytes) {
  const int64_t activations = activation_bytes(c);
  const int64_t deep = int64_t{54} * depth_of(c);
  int64_t budget = activations / 4 < deep ? activations / 4 : deep;
  if (budget < kScratchBytes) budget = kScratchBytes;
  if (budget < fixed + 4 * pair_bytes && fixed > kScratchBytes / 2) budget = fixed + 4 * pair_bytes;
  return budget < kScratchLimit ? budget : kScratchLimit;
}

// Whole lines, as many as a third of the budget holds; a strip of one line when not even one line of windows fits.
void choose_block(const Conv2dS8& c, ConvPlan& plan) {
  const int64_t activations = activation_bytes(c);
  const int64_t wanted = activations / 16 > kScratchBytes / 3 ? activations / 16 : kScratchBytes / 3;
  const int32_t share = static_cast<int32_t>(wanted < kScratchLimit ? wanted : kScratchLimit);
  plan.strip = false;
  plan.extent = 1;
  const Block one = block_of(c, plan);
  if (one.bytes() <= share) {
    const int32_t more = (share - static_cast<int32_t>(one.bytes())) / (one.line_bytes * c.stride_h);
    plan.extent = smaller(smaller(more + 1, c.out_h), kMaxExtent);
    return;
  }
  plan.strip = true;
  const int64_t column_bytes = int64_t{window_lines(c)} * c.stride_w * c.in_c;
  const int64_t first = int64_t{window_lines(c)} * (c.kernel_w * c.in_c + 8);
  const int64_t columns = share > first ? (share - first) / column_bytes + 1 : 1;
  plan.extent =
      columns < 4 ? 4 : static_cast<int32_t>(columns < kMaxExtent - 3 ? columns & ~int64_t{3} : kMaxExtent - 3);
  if (plan.extent >= c.out_w) {
    plan.strip = false;
    plan.extent = 1;
  }
}

// Bytes of scratch: `pair` for each pair of rows, `fixed` beside them.
struct Sizes {
  int64_t fixed;
  int32_t pair;
};

Sizes sizes_of(const Conv2dS8& c, const ConvPlan& plan) {
  const Block block = block_of(c, plan);
  const int32_t steps = window_of(c, plan, block).steps();
  return {pixels_bytes(steps) + (plan.direct ? 0 : block.bytes()),
          row_pair_bytes(steps) + (plan.arithmetic == ConvPlan::kSums ? 32 : 0)};
}

void choose_rows(const Conv2dS8& c, ConvPlan& plan) {
  const Sizes sizes = sizes_of(c, plan);
  const int64_t left = scratch_budget(c, sizes.fixed, sizes.pair) - sizes.fixed;
  const int32_t pairs = (c.out_c + 1) / 2;
  const int32_t fit = left < sizes.pair ? 1 : static_cast<int32_t>(left) / sizes.pair;
  const int32_t most = smaller(kMaxPairs, smaller(fit, pairs));
  const int32_t tiles = (pairs + most - 1) / most;
  plan.row_pairs = (pairs + tiles - 1) / tiles;
}

}  // namespace

uint32_t ConvPlan::pack() const {
  return static_cast<uint32_t>(arithmetic) | (direct ? 4u : 0u) | (strip ? 8u : 0u) |
         static_cast<uint32_t>(row_pairs) << 4 | static_cast<uint32_t>(extent) << 15;
}

ConvPlan ConvPlan::unpack(uint32_t path) {
  ConvPlan plan;
  plan.arithmetic = static_cast<Arithmetic>(path & 3);
  plan.direct = (path & 4) != 0;
  plan.strip = (path & 8) != 0;
  plan.row_pairs = static_cast<int32_t>(path >> 4 & kMaxPairs);
  plan.extent = static_cast<int32_t>(path >> 15 & kMaxExtent);
  return plan;
}

Block block_of(const Conv2dS8& c, const ConvPlan& plan) {
  constexpr int64_t kTooMuch = int64_t{1} << 24;  // no plan with such a line is kept
  if (plan.direct) return {0, 0, 0, 0, 0, 0};
  Block b;
  b.columns = plan.strip ? plan.extent : c.out_w;
  b.lines = plan.strip ? 1 : plan.extent;
  b.image_columns = (b.columns - 1) * c.stride_w + c.kernel_w;
  b.image_lines = (b.lines - 1) * c.stride_h + window_lines(c);
  b.lead = c.in_w * c.in_c < 32 ? 0 : -(c.pad_w * c.in_c) & 3;
  const int64_t line_bytes = (b.lead + int64_t{b.image_columns} * c.in_c + 3) & ~int64_t{3};
  b.line_bytes = static_cast<int32_t>(line_bytes < kTooMuch ? line_bytes : kTooMuch);
  return b;
}

Window window_of(const Conv2dS8& c, const ConvPlan& plan, const Block& block) {
  const int32_t line = plan.direct ? c.in_w * c.in_c : block.line_bytes;
  return window_of(c.kernel_w * c.in_c, c.kernel_h, line * c.dilation_h, c.input_offset);
}

RowSet row_set_of(const Conv2dS8& c, const ConvPlan& plan, WeightLayout layout) {
  RowSet rows{};
  rows.weights = c.weights;
  rows.depth_major = layout == WeightLayout::kDepthMajor;
  rows.exact = plan.arithmetic == ConvPlan::kSums;
  rows.count = c.out_c;
  rows.run_bytes = c.kernel_w * c.in_c;
  rows.runs = c.kernel_h;
  rows.bias = c.bias;
  rows.multiplier = c.multiplier;
  rows.shift = c.shift;
  rows.output_offset = c.output_offset;
  return rows;
}

ConvPlan plan_conv2d(const Conv2dS8& c, WeightLayout layout) {
  ConvPlan plan;
  if (!fits_core(c)) return plan;
  plan.arithmetic = requantizes_fast(c, layout) ? ConvPlan::kFast : ConvPlan::kSums;
  plan.direct = all_inside(c) && (c.kernel_w * c.in_c) % 4 == 0;
  if (!plan.direct) choose_block(c, plan);
  choose_rows(c, plan);
  if (layout == WeightLayout::kRowMajor) plan = cut_winograd(c, plan);
  if (scratch_bytes(c, plan) > kScratchLimit) return {};
  return plan;
}

int64_t scratch_bytes(const Conv2dS8& c, const ConvPlan& plan) {
  if (plan.arithmetic == ConvPlan::kWinograd) return winograd_scratch_bytes(c, plan);
  const Sizes sizes = sizes_of(c, plan);
  return sizes.fixed + int64_t{plan.row_pairs} * sizes.pair;
}

}  // namespace wick::kernels::dsp
