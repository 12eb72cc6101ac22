// Sums of products in blocks: see tile_f32.h. The float32 sums are plain loops that the compiler turns into one load
// with post-increment per factor and one fused multiply-add per product.
#include "kernels/tile_f32.h"

#include <initializer_list>
#include <type_traits>

#include "kernels/element.h"
#include "kernels/isa.h"

namespace wick::kernels {

namespace {

template <int kP, int kC, bool kUnitSteps>
[[gnu::noinline]] void sum_f32(const TileData& data, const Taps& taps, const BlockSteps& steps,
                               const BlockStart& start) {
  float acc[kP][kC];
  const float* bias = static_cast<const float*>(data.bias);
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p) {
#pragma GCC unroll 8
    for (int c = 0; c < kC; ++c) {
      acc[p][c] = bias != nullptr ? bias[start.bias + p * steps.bias_pixel + c * steps.bias_channel] : 0.0f;
    }
  }
  int32_t i = taps.count[0];
  if (i > 0) {
    const float* x_outer = static_cast<const float*>(data.x) + start.x;
    const float* w_outer = static_cast<const float*>(data.w) + start.w;
    const int32_t x_step = kUnitSteps ? 1 : taps.x[2];
    const int32_t w_step = kUnitSteps ? 1 : taps.w[2];
    do {
      const float* x_row = x_outer;
      const float* w_row = w_outer;
      int32_t j = taps.count[1];
      do {
        const float* xs[kP];
        const float* ws[kC];
#pragma GCC unroll 8
        for (int p = 0; p < kP; ++p) xs[p] = x_row + p * steps.x_pixel;
#pragma GCC unroll 8
        for (int c = 0; c < kC; ++c) ws[c] = w_row + c * steps.w_channel;
        int32_t k = taps.count[2];
        do {
          float wv[kC];
#pragma GCC unroll 8
          for (int c = 0; c < kC; ++c) {
            wv[c] = *ws[c];
            ws[c] += w_step;
          }
#pragma GCC unroll 8
          for (int p = 0; p < kP; ++p) {
            const float xv = *xs[p];
            xs[p] += x_step;
#pragma GCC unroll 8
            for (int c = 0; c < kC; ++c) acc[p][c] += xv * wv[c];
          }
        } while (--k != 0);
        x_row += taps.x[1];
        w_row += taps.w[1];
      } while (--j != 0);
      x_outer += taps.x[0];
      w_outer += taps.w[0];
    } while (--i != 0);
  }
  float* out = static_cast<float*>(data.out) + start.out;
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p) {
    float* at = out;
    out += steps.out_pixel;
#pragma GCC unroll 8
    for (int c = 0; c < kC; ++c) {
      *at = acc[p][c];
      at += steps.out_channel;
    }
  }
}

template <int kP, int kC>
void block_f32(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start) {
  if (taps.x[2] == 1 && taps.w[2] == 1) {
    sum_f32<kP, kC, true>(data, taps, steps, start);
  } else {
    sum_f32<kP, kC, false>(data, taps, steps, start);
  }
}

// A factor in the type of the sums. Integers go through int64: a negative double has no value without sign, and what
// comes of it differs between processors.
template <typename Acc>
Acc factor(double value) {
  if constexpr (std::is_integral_v<Acc>) {
    return static_cast<Acc>(static_cast<int64_t>(value));
  } else {
    return static_cast<Acc>(value);
  }
}

// One output of any dtype that reads as Acc, scaled.
template <typename Acc>
void single(const TileData& data, const Taps& taps, const BlockSteps&, const BlockStart& start) {
  Acc acc{0};
  for (int32_t i = 0; i < taps.count[0]; ++i) {
    for (int32_t j = 0; j < taps.count[1]; ++j) {
      int32_t x = start.x + i * taps.x[0] + j * taps.x[1];
      int32_t w = start.w + i * taps.w[0] + j * taps.w[1];
      for (int32_t k = 0; k < taps.count[2]; ++k) {
        acc += load_as<Acc>(data.x, data.dtype, x) * load_as<Acc>(data.w, data.dtype, w);
        x += taps.x[2];
        w += taps.w[2];
      }
    }
  }
  acc *= factor<Acc>(data.alpha);
  if (data.bias != nullptr) acc += factor<Acc>(data.beta) * load_as<Acc>(data.bias, data.bias_dtype, start.bias);
  store_as(data.out, data.dtype, start.out, acc);
}

template <typename Acc>
constexpr Tile kSingles = {1, 1, {{single<Acc>, single<Acc>}, {single<Acc>, single<Acc>}}};

constexpr Tile kBlocks = {
    kTilePixels,
    kTileChannels,
    {{block_f32<1, 1>, block_f32<1, kTileChannels>}, {block_f32<kTilePixels, 1>, isa::block_4x4_f32}}};

int32_t magnitude(int32_t step) { return step < 0 ? -step : step; }

// True when `outer` continues where `inner` ends, in both factors.
bool continues(const TapLoop& outer, const TapLoop& inner) {
  return outer.x == inner.count * inner.x && outer.w == inner.count * inner.w;
}

}  // namespace

namespace scalar {

void block_4x4_f32(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start) {
  block_f32<kTilePixels, kTileChannels>(data, taps, steps, start);
}

}  // namespace scalar

const Tile& tile_for(const TileData& data) {
  if (!is_floating(data.dtype)) return kSingles<uint64_t>;
  if (data.dtype == DType::kFloat64) return kSingles<double>;
  const bool plain = data.alpha == 1.0 && (data.bias == nullptr || data.beta == 1.0);
  const bool all_f32 = data.dtype == DType::kFloat32 && (data.bias == nullptr || data.bias_dtype == DType::kFloat32);
  return plain && all_f32 ? kBlocks : kSingles<float>;
}

Taps order_taps(TapLoop a, TapLoop b, TapLoop c) {
  if (a.count == 0 || b.count == 0 || c.count == 0) return Taps{{0, 1, 1}, {0, 0, 1}, {0, 0, 1}};
  TapLoop loops[3];
  int32_t n = 0;
  for (const TapLoop& loop : {a, b, c}) {
    if (loop.count == 1) continue;
    int32_t at = n++;
    for (; at > 0 && magnitude(loops[at - 1].x) < magnitude(loop.x); --at) loops[at] = loops[at - 1];
    loops[at] = loop;
  }
  for (int32_t at = n - 1; at > 0; --at) {
    if (!continues(loops[at - 1], loops[at])) continue;
    loops[at].count *= loops[at - 1].count;
    loops[at - 1] = loops[at];
    for (int32_t k = at; k + 1 < n; ++k) loops[k] = loops[k + 1];
    --n;
  }
  Taps taps{{1, 1, 1}, {0, 0, 1}, {0, 0, 1}};
  for (int32_t k = 0; k < n; ++k) {
    taps.count[3 - n + k] = loops[k].count;
    taps.x[3 - n + k] = loops[k].x;
    taps.w[3 - n + k] = loops[k].w;
  }
  return taps;
}

}  // namespace wick::kernels
