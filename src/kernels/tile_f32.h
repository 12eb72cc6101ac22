// The inner loops of float convolution and matrix product: a block of outputs (some pixels by some channels), each a
// sum of products over up to three nested loops of taps. Knows strides; refuses to know what the axes mean. The
// products of a block share their loads: four pixels by four channels take eight loads for sixteen multiply-adds.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

// Nested loops, outermost first, with the steps of both factors in elements. A count of 0 means no taps at all.
struct Taps {
  int32_t count[3];
  int32_t x[3];
  int32_t w[3];
};

struct TapLoop {
  int32_t count, x, w;
};

// Orders three loops so that the innermost has the smallest step in x, and fuses loops that are one in memory.
Taps order_taps(TapLoop a, TapLoop b, TapLoop c);

// Steps from one output of a block to the next, in elements.
struct BlockSteps {
  int32_t x_pixel, w_channel, bias_pixel, bias_channel, out_pixel, out_channel;
};

// Where a block starts, in elements.
struct BlockStart {
  int32_t x, w, bias, out;
};

// What a block reads and writes. All of one dtype, except the bias.
struct TileData {
  const void* x;
  const void* w;
  const void* bias;  // null: sums start at 0
  void* out;
  DType dtype, bias_dtype;
  double alpha = 1.0, beta = 1.0;  // out = alpha * sum + beta * bias; truncated for integers
};

using BlockSum = void (*)(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start);

// The full block of plain float32 sums, once per instruction set as all of kernels.h.
#define WICK_DECLARE_TILES \
  void block_4x4_f32(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start);
namespace scalar {
WICK_DECLARE_TILES
}
namespace dsp {
WICK_DECLARE_TILES
}
namespace mve {
WICK_DECLARE_TILES
}

// The sums of one dtype by the size of the block: [many pixels][many channels].
struct Tile {
  int32_t pixels, channels;  // of a full block
  BlockSum sum[2][2];
};

inline constexpr int32_t kTilePixels = 4;
inline constexpr int32_t kTileChannels = 4;

// The tile for the data: blocks for plain float32 sums; single outputs for scaled ones and for any other dtype,
// integers included.
const Tile& tile_for(const TileData& data);

}  // namespace wick::kernels
