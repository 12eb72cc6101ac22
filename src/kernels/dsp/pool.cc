// INT8 pooling over NHWC images, 16 or 4 channels at a time; the last ones may overlap those before, which gives the
// same bytes. The window is clipped to the image: padding counts for nothing. Fewer than 4 channels are scalar's.
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// A clipped window. Read by the assembly: keep the order.
struct PoolWindow {
  int32_t pixel_bytes, columns, rows;
  int32_t row_skip;  // from a row's end to the next
  uint32_t start;    // what each pair of sums begins with
  int32_t count() const { return rows * columns; }
};

extern "C" {
void wick_dsp_pool_sum16(const int8_t* x, const PoolWindow* window, uint32_t halves[8]);
void wick_dsp_pool_max16(const int8_t* x, const PoolWindow* window, int8_t out[16]);
void wick_dsp_pool_max2x2(const int8_t* x, int8_t* out, const int32_t args[3]);
void wick_dsp_pool_average2x2(const int8_t* x, int8_t* out, const int32_t args[3]);
}

namespace {

enum Path : uint32_t { kScalar, kWindows, kTwoByTwo };

constexpr int32_t kSumLimit = 256;  // this many INT8 values fit an int16 sum

struct Window : PoolWindow {
  const int8_t* first;
};

int32_t clipped_end(int32_t start, int32_t kernel, int32_t size) {
  return start + kernel < size ? start + kernel : size;
}

Window window_at(const Pool2d& c, const int8_t* image, int32_t y, int32_t x) {
  const int32_t top = y > 0 ? y : 0, left = x > 0 ? x : 0;
  const int32_t rows = clipped_end(y, c.kernel_h, c.in_h) - top, columns = clipped_end(x, c.kernel_w, c.in_w) - left;
  if (rows <= 0 || columns <= 0) return {{c.channels, 0, 0, 0, 0}, image};
  const int8_t* first = image + (top * c.in_w + left) * c.channels;
  if (columns == c.in_w) return {{c.channels, columns * rows, 1, 0, 0}, first};
  return {{c.channels, columns, rows, (c.in_w - columns) * c.channels, 0}, first};
}

// Calls pool(window, out) for each output pixel, in memory order.
template <typename PoolFn>
inline void for_each_window(const Pool2d& c, const int8_t* input, int8_t* output, PoolFn pool) {
  const int32_t image_size = c.in_h * c.in_w * c.channels;
  for (int32_t n = 0; n < c.batch; ++n, input += image_size) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      for (int32_t ox = 0; ox < c.out_w; ++ox, output += c.channels) {
        pool(window_at(c, input, oy * c.stride_h - c.pad_h, ox * c.stride_w - c.pad_w), output);
      }
    }
  }
}

// Calls block(channel) so that blocks of `size` cover all channels; there are at least `size`.
template <typename BlockFn>
inline void for_each_block(int32_t channels, int32_t size, BlockFn block) {
  for (int32_t i = 0; i < channels; i += size) block(i + size <= channels ? i : channels - size);
}

// Calls pixel(x) for each pixel of a window.
template <typename PixelFn>
inline void for_each_pixel(const Window& w, int32_t channel, PixelFn pixel) {
  const int8_t* x = w.first + channel;
  for (int32_t y = 0; y < w.rows; ++y, x += w.row_skip) {
    for (int32_t i = 0; i < w.columns; ++i, x += w.pixel_bytes) pixel(x);
  }
}

// Two int16 halves, as channels 0 and 2 of `sums`.
inline void add_halves(int32_t* sums, uint32_t halves) {
  sums[0] += static_cast<int16_t>(halves);
  sums[2] += static_cast<int32_t>(halves) >> 16;
}

