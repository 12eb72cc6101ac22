// INT8 pooling over NHWC images, one channel at a time. The window is clipped to the image: padding counts for nothing.
#include "core/quant.h"
#include "kernels/kernels.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::scalar {

namespace {

// The part of one axis' window that lies inside the image.
struct Span {
  int32_t begin, end;
};

Span clip(int32_t start, int32_t kernel, int32_t size) {
  const int32_t end = start + kernel;
  return {start > 0 ? start : 0, end < size ? end : size};
}

// Calls pool(rows, columns, image, out) for each output pixel, in memory order.
template <typename PoolFn>
void for_each_window(const Pool2d& c, const int8_t* input, int8_t* output, PoolFn pool) {
  const int32_t image_size = c.in_h * c.in_w * c.channels;
  for (int32_t n = 0; n < c.batch; ++n, input += image_size) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const Span rows = clip(oy * c.stride_h - c.pad_h, c.kernel_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox) {
        pool(rows, clip(ox * c.stride_w - c.pad_w, c.kernel_w, c.in_w), input, output);
        output += c.channels;
      }
    }
  }
}

// Halves away from zero; 0 for an empty window.
int32_t rounded_mean(int32_t sum, int32_t count) {
  if (count <= 0) return 0;
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

}  // namespace

KernelMemory avg_pool2d_s8_plan(Pool2d&) { return {}; }

void avg_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void*) {
  for_each_window(c, input, output, [&c](Span rows, Span columns, const int8_t* image, int8_t* out) {
    const int32_t width = columns.end - columns.begin;
    const int32_t count = (rows.end - rows.begin) * width;
    for (int32_t ch = 0; ch < c.channels; ++ch) {
      int32_t sum = 0;
      for (int32_t y = rows.begin; y < rows.end; ++y) {
        const int8_t* in = image + (y * c.in_w + columns.begin) * c.channels + ch;
        for (int32_t x = 0; x < width; ++x, in += c.channels) sum += *in;
      }
      out[ch] = static_cast<int8_t>(clamp(rounded_mean(sum, count), c.act_min, c.act_max));
    }
  });
}

KernelMemory max_pool2d_s8_plan(Pool2d&) { return {}; }

void max_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void*) {
  const int32_t image_size = c.in_h * c.in_w * c.channels;
  const int32_t row_step = c.dilation_h * c.in_w * c.channels, column_step = c.dilation_w * c.channels;
  for (int32_t n = 0; n < c.batch; ++n, input += image_size) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t top = oy * c.stride_h - c.pad_h;
      const Taps rows = taps_inside(top, c.kernel_h, c.dilation_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox) {
        const int32_t left = ox * c.stride_w - c.pad_w;
        const Taps columns = taps_inside(left, c.kernel_w, c.dilation_w, c.in_w);
        const int32_t first_row = top + rows.begin * c.dilation_h, first_column = left + columns.begin * c.dilation_w;
        for (int32_t ch = 0; ch < c.channels; ++ch) {
          int32_t largest = -128;
          for (int32_t y = 0; y < rows.count(); ++y) {
            const int8_t* in = input + (first_row * c.in_w + first_column) * c.channels + y * row_step + ch;
            for (int32_t x = 0; x < columns.count(); ++x, in += column_step) largest = *in > largest ? *in : largest;
          }
          *output++ = static_cast<int8_t>(clamp(largest, c.act_min, c.act_max));
        }
      }
    }
  }
}

}  // namespace wick::kernels::scalar
