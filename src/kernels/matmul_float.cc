// Three ways through a matrix product. A few rows against a matrix whose columns lie in one piece each are the linear
// kernel of the instruction set; one row against a matrix whose rows lie in one piece goes along those rows; everything
// else goes in blocks, as a convolution does.
#include "kernels/matmul_float.h"

#include "kernels/isa.h"
#include "kernels/tile_f32.h"

namespace wick::kernels {

namespace {

constexpr int kWide = 16;

// kWide neighbouring outputs of one row: one load of x for kWide products.
[[gnu::noinline]] void wide_row(const Matmul& m, const float* x, const float* w, const float* bias, float* out) {
  float acc[kWide];
#pragma GCC unroll 16
  for (int c = 0; c < kWide; ++c) acc[c] = bias != nullptr ? bias[c * m.bias_column] : 0.0f;
  for (int32_t k = m.depth; k > 0; --k) {
    const float xv = *x;
#pragma GCC unroll 16
    for (int c = 0; c < kWide; ++c) acc[c] += xv * w[c];
    x += m.x_depth;
    w += m.w_depth;
  }
#pragma GCC unroll 16
  for (int c = 0; c < kWide; ++c) out[c * m.out_column] = acc[c];
}

// Outputs from `first_column` on, in blocks of rows and columns.
void blocks(const Matmul& m, const TileData& data, int32_t first_column) {
  const Tile& tile = tile_for(data);
  const Taps taps = order_taps({m.depth, m.x_depth, m.w_depth}, {1, 0, 0}, {1, 0, 0});
  const BlockSteps steps{m.x_row, m.w_column, m.bias_row, m.bias_column, m.out_row, m.out_column};
  int32_t c = first_column;
  while (c < m.columns) {
    const bool many_columns = m.columns - c >= tile.channels;
    int32_t r = 0;
    while (r < m.rows) {
      const bool many_rows = m.rows - r >= tile.pixels;
      const BlockStart start{r * m.x_row, c * m.w_column, r * m.bias_row + c * m.bias_column,
                             r * m.out_row + c * m.out_column};
      tile.sum[many_rows][many_columns](data, taps, steps, start);
      r += many_rows ? tile.pixels : 1;
    }
    c += many_columns ? tile.channels : 1;
  }
}

}  // namespace

void matmul(const Matmul& m, const void* x, const void* w, const void* bias, void* out) {
  const bool plain_f32 = m.dtype == DType::kFloat32 && m.alpha == 1.0 &&
                         (bias == nullptr || (m.bias_dtype == DType::kFloat32 && m.beta == 1.0));
  int32_t first_column = 0;
  if (plain_f32 && m.rows < kTilePixels) {
    const auto* xf = static_cast<const float*>(x);
    const auto* wf = static_cast<const float*>(w);
    const auto* bf = static_cast<const float*>(bias);
    auto* yf = static_cast<float*>(out);
    if (m.x_depth == 1 && m.w_depth == 1 && m.w_column == m.depth && m.out_column == 1 &&
        (bias == nullptr || m.bias_column == 1)) {
      for (int32_t r = 0; r < m.rows; ++r) {
        isa::linear_f32(xf + r * m.x_row, wf, bf != nullptr ? bf + r * m.bias_row : nullptr, yf + r * m.out_row, 1,
                        static_cast<uint32_t>(m.depth), static_cast<uint32_t>(m.columns));
      }
      return;
    }
    if (m.w_column == 1) {
      for (; m.columns - first_column >= kWide; first_column += kWide) {
        for (int32_t r = 0; r < m.rows; ++r) {
          wide_row(m, xf + r * m.x_row, wf + first_column,
                   bf != nullptr ? bf + r * m.bias_row + first_column * m.bias_column : nullptr,
                   yf + r * m.out_row + first_column * m.out_column);
        }
      }
    }
  }
  blocks(m, TileData{x, w, bias, out, m.dtype, m.bias_dtype, m.alpha, m.beta}, first_column);
}

}  // namespace wick::kernels
