// Every INT8 operator by its definition, one output element at a time, in 64-bit arithmetic. Knows nothing of src/:
// parameters come as whatever struct has the fields. Slow and plain on purpose; the kernels are compared with it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace wick::reference {

// The low 32 bits: what an int32 register holds after overflow.
inline int64_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }

inline int64_t floor_div_pow2(int64_t value, int64_t exponent) {
  const int64_t divisor = int64_t{1} << exponent;
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

// value / 2^exponent, halves away from zero.
inline int64_t round_away_pow2(int64_t value, int64_t exponent) {
  if (exponent == 0) return value;
  const int64_t half = int64_t{1} << (exponent - 1);
  return value >= 0 ? (value + half) / (2 * half) : -((-value + half) / (2 * half));
}

// value * multiplier * 2^(shift - 31): first to 2^31 with halves up, then to the rest with halves away from zero.
inline int64_t requantize(int64_t value, int64_t multiplier, int64_t shift) {
  if (shift > 0) value = wrapped(value * (int64_t{1} << shift));
  const int64_t high = wrapped(floor_div_pow2(value * multiplier + (int64_t{1} << 30), 31));
  return shift < 0 ? round_away_pow2(high, -shift) : high;
}

inline int8_t output_byte(int64_t acc, int64_t multiplier, int64_t shift, int64_t offset, int64_t low, int64_t high) {
  int64_t value = wrapped(requantize(wrapped(acc), multiplier, shift) + offset);
  if (value < low) value = low;
  if (value > high) value = high;
  return static_cast<int8_t>(value);
}

// The input value at (n, y, x, channel) with the offset added; 0 outside the image.
template <typename Params>
int64_t pixel(const Params& c, const int8_t* input, int64_t n, int64_t y, int64_t x, int64_t channel) {
  if (y < 0 || y >= c.in_h || x < 0 || x >= c.in_w) return 0;
  return int64_t{input[((n * c.in_h + y) * c.in_w + x) * c.in_c + channel]} + c.input_offset;
}

template <typename Params, typename SumFn>
void for_each_output(const Params& c, int8_t* output, SumFn sum) {
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t y = 0; y < c.out_h; ++y) {
      for (int64_t x = 0; x < c.out_w; ++x) {
        for (int64_t o = 0; o < c.out_c; ++o) {
          const int64_t acc = (c.bias != nullptr ? c.bias[o] : 0) + sum(n, y, x, o);
          *output++ = output_byte(acc, c.multiplier[o], c.shift[o], c.output_offset, c.act_min, c.act_max);
        }
      }
    }
  }
}

template <typename Params>
void conv2d(const Params& c, const int8_t* input, int8_t* output) {
  const int64_t depth = c.in_c / c.groups, outputs = c.out_c / c.groups;
  for_each_output(c, output, [&](int64_t n, int64_t oy, int64_t ox, int64_t o) {
    int64_t sum = 0;
    for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
        const int64_t y = oy * c.stride_h - c.pad_h + ky * c.dilation_h;
        const int64_t x = ox * c.stride_w - c.pad_w + kx * c.dilation_w;
        for (int64_t i = 0; i < depth; ++i) {
          sum += pixel(c, input, n, y, x, o / outputs * depth + i) *
                 c.weights[((o * c.kernel_h + ky) * c.kernel_w + kx) * depth + i];
        }
      }
    }
    return sum;
  });
}

template <typename Params>
void depthwise_conv2d(const Params& c, const int8_t* input, int8_t* output) {
  for_each_output(c, output, [&](int64_t n, int64_t oy, int64_t ox, int64_t o) {
    int64_t sum = 0;
    for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
        const int64_t y = oy * c.stride_h - c.pad_h + ky * c.dilation_h;
        const int64_t x = ox * c.stride_w - c.pad_w + kx * c.dilation_w;
        sum += pixel(c, input, n, y, x, o / (c.out_c / c.in_c)) * c.weights[(ky * c.kernel_w + kx) * c.out_c + o];
      }
    }
    return sum;
  });
}

template <typename Params>
void transpose_conv2d(const Params& c, const int8_t* input, int8_t* output) {
  for_each_output(c, output, [&](int64_t n, int64_t oy, int64_t ox, int64_t o) {
    int64_t sum = 0;
    for (int64_t iy = 0; iy < c.in_h; ++iy) {
      for (int64_t ix = 0; ix < c.in_w; ++ix) {
        const int64_t ky = oy + c.pad_h - iy * c.stride_h, kx = ox + c.pad_w - ix * c.stride_w;
        if (ky < 0 || ky >= c.kernel_h || kx < 0 || kx >= c.kernel_w) continue;
        for (int64_t i = 0; i < c.in_c; ++i) {
          sum += pixel(c, input, n, iy, ix, i) * c.weights[((o * c.kernel_h + ky) * c.kernel_w + kx) * c.in_c + i];
        }
      }
    }
    return sum;
  });
}

