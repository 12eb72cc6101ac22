// The 4 x 4 block of float sums on the assembly cores: which factor has its lanes side by side, and all steps in bytes.
#include "kernels/tile_f32.h"

namespace wick::kernels::dsp {

// Read by the assembly: keep the order.
struct TileArgs {
  const float* a;
  const float* b;
  int32_t a_lane, b_lane, a_tap;
  int32_t pairs, odd, middle, outer;
  int32_t a_after_inner, b_after_inner, a_after_middle, b_after_middle;
  const float* bias;
  int32_t bias_a, bias_b;
  float* out;
  int32_t out_a, out_b;
};

extern "C" {
void wick_dsp_tile_f32(const TileArgs* args);
void wick_dsp_tile_f32_adjacent(const TileArgs* args);
}

namespace {

constexpr int32_t kBytes = sizeof(float);

// One factor: where it starts, and its steps in elements.
struct Factor {
  const float* start;
  int32_t lane;
  const int32_t* taps;
  int32_t bias, out;
  bool steps_by_one() const { return taps[2] == 1; }
};

TileArgs args_of(const TileData& data, const Taps& taps, const BlockStart& start, const Factor& a, const Factor& b) {
  const int32_t* count = taps.count;
  const auto after_inner = [count](const int32_t* steps) { return (steps[1] - count[2] * steps[2]) * kBytes; };
  const auto after_middle = [count](const int32_t* steps) { return (steps[0] - count[1] * steps[1]) * kBytes; };
  const float* bias = static_cast<const float*>(data.bias);
  return {a.start,
          b.start,
          a.lane * kBytes,
          b.lane * kBytes,
          a.taps[2] * kBytes,
          count[2] / 2,
          count[2] & 1,
          count[1],
          count[0],
          after_inner(a.taps),
          after_inner(b.taps),
          after_middle(a.taps),
          after_middle(b.taps),
          bias != nullptr ? bias + start.bias : nullptr,
          a.bias * kBytes,
          b.bias * kBytes,
          static_cast<float*>(data.out) + start.out,
          a.out * kBytes,
          b.out * kBytes};
}

}  // namespace

void block_4x4_f32(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start) {
  const Factor x = {static_cast<const float*>(data.x) + start.x, steps.x_pixel, taps.x, steps.bias_pixel,
                    steps.out_pixel};
  const Factor w = {static_cast<const float*>(data.w) + start.w, steps.w_channel, taps.w, steps.bias_channel,
                    steps.out_channel};
  if (taps.count[0] == 0) return scalar::block_4x4_f32(data, taps, steps, start);
  if (x.lane == 1 && w.steps_by_one()) {
    const TileArgs args = args_of(data, taps, start, x, w);
    wick_dsp_tile_f32_adjacent(&args);
  } else if (w.lane == 1 && x.steps_by_one()) {
    const TileArgs args = args_of(data, taps, start, w, x);
    wick_dsp_tile_f32_adjacent(&args);
  } else if (x.steps_by_one() && w.steps_by_one()) {
    const TileArgs args = args_of(data, taps, start, x, w);
    wick_dsp_tile_f32(&args);
  } else {
    scalar::block_4x4_f32(data, taps, steps, start);
  }
}

}  // namespace wick::kernels::dsp
