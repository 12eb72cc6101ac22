// INT8 convolution, general in every parameter. A window that lies wholly inside the image starts from a bias with
// input_offset * sum(w) folded in and multiplies bare bytes; one that hangs over adds the offset to each.
#include "kernels/kernels.h"
#include "kernels/scalar/dot.h"
#include "kernels/scalar/requantize_out.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::scalar {

namespace {

struct Window {
  Taps rows, columns;
  const int8_t* first;  // the input byte under tap (rows.begin, columns.begin), first channel of the image
  bool whole;
};

// Where the bias and the offset of a window come from.
struct Start {
  const int32_t* bias;  // or null
  int32_t offset;       // 0 when it is folded into the bias
};

// N output channels from `o` over one window. `input` points at their group's first channel.
template <int32_t N>
void run_channels(const Conv2dS8& c, const Window& window, const Start& start, const int8_t* input, int32_t o,
                  int8_t* output) {
  const int32_t depth = c.in_c / c.groups, taps = c.kernel_h * c.kernel_w * depth;
  const int32_t columns = window.columns.count();
  // Taps of a row that touch each other in the image touch each other in the weights too: one run.
  const bool one_run = c.groups == 1 && c.dilation_w == 1;
  const int32_t runs = one_run ? 1 : columns;
  const int32_t length = one_run ? columns * depth : depth;
  const int32_t row_step = c.dilation_h * c.in_w * c.in_c, column_step = c.dilation_w * c.in_c;
  const int8_t* weights = c.weights + o * taps + (window.rows.begin * c.kernel_w + window.columns.begin) * depth;
  uint32_t acc[N];
  for (int32_t n = 0; n < N; ++n) acc[n] = start.bias != nullptr ? static_cast<uint32_t>(start.bias[o + n]) : 0;
  for (int32_t ky = window.rows.begin; ky < window.rows.end; ++ky) {
    for (int32_t run = 0; run < runs; ++run) {
      const int8_t *x = input + run * column_step, *w = weights + run * depth;
      if (start.offset == 0) {
        dot(acc, x, w, taps, length);
      } else {
        dot_offsets(acc, x, w, taps, length, start.offset, 0);
      }
    }
    input += row_step;
    weights += c.kernel_w * depth;
  }
  for (int32_t n = 0; n < N; ++n) {
    output[o + n] = requantized(static_cast<int32_t>(acc[n]), c.multiplier[o + n], c.shift[o + n], c.output_offset,
                                c.act_min, c.act_max);
  }
}

void run_window(const Conv2dS8& c, const Window& window, int8_t* output) {
  const int32_t depth = c.in_c / c.groups, outputs = c.out_c / c.groups;
  const bool folded = window.whole && c.prepared != nullptr;
  const Start start = {folded ? static_cast<const int32_t*>(c.prepared) : c.bias, folded ? 0 : c.input_offset};
  int32_t o = 0;
  for (int32_t group = 0; group < c.groups; ++group) {
    const int8_t* input = window.first + group * depth;
    const int32_t end = o + outputs;
    for (; o + 2 <= end; o += 2) run_channels<2>(c, window, start, input, o, output);
    if (o < end) run_channels<1>(c, window, start, input, o++, output);
  }
}

}  // namespace

KernelMemory conv2d_s8_plan(Conv2dS8& c) { return {c.input_offset != 0 ? static_cast<uint32_t>(c.out_c) * 4 : 0, 0}; }

void conv2d_s8_prepare(Conv2dS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.input_offset == 0) {
    c.prepared = nullptr;
    return;
  }
  int32_t* folded = static_cast<int32_t*>(prepared);
  const int32_t taps = c.kernel_h * c.kernel_w * (c.in_c / c.groups);
  for (int32_t o = 0; o < c.out_c; ++o) {
    folded[o] =
        wrap_add(c.bias != nullptr ? c.bias[o] : 0, wrap_mul(c.input_offset, sum_of(c.weights + o * taps, taps)));
  }
}

void conv2d_s8(const Conv2dS8& c, const int8_t* input, int8_t* output, void*) {
  for (int32_t n = 0; n < c.batch; ++n) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t y = oy * c.stride_h - c.pad_h;
      const Taps rows = taps_inside(y, c.kernel_h, c.dilation_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox) {
        const int32_t x = ox * c.stride_w - c.pad_w;
        const Taps columns = taps_inside(x, c.kernel_w, c.dilation_w, c.in_w);
        const bool whole = rows.count() == c.kernel_h && columns.count() == c.kernel_w;
        const int8_t* first = input;
        if (rows.count() > 0 && columns.count() > 0) {
          first += ((y + rows.begin * c.dilation_h) * c.in_w + x + columns.begin * c.dilation_w) * c.in_c;
        }
        run_window(c, {rows, columns, first, whole}, output);
        output += c.out_c;
      }
    }
    input += c.in_h * c.in_w * c.in_c;
  }
}

}  // namespace wick::kernels::scalar
