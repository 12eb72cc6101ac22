// INT8 depthwise convolution, general in every parameter. Weights lie channel by channel within a tap, so a window is
// summed for a block of channels at a time: the inner loop runs along memory.
#include "kernels/kernels.h"
#include "kernels/scalar/requantize_out.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::scalar {

namespace {

constexpr int32_t kBlock = 16;

struct Window {
  Taps rows, columns;
  const int8_t* first;  // the input byte under tap (rows.begin, columns.begin), channel 0
};

// acc[i] += (x + offset) * w for the output channels [begin, begin + count).
void add_tap(uint32_t* acc, const int8_t* input, const int8_t* weights, int32_t begin, int32_t count, int32_t per_input,
             int32_t offset) {
  if (per_input == 1) {
    for (int32_t i = 0; i < count; ++i) {
      acc[i] += static_cast<uint32_t>((input[begin + i] + offset) * weights[begin + i]);
    }
    return;
  }
  int32_t channel = begin / per_input, left = per_input - begin % per_input;
  for (int32_t i = 0; i < count; ++i) {
    acc[i] += static_cast<uint32_t>((input[channel] + offset) * weights[begin + i]);
    if (--left == 0) {
      ++channel;
      left = per_input;
    }
  }
}

void run_window(const DepthwiseConv2dS8& c, const Window& window, int8_t* output) {
  const int32_t row_step = c.dilation_h * c.in_w * c.in_c, column_step = c.dilation_w * c.in_c;
  const int32_t per_input = c.out_c / c.in_c;
  for (int32_t begin = 0; begin < c.out_c; begin += kBlock) {
    const int32_t count = c.out_c - begin < kBlock ? c.out_c - begin : kBlock;
    uint32_t acc[kBlock];
    for (int32_t i = 0; i < count; ++i) acc[i] = c.bias != nullptr ? static_cast<uint32_t>(c.bias[begin + i]) : 0;
    for (int32_t ky = 0; ky < window.rows.count(); ++ky) {
      const int8_t* weights = c.weights + ((window.rows.begin + ky) * c.kernel_w + window.columns.begin) * c.out_c;
      for (int32_t kx = 0; kx < window.columns.count(); ++kx) {
        add_tap(acc, window.first + ky * row_step + kx * column_step, weights + kx * c.out_c, begin, count, per_input,
                c.input_offset);
      }
    }
    for (int32_t i = 0; i < count; ++i) {
      const int32_t o = begin + i;
      output[o] =
          requantized(static_cast<int32_t>(acc[i]), c.multiplier[o], c.shift[o], c.output_offset, c.act_min, c.act_max);
    }
  }
}

}  // namespace

KernelMemory depthwise_conv2d_s8_plan(DepthwiseConv2dS8&) { return {}; }

void depthwise_conv2d_s8_prepare(DepthwiseConv2dS8& c, void* prepared) { c.prepared = prepared; }

void depthwise_conv2d_s8(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void*) {
  for (int32_t n = 0; n < c.batch; ++n) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t y = oy * c.stride_h - c.pad_h;
      const Taps rows = taps_inside(y, c.kernel_h, c.dilation_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox) {
        const int32_t x = ox * c.stride_w - c.pad_w;
        const Taps columns = taps_inside(x, c.kernel_w, c.dilation_w, c.in_w);
        const int8_t* first = input;
        if (rows.count() > 0 && columns.count() > 0) {
          first += ((y + rows.begin * c.dilation_h) * c.in_w + x + columns.begin * c.dilation_w) * c.in_c;
        }
        run_window(c, {rows, columns, first}, output);
        output += c.out_c;
      }
    }
    input += c.in_h * c.in_w * c.in_c;
  }
}

}  // namespace wick::kernels::scalar
