// INT8 depthwise convolution. 3x3 kernels run on planes of column pairs (depthwise_3x3_core.S), four channels at a
// time: this file lays lines out in a ring of three, along the longer axis, and knows borders, strides and remainders.
// One input channel is a convolution's case (conv2d.h); every other shape is depthwise_ring.h's.
#include "core/quant.h"
#include "kernels/dsp/conv2d.h"
#include "kernels/dsp/depthwise_ring.h"
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

extern "C" {
void wick_dsp_dw3_line_s1(const int32_t* planes, const int32_t* constants, int8_t* out, const int32_t args[4]);
void wick_dsp_dw3_line_s2(const int32_t* planes, const int32_t* constants, int8_t* out, const int32_t args[4]);
void wick_dsp_dw3_fill(int32_t* slot, const int8_t* x, ptrdiff_t pixel_bytes, const int32_t args[5]);
void wick_dsp_dw3_weights(int32_t* constants, const int8_t* w, ptrdiff_t tap_bytes, ptrdiff_t row_bytes);
}

namespace wick::kernels::dsp {
namespace {

enum Path : uint32_t { kScalar, kPlanes3x3, kRing };

constexpr int32_t kChannelWords = 14;  // constants of one channel, see the core
constexpr int32_t kConstantWords = 4 * kChannelWords;
constexpr int32_t kMaxPairs = 256;  // lines up to 500 pixels or so: 12 KB of planes

// One axis of the image: sizes, and how far apart its neighbours lie.
struct Axis {
  int32_t in, out, pad, in_bytes, out_bytes, tap_bytes;
};

struct Layout {
  Axis along, across;  // along a line, and from line to line
  int32_t pairs;       // column pairs of a padded line
};

bool lines_run_down(const DepthwiseConv2dS8& c) { return c.out_h > c.out_w; }

int32_t pairs_of(const DepthwiseConv2dS8& c) {
  const int32_t outputs = lines_run_down(c) ? c.out_h : c.out_w;
  return c.stride_w == 1 ? (outputs + 3) / 2 : outputs + 1;
}

Layout layout_of(const DepthwiseConv2dS8& c) {
  const Axis x = {c.in_w, c.out_w, c.pad_w, c.in_c, c.out_c, c.out_c};
  const Axis y = {c.in_h, c.out_h, c.pad_h, c.in_w * c.in_c, c.out_w * c.out_c, 3 * c.out_c};
  return lines_run_down(c) ? Layout{y, x, pairs_of(c)} : Layout{x, y, pairs_of(c)};
}

bool fits_planes(const DepthwiseConv2dS8& c) {
  const bool window = c.kernel_h == 3 && c.kernel_w == 3 && c.dilation_h == 1 && c.dilation_w == 1 &&
                      c.stride_h == c.stride_w && (c.stride_w == 1 || c.stride_w == 2);
  const bool borders = c.pad_h >= 0 && c.pad_h <= 1 && c.pad_w >= 0 && c.pad_w <= 1 && c.in_h > 0 && c.in_w > 0;
  return window && borders && c.in_c == c.out_c && c.in_c >= 4 && pairs_of(c) <= kMaxPairs;
}

// The padding byte is the input's zero point.
bool fits_arithmetic(const DepthwiseConv2dS8& c) {
  if (c.input_offset < -127 || c.input_offset > 128 || !bounds_fit_s8(c.act_min, c.act_max)) return false;
  const int64_t products = int64_t{c.kernel_h} * c.kernel_w * 128 * largest_operand(c.input_offset);
  if (tables_requantize_fast(products, c)) return true;
  for (int32_t o = 0; o < c.out_c; ++o) {
    const int64_t bias = c.bias != nullptr ? c.bias[o] : 0;
    const int64_t bound = products + (bias < 0 ? -bias : bias);
    if (!row_requantizes_fast(bound, c.multiplier[o], c.shift[o], c.output_offset)) return false;
  }
  return true;
}

// Weight words, and bias2 m hc e, of channels [begin, begin + 4).
void write_constants(const DepthwiseConv2dS8& c, const Layout& layout, int32_t begin, int32_t* constants) {
  wick_dsp_dw3_weights(constants, c.weights + begin, layout.along.tap_bytes, layout.across.tap_bytes);
  const int32_t offsets = static_cast<int32_t>(0x00010001u * static_cast<uint16_t>(c.input_offset));
  int32_t* k = constants;
  for (int32_t o = begin; o < begin + 4; ++o, k += kChannelWords) {
    int32_t acc = c.bias != nullptr ? 2 * c.bias[o] : 0;
    for (int32_t row = 0; row < 3; ++row) acc = __smlatb(k[5 + row], offsets, __smlad(k[row], offsets, acc));
    k[10] = acc;
    const FastRow row = fast_row(c.multiplier[o], c.shift[o], c.output_offset);
    k[11] = row.multiplier;
    k[12] = row.addend;
    k[13] = row.shift;
  }
}

void fill_padding(int32_t* slot, int32_t pairs, uint32_t pad) {
  const int32_t word = static_cast<int32_t>(pad);
  for (int32_t left = pairs; left > 0; --left, slot += 12) {  // the four planes follow each other: 4 * pairs strides
    slot[0] = word;
    slot[3] = word;
    slot[6] = word;
    slot[9] = word;
  }
}

// One image, channels whose constants are given. Ring slot s holds padded lines s, s + 3, ...
void run_group(const DepthwiseConv2dS8& c, const Layout& layout, const int32_t* constants, int32_t* planes,
               const int8_t* input, int8_t* output) {
  const auto [along, across, pairs] = layout;
  const uint32_t pad = static_cast<uint16_t>(-c.input_offset) * 0x00010001u;
  const int32_t pixels = along.in < 2 * pairs - along.pad ? along.in : 2 * pairs - along.pad;
  const int32_t paired = pixels - along.pad;
  const int32_t fill[5] = {pairs * 12, paired / 2, along.pad, paired & 1,
                           static_cast<int32_t>(splat4(-c.input_offset))};
  int32_t args[4] = {along.out_bytes, along.out / 2, along.out & 1, 0};
  const auto line_core = c.stride_w == 1 ? wick_dsp_dw3_line_s1 : wick_dsp_dw3_line_s2;
  int32_t next = 0, slot = 0, top = 0;  // next padded line and its slot, slot of kernel row 0
  for (int32_t line = 0; line < across.out; ++line, output += across.out_bytes) {
    for (; next < line * c.stride_w + 3; ++next, slot = slot == 2 ? 0 : slot + 1) {
      const int32_t source = next - across.pad;
      if (source >= 0 && source < across.in) {
        wick_dsp_dw3_fill(planes + slot, input + source * across.in_bytes, along.in_bytes, fill);
      } else {
        fill_padding(planes + slot, pairs, pad);
      }
    }
    args[3] = top == 0 ? 0 : 4 * (3 - top);
    line_core(planes, constants, output, args);
    top += c.stride_w;
    if (top >= 3) top -= 3;
  }
}

void run_planes(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  const Layout layout = layout_of(c);
  int32_t* constants = static_cast<int32_t*>(scratch);
  int32_t* planes = constants + kConstantWords;
  // Columns past the image are never written again.
  for (int32_t slot = 0; slot < 3; ++slot) {
    fill_padding(planes + slot, layout.pairs, static_cast<uint16_t>(-c.input_offset) * 0x00010001u);
  }
  for (int32_t group = 0; group < c.out_c; group += 4) {
    // The last four channels may overlap those before: they come out the same.
    const int32_t begin = group + 4 <= c.out_c ? group : c.out_c - 4;
    write_constants(c, layout, begin, constants);
    for (int32_t n = 0; n < c.batch; ++n) {
      run_group(c, layout, constants, planes, input + n * c.in_h * c.in_w * c.in_c + begin,
                output + n * c.out_h * c.out_w * c.out_c + begin);
    }
  }
  clamp_s8(output, c.batch * c.out_h * c.out_w * c.out_c, c.act_min, c.act_max);
}

}  // namespace

KernelMemory depthwise_conv2d_s8_plan(DepthwiseConv2dS8& c) {
  c.path = kScalar;
  const KernelMemory as_conv2d = one_channel_depthwise_plan(c);
  if (c.path != 0) return as_conv2d;
  if (!fits_arithmetic(c)) return scalar::depthwise_conv2d_s8_plan(c);
  if (fits_planes(c)) {
    c.path = kPlanes3x3;
    return {0, static_cast<uint32_t>(4 * (kConstantWords + 12 * pairs_of(c)))};
  }
  const uint32_t scratch_bytes = ring_depthwise_scratch(c);
  if (scratch_bytes == 0) return scalar::depthwise_conv2d_s8_plan(c);
  c.path = kRing;
  return {0, scratch_bytes};
}

void depthwise_conv2d_s8_prepare(DepthwiseConv2dS8& c, void* prepared) { c.prepared = prepared; }

void depthwise_conv2d_s8(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if ((c.path & kDepthwiseIsConv2d) != 0) return one_channel_depthwise(c, input, output, scratch);
  if (c.path == kPlanes3x3) return run_planes(c, input, output, scratch);
  if (c.path == kRing) return ring_depthwise(c, input, output, scratch);
  scalar::depthwise_conv2d_s8(c, input, output, scratch);
}

}  // namespace wick::kernels::dsp