template <typename Params>
void linear(const Params& c, const int8_t* input, int8_t* output) {
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t o = 0; o < c.out_features; ++o) {
      int64_t acc = 0;
      if (c.kernel_sum != nullptr) {
        acc = c.kernel_sum[o];
      } else if (c.bias != nullptr) {
        acc = c.bias[o];
      }
      for (int64_t i = 0; i < c.in_features; ++i) {
        const int64_t x = input[row * c.in_features + i] + (c.kernel_sum != nullptr ? int64_t{0} : c.input_offset);
        acc += x * (int64_t{c.weights[o * c.in_features + i]} + c.filter_offset);
      }
      *output++ = output_byte(acc, c.multiplier, c.shift, c.output_offset, c.act_min, c.act_max);
    }
  }
}

template <typename Params>
void batch_matmul(const Params& c, const int8_t* lhs, const int8_t* rhs, int8_t* output) {
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t m = 0; m < c.lhs_rows; ++m) {
      for (int64_t n = 0; n < c.rhs_rows; ++n) {
        int64_t acc = 0;
        for (int64_t k = 0; k < c.depth; ++k) {
          acc += (int64_t{lhs[(b * c.lhs_rows + m) * c.depth + k]} + c.lhs_offset) *
                 (int64_t{rhs[(b * c.rhs_rows + n) * c.depth + k]} + c.rhs_offset);
        }
        *output++ = output_byte(acc, c.multiplier, c.shift, c.output_zero_point, -128, 127);
      }
    }
  }
}

template <typename Params>
int8_t add(const Params& c, int8_t a, int8_t b) {
  const int64_t p = requantize((int64_t{a} - c.a_zero_point) * (1 << 20), c.a_multiplier, c.a_shift);
  const int64_t q = requantize((int64_t{b} - c.b_zero_point) * (1 << 20), c.b_multiplier, c.b_shift);
  return output_byte(p + q, c.multiplier, c.shift, c.zero_point, c.act_min, c.act_max);
}

template <typename Params>
int8_t mul(const Params& c, int8_t a, int8_t b) {
  const int64_t product = (int64_t{a} - c.a_zero_point) * (int64_t{b} - c.b_zero_point);
  return output_byte(product, c.multiplier, c.shift, c.zero_point, -128, 127);
}

// Gathers the window of each output element and hands its sum, maximum and count to `reduce`.
template <typename Params, typename ReduceFn>
void pool2d(const Params& c, const int8_t* input, int8_t* output, ReduceFn reduce) {
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t oy = 0; oy < c.out_h; ++oy) {
      for (int64_t ox = 0; ox < c.out_w; ++ox) {
        for (int64_t ch = 0; ch < c.channels; ++ch) {
          int64_t sum = 0, largest = -128, count = 0;
          for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
            for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
              const int64_t y = oy * c.stride_h - c.pad_h + ky * c.dilation_h;
              const int64_t x = ox * c.stride_w - c.pad_w + kx * c.dilation_w;
              if (y < 0 || y >= c.in_h || x < 0 || x >= c.in_w) continue;
              const int64_t value = input[((n * c.in_h + y) * c.in_w + x) * c.channels + ch];
              sum += value;
              if (value > largest) largest = value;
              ++count;
            }
          }
          int64_t value = reduce(sum, largest, count);
          if (value < c.act_min) value = c.act_min;
          if (value > c.act_max) value = c.act_max;
          *output++ = static_cast<int8_t>(value);
        }
      }
    }
  }
}

template <typename Params>
void avg_pool2d(const Params& c, const int8_t* input, int8_t* output) {
  pool2d(c, input, output, [](int64_t sum, int64_t, int64_t count) {
    if (count == 0) return int64_t{0};
    const int64_t magnitude = ((sum < 0 ? -sum : sum) + count / 2) / count;
    return sum < 0 ? -magnitude : magnitude;
  });
}

template <typename Params>
void max_pool2d(const Params& c, const int8_t* input, int8_t* output) {
  pool2d(c, input, output, [](int64_t, int64_t largest, int64_t) { return largest; });
}

// (a * b + half) / 2^31, where half is 2^30 with the product's sign and the division truncates; saturating.
inline int64_t saturating_high_mul(int64_t a, int64_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const bool negative = (a < 0) != (b < 0);
  return (a * b + (negative ? 1 - (int64_t{1} << 30) : int64_t{1} << 30)) / (int64_t{1} << 31);
}

