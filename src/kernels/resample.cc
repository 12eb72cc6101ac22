// The place in the input is found once per output position and serves all channels.
#include "kernels/resample.h"

#include "kernels/element.h"
#include "kernels/move_element.h"

namespace wick::kernels {

namespace {

// Cuts off the fraction of a position that is not negative.
int32_t whole(float position, int32_t size) {
  return position >= static_cast<float>(size - 1) ? size - 1 : static_cast<int32_t>(position);
}

// Two neighbours and the share of each.
struct Blend {
  int32_t low, high;
  float low_share, high_share;
};

Blend blend_at(int32_t o, float scale, bool align_corners, int32_t in) {
  float position = align_corners ? scale * static_cast<float>(o) : scale * (static_cast<float>(o) + 0.5f) - 0.5f;
  if (!(position > 0.0f)) position = 0.0f;
  Blend b{};
  b.low = whole(position, in);
  b.high = b.low < in - 1 ? b.low + 1 : b.low;
  const float fraction = position - static_cast<float>(b.low);
  b.high_share = fraction < 1.0f ? fraction : 1.0f;
  b.low_share = 1.0f - b.high_share;
  return b;
}

struct F32 {
  using Value = float;
  static float load(const void* data, DType, int32_t at) { return static_cast<const float*>(data)[at]; }
  static void store(void* data, DType, int32_t at, float value) { static_cast<float*>(data)[at] = value; }
};
template <typename T>
struct Converted {
  using Value = T;
  static T load(const void* data, DType dtype, int32_t at) { return load_as<T>(data, dtype, at); }
  static void store(void* data, DType dtype, int32_t at, T value) { store_as(data, dtype, at, value); }
};

template <typename Access>
void bilinear(const Resample& r, const void* input, void* output) {
  using Value = typename Access::Value;
  for (int32_t y = 0; y < r.out_h; ++y) {
    const Blend v = blend_at(y, r.scale_h, r.align_corners, r.in_h);
    const Value top_share = static_cast<Value>(v.low_share), bottom_share = static_cast<Value>(v.high_share);
    for (int32_t x = 0; x < r.out_w; ++x) {
      const Blend h = blend_at(x, r.scale_w, r.align_corners, r.in_w);
      const Value left_share = static_cast<Value>(h.low_share), right_share = static_cast<Value>(h.high_share);
      const int32_t top = v.low * r.in_steps.row, bottom = v.high * r.in_steps.row;
      const int32_t left = h.low * r.in_steps.column, right = h.high * r.in_steps.column;
      for (int32_t n = 0; n < r.batch; ++n) {
        int32_t from = n * r.in_steps.batch;
        int32_t to = n * r.out_steps.batch + y * r.out_steps.row + x * r.out_steps.column;
        for (int32_t c = 0; c < r.channels; ++c, from += r.in_steps.channel, to += r.out_steps.channel) {
          const auto at = [&](int32_t offset) { return Access::load(input, r.dtype, from + offset); };
          const Value upper = at(top + left) * left_share + at(top + right) * right_share;
          const Value lower = at(bottom + left) * left_share + at(bottom + right) * right_share;
          Access::store(output, r.dtype, to, upper * top_share + lower * bottom_share);
        }
      }
    }
  }
}

}  // namespace

void resample_nearest(const Resample& r, const void* input, void* output) {
  const uint32_t bytes = dtype_bytes(r.dtype);
  const int32_t width = static_cast<int32_t>(bytes);
  const auto* in = static_cast<const uint8_t*>(input);
  auto* out = static_cast<uint8_t*>(output);
  for (int32_t y = 0; y < r.out_h; ++y) {
    const int32_t in_y = whole(static_cast<float>(y) * r.scale_h, r.in_h);
    for (int32_t x = 0; x < r.out_w; ++x) {
      const int32_t in_x = whole(static_cast<float>(x) * r.scale_w, r.in_w);
      for (int32_t n = 0; n < r.batch; ++n) {
        const int32_t from = n * r.in_steps.batch + in_y * r.in_steps.row + in_x * r.in_steps.column;
        const int32_t to = n * r.out_steps.batch + y * r.out_steps.row + x * r.out_steps.column;
        move_elements(out + to * width, r.out_steps.channel * width, in + from * width, r.in_steps.channel * width,
                      r.channels, bytes);
      }
    }
  }
}

void resample_bilinear(const Resample& r, const void* input, void* output) {
  if (r.dtype == DType::kFloat32) return bilinear<F32>(r, input, output);
  if (r.dtype == DType::kFloat64) return bilinear<Converted<double>>(r, input, output);
  bilinear<Converted<float>>(r, input, output);
}

}  // namespace wick::kernels
