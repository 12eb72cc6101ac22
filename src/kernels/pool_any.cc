// Pools as plain loops over windows: see pool_any.h.
#include "kernels/pool_any.h"

#include <limits>

#include "core/quant.h"
#include "kernels/element.h"

namespace wick::kernels {

namespace {

// Elements of the type that is computed in, or of any dtype that reads as it.
template <typename T>
struct Direct {
  using Value = T;
  static T load(const void* data, int32_t at) { return static_cast<const T*>(data)[at]; }
  static void store(void* data, int32_t at, T value) { static_cast<T*>(data)[at] = value; }
};
template <typename T>
struct Converted {
  using Value = T;
  DType dtype;
  T load(const void* data, int32_t at) const { return load_as<T>(data, dtype, at); }
  void store(void* data, int32_t at, T value) const { store_as(data, dtype, at, value); }
};
struct ConvertedInteger {
  using Value = int64_t;
  DType dtype;
  int64_t load(const void* data, int32_t at) const { return load_i64(data, dtype, at); }
  void store(void* data, int32_t at, int64_t value) const { store_i64(data, dtype, at, value); }
};

// Inputs [begin, end) of one axis, and how far the window reached before it was cut at the image.
struct Window {
  int32_t begin, end, reach;
};

Window average_window(const PoolAxis& a, bool adaptive, int32_t o) {
  if (adaptive) {
    const int64_t begin = static_cast<int64_t>(o) * a.in / a.out;
    const int64_t end = (static_cast<int64_t>(o + 1) * a.in + a.out - 1) / a.out;
    return {static_cast<int32_t>(begin), static_cast<int32_t>(end), static_cast<int32_t>(end - begin)};
  }
  int32_t begin = o * a.stride - a.pad;
  int32_t end = begin + a.kernel < a.in + a.pad ? begin + a.kernel : a.in + a.pad;
  const int32_t reach = end - begin;
  if (begin < 0) begin = 0;
  if (end > a.in) end = a.in;
  return {begin, end, reach};
}

template <typename Access>
void average_planes(const Pool& c, const Access& access, const void* input, void* output) {
  using Value = typename Access::Value;
  for (int32_t n = 0; n < c.batch; ++n) {
    for (int32_t ch = 0; ch < c.channels; ++ch) {
      const int32_t in_plane = n * c.in_steps.batch + ch * c.in_steps.channel;
      const int32_t out_plane = n * c.out_steps.batch + ch * c.out_steps.channel;
      for (int32_t oy = 0; oy < c.v.out; ++oy) {
        const Window v = average_window(c.v, c.adaptive, oy);
        for (int32_t ox = 0; ox < c.h.out; ++ox) {
          const Window h = average_window(c.h, c.adaptive, ox);
          Value sum{0};
          for (int32_t y = v.begin; y < v.end; ++y) {
            int32_t at = in_plane + y * c.in_steps.row + h.begin * c.in_steps.column;
            for (int32_t x = h.begin; x < h.end; ++x, at += c.in_steps.column) sum += access.load(input, at);
          }
          const bool empty = v.begin >= v.end || h.begin >= h.end;
          const int64_t divisor = c.divisor != 0        ? c.divisor
                                  : c.count_include_pad ? static_cast<int64_t>(v.reach) * h.reach
                                                        : static_cast<int64_t>(v.end - v.begin) * (h.end - h.begin);
          const Value mean = empty ? Value{0} : sum / static_cast<Value>(divisor);
          access.store(output, out_plane + oy * c.out_steps.row + ox * c.out_steps.column, mean);
        }
      }
    }
  }
}

// The first position of a dilated window that is not before the image.
int32_t first_inside(const PoolAxis& a, int32_t begin) {
  return begin >= 0 ? begin : begin + (-begin + a.dilation - 1) / a.dilation * a.dilation;
}

template <typename Value>
Value smallest() {
  if constexpr (std::numeric_limits<Value>::has_infinity) {
    return -std::numeric_limits<Value>::infinity();
  } else {
    return std::numeric_limits<Value>::lowest();
  }
}

template <typename Access>
void maximum_planes(const Pool& c, const Access& access, const void* input, void* output, int64_t* indices) {
  using Value = typename Access::Value;
  const int32_t column_step = wrap_mul(c.h.dilation, c.in_steps.column);
  for (int32_t n = 0; n < c.batch; ++n) {
    for (int32_t ch = 0; ch < c.channels; ++ch) {
      const int32_t in_plane = n * c.in_steps.batch + ch * c.in_steps.channel;
      for (int32_t oy = 0; oy < c.v.out; ++oy) {
        const int32_t top = oy * c.v.stride - c.v.pad;
        const int32_t y_begin = first_inside(c.v, top);
        const int32_t y_reach = top + (c.v.kernel - 1) * c.v.dilation + 1;
        const int32_t y_end = y_reach < c.v.in ? y_reach : c.v.in;
        for (int32_t ox = 0; ox < c.h.out; ++ox) {
          const int32_t left = ox * c.h.stride - c.h.pad;
          const int32_t x_begin = first_inside(c.h, left);
          const int32_t x_reach = left + (c.h.kernel - 1) * c.h.dilation + 1;
          const int32_t x_end = x_reach < c.h.in ? x_reach : c.h.in;
          Value best = smallest<Value>();
          int32_t best_at =
              wrap_add(wrap_mul(y_begin, c.h.in), x_begin);  // may lie far outside when the window is empty
          for (int32_t y = y_begin; y < y_end; y += c.v.dilation) {
            int32_t at = in_plane + y * c.in_steps.row + x_begin * c.in_steps.column;
            for (int32_t x = x_begin; x < x_end; x += c.h.dilation, at += column_step) {
              const Value value = access.load(input, at);
              // Larger, or one of the two is NaN: a single comparison in the common case.
              if (value <= best) continue;
              if (best == best || value != value) {
                best = value;
                best_at = y * c.h.in + x;
              }
            }
          }
          access.store(
              output, n * c.out_steps.batch + ch * c.out_steps.channel + oy * c.out_steps.row + ox * c.out_steps.column,
              best);
          indices[n * c.index_steps.batch + ch * c.index_steps.channel + oy * c.index_steps.row +
                  ox * c.index_steps.column] = best_at;
        }
      }
    }
  }
}

}  // namespace

void average_pool(const Pool& c, const void* input, void* output) {
  switch (c.dtype) {
    case DType::kFloat32:
      return average_planes(c, Direct<float>{}, input, output);
    case DType::kFloat64:
      return average_planes(c, Direct<double>{}, input, output);
    default:
      return average_planes(c, Converted<float>{c.dtype}, input, output);
  }
}

void maximum_pool(const Pool& c, const void* input, void* output, int64_t* indices) {
  switch (c.dtype) {
    case DType::kFloat32:
      return maximum_planes(c, Direct<float>{}, input, output, indices);
    case DType::kInt8:
      return maximum_planes(c, Direct<int8_t>{}, input, output, indices);
    case DType::kFloat64:
      return maximum_planes(c, Direct<double>{}, input, output, indices);
    case DType::kFloat16:
    case DType::kBFloat16:
      return maximum_planes(c, Converted<float>{c.dtype}, input, output, indices);
    default:
      return maximum_planes(c, ConvertedInteger{c.dtype}, input, output, indices);
  }
}

}  // namespace wick::kernels