// e^value for a value <= 0 in Q5.26, in Q0.31.
inline int64_t softmax_exp(int64_t value) {
  if (value == 0) return INT32_MAX;
  const int64_t quarter = int64_t{1} << 24;
  const int64_t low = value & (quarter - 1);
  const int64_t fraction = low - quarter;
  const uint32_t whole = static_cast<uint32_t>(fraction - value);
  const int64_t x = wrapped(fraction * 32 + (int64_t{1} << 28));
  const int64_t square = saturating_high_mul(x, x);
  const int64_t fourth = round_away_pow2(saturating_high_mul(square, square), 2);
  const int64_t third = saturating_high_mul(wrapped(fourth + saturating_high_mul(square, x)), 715827883);
  const int64_t series = wrapped(x + round_away_pow2(wrapped(third + square), 1));
  int64_t result = wrapped(1895147668 + saturating_high_mul(1895147668, series));
  if (whole & (1u << 24)) result = saturating_high_mul(result, 1672461947);
  if (whole & (1u << 25)) result = saturating_high_mul(result, 1302514674);
  if (whole & (1u << 26)) result = saturating_high_mul(result, 790015084);
  if (whole & (1u << 27)) result = saturating_high_mul(result, 290630308);
  if (whole & (1u << 28)) result = saturating_high_mul(result, 39332535);
  if (whole & (1u << 29)) result = saturating_high_mul(result, 720401);
  if (whole & (1u << 30)) result = saturating_high_mul(result, 242);
  return result;
}

inline int64_t saturated_shl(int64_t value, int64_t exponent) {
  const int64_t limit = (int64_t{1} << (31 - exponent)) - 1;
  if (value > limit) return INT32_MAX;
  if (value < -limit) return INT32_MIN;
  return value * (int64_t{1} << exponent);
}

// 1 / (1 + value), value in Q0.31.
inline int64_t softmax_reciprocal(int64_t value) {
  const int64_t sum = value + INT32_MAX;
  const int64_t half = (sum + (sum >= 0 ? 1 : -1)) / 2;
  int64_t x = wrapped(1515870810 + saturating_high_mul(half, -1010580540));
  for (int i = 0; i < 3; ++i) {
    const int64_t error = wrapped((int64_t{1} << 29) - saturating_high_mul(half, x));
    x = wrapped(x + saturated_shl(saturating_high_mul(x, error), 2));
  }
  return saturated_shl(x, 1);
}

// Legal parameters only: the sum of exponentials is positive.
template <typename Params>
void softmax(const Params& c, const int8_t* input, int8_t* output) {
  for (int64_t row = 0; row < c.rows; ++row, input += c.row_size, output += c.row_size) {
    int64_t largest = -128, sum = 0;
    for (int64_t i = 0; i < c.row_size; ++i) largest = input[i] > largest ? input[i] : largest;
    const auto exponential = [&](int64_t i) {
      const int64_t scaled = wrapped((input[i] - largest) * (int64_t{1} << c.shift));
      return softmax_exp(saturating_high_mul(scaled, c.multiplier));
    };
    for (int64_t i = 0; i < c.row_size; ++i) {
      if (input[i] - largest >= c.diff_min) sum += round_away_pow2(exponential(i), 12);
    }
    int64_t headroom = 0;
    while (sum < (int64_t{1} << 31) && ((sum << headroom) & (int64_t{1} << 31)) == 0) ++headroom;
    const int64_t reciprocal = softmax_reciprocal((sum << headroom) - (int64_t{1} << 31));
    for (int64_t i = 0; i < c.row_size; ++i) {
      int64_t value = -128;
      if (input[i] - largest >= c.diff_min && sum < (int64_t{1} << 31)) {
        value = round_away_pow2(saturating_high_mul(reciprocal, exponential(i)), 35 - headroom) - 128;
      }
      output[i] = static_cast<int8_t>(value > 127 ? 127 : value);
    }
  }
}

// The product is a float, rounded as one; the rest is exact.
inline int64_t quantize(float value, float inverse_scale, int64_t zero_point, int64_t low, int64_t high) {
  volatile float product = value * inverse_scale;
  double scaled = product;
  if (std::isnan(scaled)) scaled = 0;
  if (scaled > 1e9) scaled = 1e9;
  if (scaled < -1e9) scaled = -1e9;
  const double floor = std::floor(scaled);
  int64_t rounded = static_cast<int64_t>(floor);
  const double rest = scaled - floor;
  if (rest > 0.5 || (rest == 0.5 && rounded % 2 != 0)) ++rounded;
  int64_t result = zero_point + rounded;
  if (result < low) result = low;
  if (result > high) result = high;
  return result;
}

}  // namespace wick::reference
