// INT8 pooling on Helium: sixteen channels at a time, 16-bit sums while they suffice, means by a reciprocal that is
// exact for them.
#include "kernels/mve/requantize.h"

// pool.S
extern "C" void wick_mve_sum32(const int8_t* first, int32_t channels, int32_t columns, int32_t rows, int32_t row_step,
                               int16_t sums[32]);

namespace wick::kernels::mve {

namespace {

// The part of a window that lies inside the image.
struct Window {
  const int8_t* first;  // channel 0 of its first pixel; only where there are pixels
  int32_t rows, columns;
  int32_t row_step;  // bytes
};

// Calls pool(window, out) for each output pixel, in memory order.
template <typename PoolFn>
void for_each_window(const Pool2d& c, const int8_t* input, int8_t* output, PoolFn pool) {
  const int32_t row_step = c.in_w * c.channels;
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * row_step) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t y = oy * c.stride_h - c.pad_h, top = y > 0 ? y : 0;
      const int32_t bottom = y + c.kernel_h < c.in_h ? y + c.kernel_h : c.in_h;
      for (int32_t ox = 0; ox < c.out_w; ++ox, output += c.channels) {
        const int32_t x = ox * c.stride_w - c.pad_w, left = x > 0 ? x : 0;
        const int32_t right = x + c.kernel_w < c.in_w ? x + c.kernel_w : c.in_w;
        Window window = {input, bottom > top ? bottom - top : 0, right > left ? right - left : 0, row_step};
        if (window.rows > 0 && window.columns > 0) window.first += top * row_step + left * c.channels;
        // Whole rows are one run.
        if (window.columns == c.in_w) {
          window.columns *= window.rows;
          window.rows = window.rows > 0 ? 1 : 0;
        }
        pool(window, output);
      }
    }
  }
}

// The mean of 2 to 255 bytes, halves away from zero. |sum| + count / 2 stays below 2^15, and there a high product with
// ceil(2^(16 + k) / count), k = ceil(log2(count)) - 1, divides exactly.
struct Mean {
  int32_t count = 0;
  uint16_t half = 0, reciprocal = 0;
  int32_t shift = 0;  // -k

  void set(int32_t pixels) {
    if (pixels == count) return;
    count = pixels;
    half = static_cast<uint16_t>(count / 2);
    const uint32_t n = static_cast<uint32_t>(count);
    const int32_t k = 31 - __builtin_clz(n - 1);
    shift = -k;
    reciprocal = static_cast<uint16_t>(((1u << (16 + k)) + n - 1) / n);
  }
  int16x8_t of(int16x8_t sum) const {
    const uint16x8_t size = vaddq_n_u16(vreinterpretq_u16_s16(vabsq_s16(sum)), half);
    const int16x8_t mean = vreinterpretq_s16_u16(vshlq_r_u16(vmulhq_u16(size, vdupq_n_u16(reciprocal)), shift));
    return vnegq_m_s16(mean, mean, vcmpltq_n_s16(sum, 0));
  }
};

constexpr int32_t kMostPixels = 255;  // whose sum fits 16 bits

void mean_of_32(const Window& window, int32_t channels, const Mean& mean, int8_t* out) {
  alignas(4) int16_t sums[32];
  wick_mve_sum32(window.first, channels, window.columns, window.rows, window.row_step, sums);
  for (int32_t i = 0; i < 32; i += 8) vstrbq_s16(out + i, mean.of(vldrhq_s16(sums + i)));
}

// Up to 16 channels.
void mean_of_few(const Window& window, int32_t channels, const Mean& mean, int32_t few, int8_t* out) {
  const mve_pred16_t p = lanes16(few), q = lanes16(few > 8 ? few - 8 : 0);
  int16x8_t a = vdupq_n_s16(0), b = a;
  const int8_t* row = window.first;
  for (int32_t y = window.rows; y > 0; --y, row += window.row_step) {
    const int8_t* x = row;
    for (int32_t n = window.columns; n > 0; --n, x += channels) {
      a = vaddq_s16(a, vldrbq_z_s16(x, p));
      b = vaddq_s16(b, vldrbq_z_s16(x + 8, q));
    }
  }
  vstrbq_p_s16(out, mean.of(a), p);
  vstrbq_p_s16(out + 8, mean.of(b), q);
}

}  // namespace

KernelMemory avg_pool2d_s8_plan(Pool2d& c) {
  c.path = static_cast<int64_t>(c.kernel_h) * c.kernel_w <= kMostPixels && c.act_min >= -128 && c.act_max <= 127;
  return {};
}

void avg_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == 0) return scalar::avg_pool2d_s8(c, input, output, scratch);
  Mean mean;
  for_each_window(c, input, output, [&](Window window, int8_t* out) {
    const int32_t count = window.rows * window.columns;
    if (count == 0) return fill(out, c.channels, 0);
    if (count == 1) return copy_bytes(out, window.first, c.channels);
    mean.set(count);
    int32_t left = c.channels;
    for (; left >= 32; left -= 32, window.first += 32, out += 32) mean_of_32(window, c.channels, mean, out);
    for (; left > 0; left -= 16, window.first += 16, out += 16) mean_of_few(window, c.channels, mean, left, out);
  });
  const uint32_t bytes = static_cast<uint32_t>(c.batch * c.out_h * c.out_w * c.channels);
  clamp_in_place(output, bytes, c.act_min, c.act_max);
}

KernelMemory max_pool2d_s8_plan(Pool2d& c) {
  c.path = c.act_min >= -128 && c.act_max <= 127 && c.dilation_h == 1 && c.dilation_w == 1;
  return {};
}

void max_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == 0) return scalar::max_pool2d_s8(c, input, output, scratch);
  const int8x16_t low = vdupq_n_s8(static_cast<int8_t>(c.act_min)), high = vdupq_n_s8(static_cast<int8_t>(c.act_max));
  for_each_window(c, input, output, [&](Window window, int8_t* out) {
    for (int32_t left = c.channels; left > 0; left -= 16, window.first += 16, out += 16) {
      const mve_pred16_t p = lanes8(left);
      int8x16_t largest = vdupq_n_s8(-128);
      const int8_t* row = window.first;
      for (int32_t y = 0; y < window.rows; ++y, row += window.row_step) {
        const int8_t* x = row;
        for (int32_t n = window.columns; n > 0; --n, x += c.channels) {
          largest = vmaxq_s8(largest, vldrbq_z_s8(x, p));
        }
      }
      vstrbq_p_s8(out, vminq_s8(vmaxq_s8(largest, low), high), p);
    }
  });
}

}  // namespace wick::kernels::mve
