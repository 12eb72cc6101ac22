// Images sampled at given places. Each place is worked out once and serves all channels, as up to 16 taps with weights.
#include "kernels/element.h"
#include "kernels/resample.h"

namespace wick::kernels {

namespace {

template <typename T>
T floor_of(T x) {
  const T cut = static_cast<T>(static_cast<int32_t>(x));
  return cut > x ? cut - 1 : cut;
}
template <typename T>
T clipped(T x, int32_t size) {
  const T last = static_cast<T>(size - 1);
  return x > T(0) ? (x < last ? x : last) : T(0);
}

// Mirrors x at half of each bound until it lies between them.
template <typename T>
T reflected(T x, int32_t twice_low, int32_t twice_high) {
  if (twice_low == twice_high) return T(0);
  const T low = static_cast<T>(twice_low) / 2, span = static_cast<T>(twice_high - twice_low) / 2;
  x = x < low ? low - x : x - low;
  const T flips = floor_of(x / span);
  const T extra = x - flips * span;
  return static_cast<int32_t>(flips) % 2 == 0 ? extra + low : span - extra + low;
}

// One axis: its size, and what a place outside of it means.
template <typename T>
struct Axis {
  int32_t size;
  GridSample::Outside outside;
  bool align_corners;

  T unnormalized(T x) const {
    x = align_corners ? (x + 1) / 2 * static_cast<T>(size - 1) : ((x + 1) * static_cast<T>(size) - 1) / 2;
    // Also for what is no number; keeps all that follows within int32.
    return x > T(-1e8) && x < T(1e8) ? x : T(-100);
  }
  T brought_inside(T x) const {
    if (outside == GridSample::Outside::kZeros) return x;
    if (outside == GridSample::Outside::kReflection) {
      x = align_corners ? reflected(x, 0, 2 * (size - 1)) : reflected(x, -1, 2 * size - 1);
    }
    return clipped(x, size);
  }
};

// Up to four taps of one axis; a tap outside of the image is -1.
template <typename T>
struct Taps {
  int32_t count = 0;
  int32_t at[4];
  T weights[4];

  void add(const Axis<T>& axis, T place, T weight) {
    at[count] = place >= T(0) && place < static_cast<T>(axis.size) ? static_cast<int32_t>(place) : -1;
    weights[count++] = weight;
  }
};

// Cubic convolution with a = -0.75: a tap less than 1, or 1 to 2, away.
template <typename T>
T near_weight(T d) {
  return (T(1.25) * d - T(2.25)) * d * d + 1;
}
template <typename T>
T far_weight(T d) {
  return ((T(-0.75) * d + T(3.75)) * d - T(6)) * d + T(3);
}

template <typename T>
Taps<T> taps_at(const Axis<T>& axis, GridSample::Mode mode, T coordinate) {
  Taps<T> taps;
  T x = axis.unnormalized(coordinate);
  if (mode == GridSample::Mode::kBicubic) {
    const T low = floor_of(x), t = x - low;
    const T weights[4] = {far_weight(t + 1), near_weight(t), near_weight(1 - t), far_weight(2 - t)};
    for (int32_t i = 0; i < 4; ++i) taps.add(axis, axis.brought_inside(low + static_cast<T>(i - 1)), weights[i]);
    return taps;
  }
  x = axis.brought_inside(x);
  const T low = floor_of(x), fraction = x - low;
  if (mode == GridSample::Mode::kNearest) {
    const bool odd = static_cast<int32_t>(low) % 2 != 0;
    const bool up = fraction > T(0.5) || (fraction == T(0.5) && odd);
    taps.add(axis, up ? low + 1 : low, T(1));
    return taps;
  }
  taps.add(axis, low, low + 1 - x);
  taps.add(axis, low + 1, fraction);
  return taps;
}

// The sum over the taps that lie inside; `image` is the offset of one channel.
template <typename T>
T weighted(const GridSample& g, const void* input, int32_t image, const Taps<T>& v, const Taps<T>& h) {
  T sum = 0;
  for (int32_t i = 0; i < v.count; ++i) {
    T row = 0;
    for (int32_t k = 0; k < h.count && v.at[i] >= 0; ++k) {
      if (h.at[k] < 0) continue;
      const int32_t at = image + v.at[i] * g.in_steps.row + h.at[k] * g.in_steps.column;
      row += load_as<T>(input, g.dtype, at) * h.weights[k];
    }
    sum += row * v.weights[i];
  }
  return sum;
}

template <typename T>
void sample(const GridSample& g, const void* input, const void* grid, void* output) {
  const Axis<T> rows{g.in_h, g.outside, g.align_corners}, columns{g.in_w, g.outside, g.align_corners};
  for (int32_t n = 0; n < g.batch; ++n) {
    for (int32_t y = 0; y < g.out_h; ++y) {
      for (int32_t x = 0; x < g.out_w; ++x) {
        const int32_t place = n * g.grid_steps.batch + y * g.grid_steps.row + x * g.grid_steps.column;
        const Taps<T> h = taps_at(columns, g.mode, load_as<T>(grid, g.dtype, place));
        const Taps<T> v = taps_at(rows, g.mode, load_as<T>(grid, g.dtype, place + g.grid_steps.channel));
        int32_t to = n * g.out_steps.batch + y * g.out_steps.row + x * g.out_steps.column;
        for (int32_t c = 0; c < g.channels; ++c, to += g.out_steps.channel) {
          const int32_t image = n * g.in_steps.batch + c * g.in_steps.channel;
          store_as(output, g.dtype, to, weighted(g, input, image, v, h));
        }
      }
    }
  }
}

}  // namespace

void grid_sample(const GridSample& g, const void* input, const void* grid, void* output) {
  if (g.dtype == DType::kFloat64) return sample<double>(g, input, grid, output);
  sample<float>(g, input, grid, output);
}

}  // namespace wick::kernels
