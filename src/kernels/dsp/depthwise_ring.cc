// Depthwise convolution of any shape on a ring of expanded input lines (depthwise_ring_core.S), four output channels at
// a time. Lines run along the kernel's longer axis; a dilated row has zero weights between its taps.
#include "kernels/dsp/depthwise_ring.h"

#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"

namespace wick::kernels::dsp {

// Read by the assembly: keep the order.
struct RingLine {
  int32_t outputs, out_bytes, window_bytes, taps, rows;
};

extern "C" void wick_dsp_dw_ring_line(const int32_t* const* rows, const int32_t* stream, int8_t* out,
                                      const RingLine* line);

namespace {

constexpr int32_t kMaxTaps = 16;     // of a row, the core's
constexpr int32_t kMaxKernel = 255;  // so that the sum of the weights fits a half
constexpr int64_t kMaxScratch = 16384;
constexpr int32_t kConstantWords = 16;  // bias2, multiplier, addend and shift of four channels
constexpr int32_t kPixelWords = 2;

// One axis: sizes, and bytes from one neighbour to the next.
struct Axis {
  int32_t in, out, kernel, stride, pad, dilation;
  int32_t in_bytes, out_bytes, tap_bytes;
  int32_t span() const { return (kernel - 1) * dilation + 1; }
};

struct Ring {
  Axis along, across;
  int32_t columns() const { return (along.out - 1) * along.stride + along.span(); }
  int32_t stream_words() const { return kConstantWords + kPixelWords * across.kernel * along.span(); }
  int32_t line_words() const { return kPixelWords * columns(); }
};

Ring ring_of(const DepthwiseConv2dS8& c) {
  const Axis x = {c.in_w, c.out_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w, c.in_c, c.out_c, c.out_c};
  const Axis y = {c.in_h,       c.out_h,         c.kernel_h,        c.stride_h,          c.pad_h,
                  c.dilation_h, c.in_w * c.in_c, c.out_w * c.out_c, c.kernel_w * c.out_c};
  const bool down = c.kernel_h != c.kernel_w ? c.kernel_h > c.kernel_w : c.out_h > c.out_w;
  return down ? Ring{y, x} : Ring{x, y};
}

// The stream of output channels [begin, begin + 4).
void write_stream(const DepthwiseConv2dS8& c, const Ring& ring, int32_t begin, int32_t* stream) {
  int32_t* at = stream + 4;
  uint32_t even = 0, odd = 0;
  for (int32_t row = 0; row < ring.across.kernel; ++row) {
    const int8_t* w = c.weights + begin + row * ring.across.tap_bytes;
    for (int32_t tap = 0; tap < ring.along.kernel; ++tap, w += ring.along.tap_bytes, at += kPixelWords) {
      for (int32_t gap = tap > 0 ? ring.along.dilation : 1; gap > 1; --gap, at += kPixelWords) at[0] = at[1] = 0;
      const uint32_t four = load4(w), w02 = add_even(0, four), w13 = add_odd(0, four);
      even = __sadd16(even, w02);
      odd = __sadd16(odd, w13);
      at[0] = static_cast<int32_t>(__sadd16(w02, w02));
      at[1] = static_cast<int32_t>(__sadd16(w13, w13));
    }
  }
  const int32_t sums[4] = {static_cast<int16_t>(even), static_cast<int16_t>(odd), static_cast<int32_t>(even) >> 16,
                           static_cast<int32_t>(odd) >> 16};
  for (int32_t i = 0; i < 4; ++i, at += 3) {
    const int32_t o = begin + i;
    stream[i] = 2 * ((c.bias != nullptr ? c.bias[o] : 0) + c.input_offset * sums[i]);
    const FastRow row = fast_row(c.multiplier[o], c.shift[o], c.output_offset);
    at[0] = row.multiplier;
    at[1] = row.addend;
    at[2] = row.shift;
  }
}

// Where the four channels of a pixel lie. Neighbours are read as one word.
struct Lanes {
  int32_t first, offsets[4];
  bool neighbours;
};

Lanes lanes_of(const DepthwiseConv2dS8& c, int32_t begin) {
  const int32_t multiplier = c.out_c / c.in_c;
  Lanes lanes = {begin / multiplier, {}, multiplier == 1};
  for (int32_t i = 0; i < 4; ++i) lanes.offsets[i] = (begin + i) / multiplier - lanes.first;
  return lanes;
}

uint32_t pixel(const Lanes& lanes, const int8_t* x) {
  if (lanes.neighbours) return load4(x);
  uint32_t four = 0;
  for (int32_t i = 3; i >= 0; --i) four = four << 8 | static_cast<uint8_t>(x[lanes.offsets[i]]);
  return four;
}

int32_t* fill_padding(int32_t* to, int32_t pixels, int32_t halves) {
  for (; pixels > 0; --pixels, to += kPixelWords) to[0] = to[1] = halves;
  return to;
}

// A padded line; `x` is null when it lies outside the image.
void fill_line(const Ring& ring, const Lanes& lanes, int32_t halves, const int8_t* x, int32_t* to) {
  const Axis& a = ring.along;
  const int32_t columns = ring.columns();
  const int32_t before = x == nullptr || a.pad > columns ? columns : a.pad;
  int32_t inside = columns - before;
  if (inside > a.in) inside = a.in;
  const int32_t after = columns - before - inside;
  to = fill_padding(to, before, halves);
  for (; inside > 0; --inside, x += a.in_bytes, to += kPixelWords) {
    const uint32_t four = pixel(lanes, x);
    to[0] = static_cast<int32_t>(add_even(0, four));
    to[1] = static_cast<int32_t>(add_odd(0, four));
  }
  fill_padding(to, after, halves);
}

// One image, four channels. Ring slot s holds the padded lines s, s + span, ...
void run_image(const DepthwiseConv2dS8& c, const Ring& ring, const Lanes& lanes, const int32_t* stream,
               const int32_t** rows, int32_t* lines, const int8_t* input, int8_t* output) {
  const Axis& across = ring.across;
  const int32_t span = across.span(), words = ring.line_words();
  const int32_t halves = static_cast<int32_t>(0x00010001u * static_cast<uint16_t>(-c.input_offset));
  const RingLine line = {ring.along.out, ring.along.out_bytes, 4 * kPixelWords * ring.along.stride, ring.along.span(),
                         across.kernel};
  int32_t next = 0;
  for (int32_t y = 0; y < across.out; ++y, output += across.out_bytes) {
    const int32_t top = y * across.stride;
    for (next = next > top ? next : top; next < top + span; ++next) {
      const int32_t source = next - across.pad;
      const bool inside = source >= 0 && source < across.in;
      fill_line(ring, lanes, halves, inside ? input + source * across.in_bytes : nullptr, lines + next % span * words);
    }
    for (int32_t k = 0; k < across.kernel; ++k) rows[k] = lines + (top + k * across.dilation) % span * words;
    wick_dsp_dw_ring_line(rows, stream, output, &line);
  }
}

}  // namespace

uint32_t ring_depthwise_scratch(const DepthwiseConv2dS8& c) {
  const Ring ring = ring_of(c);
  if (c.out_c < 4 || c.in_c < 1 || c.in_h < 1 || c.in_w < 1 || c.out_h < 1 || c.out_w < 1) return 0;
  if (c.pad_h < 0 || c.pad_w < 0 || c.kernel_h > kMaxKernel || c.kernel_w > kMaxKernel) return 0;
  if (int64_t{ring.along.kernel - 1} * ring.along.dilation >= kMaxTaps || c.kernel_h * c.kernel_w > kMaxKernel)
    return 0;
  const int64_t span = int64_t{ring.across.kernel - 1} * ring.across.dilation + 1;
  const int64_t columns = int64_t{ring.along.out - 1} * ring.along.stride + ring.along.span();
  const int64_t bytes = span * columns * 4 * kPixelWords + 4 * ring.stream_words() +
                        static_cast<int64_t>(sizeof(int32_t*)) * ring.across.kernel;
  return bytes <= kMaxScratch ? static_cast<uint32_t>(bytes) : 0;
}

void ring_depthwise(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  const Ring ring = ring_of(c);
  const int32_t** rows = static_cast<const int32_t**>(scratch);
  int32_t* stream = static_cast<int32_t*>(scratch) + ring.across.kernel;
  int32_t* lines = stream + ring.stream_words();
  for (int32_t group = 0; group < c.out_c; group += 4) {
    // The last four channels may overlap those before: they come out the same.
    const int32_t begin = group + 4 <= c.out_c ? group : c.out_c - 4;
    write_stream(c, ring, begin, stream);
    const Lanes lanes = lanes_of(c, begin);
    for (int32_t n = 0; n < c.batch; ++n) {
      run_image(c, ring, lanes, stream, rows, lines, input + n * c.in_h * c.in_w * c.in_c + lanes.first,
                output + n * c.out_h * c.out_w * c.out_c + begin);
    }
  }
  clamp_s8(output, c.batch * c.out_h * c.out_w * c.out_c, c.act_min, c.act_max);
}

}  // namespace wick::kernels::dsp