void sum16(const Window& w, const int8_t* x, int32_t sums[16]) {
  for (int32_t i = 0; i < 16; ++i) sums[i] = 0;
  Window part = w;
  const bool whole = w.count() <= kSumLimit;
  if (!whole) part.rows = 1;
  for (int32_t y = 0; y < w.rows; y += part.rows, x += w.row_skip) {
    for (int32_t left = w.columns; left > 0; left -= part.columns, x += part.columns * w.pixel_bytes) {
      part.columns = !whole && left > kSumLimit ? kSumLimit : left;
      uint32_t halves[8];
      wick_dsp_pool_sum16(x, &part, halves);
      for (int32_t i = 0; i < 4; ++i) {
        add_halves(sums + 4 * i, halves[2 * i]);
        add_halves(sums + 4 * i + 1, halves[2 * i + 1]);
      }
    }
  }
}

// Divides sums by the number of pixels, halves away from zero: floor((sum + n/2 - [sum < 0 and n is even]) / n). Sums
// carry 128 * n more, so that floor is a product with 2^32 / n rounded up; they fit a half for n <= 127.
struct Mean {
  static bool works_for(int32_t count) { return count >= 3 && count <= 127; }
  explicit Mean(int32_t count)
      : zero(static_cast<uint32_t>(count * 128 + count / 2) * 0x00010001u),
        reciprocal(static_cast<int32_t>(0xFFFFFFFFu / static_cast<uint32_t>(count) + 1)),
        even(count % 2 == 0) {}

  // Means of four channels from the sums of channels (0, 2) and (1, 3), which started at `zero`.
  uint32_t of(uint32_t sums02, uint32_t sums13) const {
    if (even) {
      sums02 = one_less_below_zero(sums02);
      sums13 = one_less_below_zero(sums13);
    }
    const uint32_t means02 = divide(sums02), means13 = divide(sums13);
    return (means02 | means13 << 8) ^ 0x80808080u;
  }

  uint32_t zero;

 private:
  uint32_t one_less_below_zero(uint32_t sums) const {
    uint32_t spare, result = __ssub16(sums, 0x00010001u);
    __asm("ssub16 %0, %2, %3\n\tsel %1, %2, %1" : "=&r"(spare), "+&r"(result) : "r"(sums), "r"(zero));
    return result;
  }
  uint32_t divide(uint32_t sums) const {
    uint32_t low, high, both;
    __asm("smulwb %0, %1, %2" : "=r"(low) : "r"(reciprocal), "r"(sums));
    __asm("smulwt %0, %1, %2" : "=r"(high) : "r"(reciprocal), "r"(sums));
    __asm("pkhtb %0, %1, %2, asr #16" : "=r"(both) : "r"(high), "r"(low));
    return both;
  }

  int32_t reciprocal;
  bool even;
};

void average_by_division(const Window& w, int32_t channels, int8_t* out) {
  const int32_t count = w.count(), half = count / 2;
  const auto finish = [=](const int32_t* sums, int32_t size, int8_t* to) {
    for (int32_t i = 0; i < size; ++i) {
      to[i] = static_cast<int8_t>((sums[i] > 0 ? sums[i] + half : sums[i] - half) / count);
    }
  };
  if (channels >= 16) {
    for_each_block(channels, 16, [&](int32_t channel) {
      int32_t sums[16];
      sum16(w, w.first + channel, sums);
      finish(sums, 16, out + channel);
    });
  } else {
    for_each_block(channels, 4, [&](int32_t channel) {
      int32_t sums[4] = {};
      for_each_pixel(w, channel, [&](const int8_t* x) {
        for (int32_t i = 0; i < 4; ++i) sums[i] += x[i];
      });
      finish(sums, 4, out + channel);
    });
  }
}

