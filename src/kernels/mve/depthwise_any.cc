// INT8 depthwise convolution with any window, stride and shift: a lane per channel, or 16 channels at a time with the
// products of two taps added up in 16 bits.
#include "kernels/mve/depthwise_any.h"

#include "kernels/mve/requantize.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::mve {

// Two products fit 16 bits unless both are (-128)^2, and the taps' sum of weights does.
bool can_pair(const DepthwiseConv2dS8& c) {
  const int64_t taps = static_cast<int64_t>(c.kernel_h) * c.kernel_w;
  if (taps > 255) return false;
  int32_t lowest = 0;
  for (int32_t i = 0, n = static_cast<int32_t>(taps) * c.out_c; i < n; i += 16) {
    const mve_pred16_t p = lanes8(n - i);
    lowest = vminvq_p_s8(static_cast<int8_t>(lowest), vldrbq_z_s8(c.weights + i, p), p);
  }
  return lowest > -128;
}

namespace {

void run_lanes(const DepthwiseConv2dS8& c, scalar::Taps rows, scalar::Taps columns, const int8_t* first,
               int8_t* output) {
  const int32_t row_step = c.dilation_h * c.in_w * c.in_c, column_step = c.dilation_w * c.in_c;
  const int8_t* weights = c.weights + (rows.begin * c.kernel_w + columns.begin) * c.out_c;
  for (int32_t ch = 0; ch < c.out_c; ch += 4) {
    const mve_pred16_t p = lanes32(c.out_c - ch);
    int32x4_t acc = c.bias != nullptr ? vldrwq_z_s32(c.bias + ch, p) : vdupq_n_s32(0);
    for (int32_t ky = 0; ky < rows.count(); ++ky) {
      const int8_t* x = first + ch + ky * row_step;
      const int8_t* w = weights + ch + ky * c.kernel_w * c.out_c;
      for (int32_t kx = 0; kx < columns.count(); ++kx, x += column_step, w += c.out_c) {
        const int32x4_t value = vaddq_n_s32(vldrbq_z_s32(x, p), c.input_offset);
        acc = vaddq_s32(acc, vmulq_s32(value, vldrbq_z_s32(w, p)));
      }
    }
    acc = requantize_lanes(acc, vldrwq_z_s32(c.multiplier + ch, p), vldrwq_z_s32(c.shift + ch, p));
    acc = vmaxq_s32(vaddq_n_s32(acc, c.output_offset), vdupq_n_s32(c.act_min));
    vstrbq_p_s32(output + ch, vminq_s32(acc, vdupq_n_s32(c.act_max)), p);
  }
}

// 16 channels as they come out of widening twice: vector j holds the channels kFirst[j] + 0, 4, 8, 12.
struct Sixteen {
  static constexpr int32_t kFirst[4] = {0, 2, 1, 3};
  int32x4_t v[4];