void average_window(Window& w, int32_t channels, int8_t* out) {
  const int32_t count = w.count();
  if (count == 0) {
    for (int32_t i = 0; i < channels; ++i) out[i] = 0;
    return;
  }
  if (!Mean::works_for(count)) return average_by_division(w, channels, out);
  const Mean mean(count);
  w.start = mean.zero;
  if (channels >= 16) {
    for_each_block(channels, 16, [&](int32_t channel) {
      uint32_t sums[8];
      wick_dsp_pool_sum16(w.first + channel, &w, sums);
      for (int32_t i = 0; i < 4; ++i) store4(out + channel + 4 * i, mean.of(sums[2 * i], sums[2 * i + 1]));
    });
  } else {
    for_each_block(channels, 4, [&](int32_t channel) {
      uint32_t even = mean.zero, odd = mean.zero;
      for_each_pixel(w, channel, [&](const int8_t* x) {
        even = add_even(even, load4(x));
        odd = add_odd(odd, load4(x));
      });
      store4(out + channel, mean.of(even, odd));
    });
  }
}

void max_window(const Window& w, int32_t channels, int8_t* out) {
  if (w.count() == 0) {
    for (int32_t i = 0; i < channels; ++i) out[i] = -128;
  } else if (channels >= 16) {
    for_each_block(channels, 16, [&](int32_t channel) { wick_dsp_pool_max16(w.first + channel, &w, out + channel); });
  } else {
    for_each_block(channels, 4, [&](int32_t channel) {
      uint32_t largest = splat4(-128);
      for_each_pixel(w, channel, [&](const int8_t* x) { largest = max4(largest, load4(x)); });
      store4(out + channel, largest);
    });
  }
}

using TwoByTwoRow = void (*)(const int8_t* x, int8_t* out, const int32_t args[3]);

void run_2x2(const Pool2d& c, const int8_t* input, int8_t* output, TwoByTwoRow core) {
  const int32_t row = c.in_w * c.channels;
  const int32_t args[3] = {c.channels, row, c.out_w};
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * row) {
    for (int32_t oy = 0; oy < c.out_h; ++oy, output += c.out_w * c.channels) core(input + 2 * oy * row, output, args);
  }
}

// Whole 2x2 windows side by side, whole words of channels.
bool is_two_by_two(const Pool2d& c) {
  return c.kernel_h == 2 && c.kernel_w == 2 && c.stride_h == 2 && c.stride_w == 2 && c.pad_h == 0 && c.pad_w == 0 &&
         c.out_h > 0 && c.out_w > 0 && 2 * c.out_h <= c.in_h && 2 * c.out_w <= c.in_w && c.channels % 4 == 0;
}

void clamp_output(const Pool2d& c, int8_t* output) {
  clamp_s8(output, c.batch * c.out_h * c.out_w * c.channels, c.act_min, c.act_max);
}

KernelMemory plan(Pool2d& c) {
  const bool scalar = c.channels < 4 || !bounds_fit_s8(c.act_min, c.act_max);
  c.path = scalar ? kScalar : is_two_by_two(c) ? kTwoByTwo : kWindows;
  return {};
}

}  // namespace

KernelMemory avg_pool2d_s8_plan(Pool2d& c) { return plan(c); }

void avg_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::avg_pool2d_s8(c, input, output, scratch);
  if (c.path == kTwoByTwo) {
    run_2x2(c, input, output, wick_dsp_pool_average2x2);
  } else {
    for_each_window(c, input, output, [&c](Window w, int8_t* out) { average_window(w, c.channels, out); });
  }
  clamp_output(c, output);
}

KernelMemory max_pool2d_s8_plan(Pool2d& c) {
  if (c.dilation_h == 1 && c.dilation_w == 1) return plan(c);
  c.path = kScalar;
  return scalar::max_pool2d_s8_plan(c);
}

void max_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::max_pool2d_s8(c, input, output, scratch);
  if (c.path == kTwoByTwo) {
    run_2x2(c, input, output, wick_dsp_pool_max2x2);
  } else {
    for_each_window(c, input, output, [&c](const Window& w, int8_t* out) { max_window(w, c.channels, out); });
  }
  clamp_output(c, output);
}

}  // namespace wick::kernels::dsp