  static int32x4_t load(const int32_t* from, int j) {
    return vldrwq_gather_offset_s32(from + kFirst[j], vshlq_n_u32(vidupq_n_u32(0, 1), 4));
  }
  void add(int16x8_t even, int16x8_t odd) {
    v[0] = vaddq_s32(v[0], vmovlbq_s16(even));
    v[1] = vaddq_s32(v[1], vmovltq_s16(even));
    v[2] = vaddq_s32(v[2], vmovlbq_s16(odd));
    v[3] = vaddq_s32(v[3], vmovltq_s16(odd));
  }
};

// Sums of products over the taps inside the image; `weights` and `x` at the first of them.
inline void sum_pairs(const DepthwiseConv2dS8& c, int32_t rows, int32_t columns, const int8_t* x, const int8_t* weights,
                      Sixteen* acc) {
  const int32_t x_step = c.dilation_w * c.in_c, w_step = c.out_c;
  for (; rows > 0; --rows, x += c.dilation_h * c.in_w * c.in_c, weights += c.kernel_w * c.out_c) {
    const int8_t* from = x;
    const int8_t* w = weights;
    for (int32_t n = columns >> 1; n > 0; --n) {
      const int8x16_t x0 = vldrbq_s8(from), w0 = vldrbq_s8(w);
      const int8x16_t x1 = vldrbq_s8(from + x_step), w1 = vldrbq_s8(w + w_step);
      acc->add(vaddq_s16(vmullbq_int_s8(x0, w0), vmullbq_int_s8(x1, w1)),
               vaddq_s16(vmulltq_int_s8(x0, w0), vmulltq_int_s8(x1, w1)));
      from += 2 * x_step;
      w += 2 * w_step;
    }
    if ((columns & 1) != 0) {
      const int8x16_t x0 = vldrbq_s8(from), w0 = vldrbq_s8(w);
      acc->add(vmullbq_int_s8(x0, w0), vmulltq_int_s8(x0, w0));
    }
  }
}

// input_offset * sum of the weights inside the image, added to each channel.
void add_offset(const DepthwiseConv2dS8& c, int32_t rows, int32_t columns, const int8_t* weights, Sixteen* acc) {
  int16x8_t even = vdupq_n_s16(0), odd = even;
  for (; rows > 0; --rows, weights += c.kernel_w * c.out_c) {
    const int8_t* w = weights;
    for (int32_t n = columns; n > 0; --n, w += c.out_c) {
      const int8x16_t taps = vldrbq_s8(w);
      even = vaddq_s16(even, vmovlbq_s8(taps));
      odd = vaddq_s16(odd, vmovltq_s8(taps));
    }
  }
  acc->v[0] = vmlaq_n_s32(acc->v[0], vmovlbq_s16(even), c.input_offset);
  acc->v[1] = vmlaq_n_s32(acc->v[1], vmovltq_s16(even), c.input_offset);
  acc->v[2] = vmlaq_n_s32(acc->v[2], vmovlbq_s16(odd), c.input_offset);
  acc->v[3] = vmlaq_n_s32(acc->v[3], vmovltq_s16(odd), c.input_offset);
}

void run_pairs(const DepthwiseConv2dS8& c, const int32_t* folded, scalar::Taps rows, scalar::Taps columns,
               const int8_t* first, int8_t* output) {
  const bool whole = rows.count() == c.kernel_h && columns.count() == c.kernel_w;
  const int32_t* start = whole ? folded : c.bias;
  const int8_t* weights = c.weights + (rows.begin * c.kernel_w + columns.begin) * c.out_c;
  for (int32_t done = 0; done < c.out_c; done += 16) {
    // The last block overlaps the one before.
    const int32_t ch = done + 16 <= c.out_c ? done : c.out_c - 16;
    Sixteen acc;
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) acc.v[j] = start != nullptr ? Sixteen::load(start + ch, j) : vdupq_n_s32(0);
    sum_pairs(c, rows.count(), columns.count(), first + ch, weights + ch, &acc);
    if (!whole && c.input_offset != 0) add_offset(c, rows.count(), columns.count(), weights + ch, &acc);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const int32x4_t v =
          requantize_lanes(acc.v[j], Sixteen::load(c.multiplier + ch, j), Sixteen::load(c.shift + ch, j));
      acc.v[j] = vminq_s32(vmaxq_s32(vaddq_n_s32(v, c.output_offset), vdupq_n_s32(c.act_min)), vdupq_n_s32(c.act_max));
    }
    const int16x8_t even = vmovntq_s32(vmovnbq_s32(vdupq_n_s16(0), acc.v[0]), acc.v[1]);
    const int16x8_t odd = vmovntq_s32(vmovnbq_s32(vdupq_n_s16(0), acc.v[2]), acc.v[3]);
    vstrbq_s8(output + ch, vmovntq_s16(vmovnbq_s16(vdupq_n_s8(0), even), odd));
  }
}

}  // namespace

void depthwise_any(const DepthwiseConv2dS8& c, const int32_t* start, const int8_t* input, int8_t* output) {
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * c.in_w * c.in_c) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t y = oy * c.stride_h - c.pad_h;
      const scalar::Taps rows = scalar::taps_inside(y, c.kernel_h, c.dilation_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox, output += c.out_c) {
        const int32_t x = ox * c.stride_w - c.pad_w;
        const scalar::Taps columns = scalar::taps_inside(x, c.kernel_w, c.dilation_w, c.in_w);
        const int8_t* first = input;
        if (rows.count() > 0 && columns.count() > 0) {
          first += ((y + rows.begin * c.dilation_h) * c.in_w + x + columns.begin * c.dilation_w) * c.in_c;
        }
        if (start != nullptr) {
          run_pairs(c, start, rows, columns, first, output);
        } else {
          run_lanes(c, rows, columns, first, output);
        }
      }
    }
  }
}

}  // namespace wick::kernels::mve
