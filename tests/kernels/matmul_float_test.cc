// Matrix products against their definition on small integers, in every memory order and by every path.
#include "kernels/matmul_float.h"

#include <doctest.h>

#include <cstdint>

#include "kernels/element.h"

namespace wick::kernels {
namespace {

uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
int32_t pick(uint32_t& state, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(next_random(state) % static_cast<uint32_t>(high - low + 1));
}

constexpr int32_t kMost = 50 * 50;
alignas(8) uint8_t x_bytes[kMost * 8], w_bytes[kMost * 8], bias_bytes[kMost * 8], out_bytes[kMost * 8];

void put(void* data, DType dtype, int32_t i, int32_t value) {
  if (is_floating(dtype)) return store_f32(data, dtype, i, static_cast<float>(value));
  store_i64(data, dtype, i, value);
}
double get(const void* data, DType dtype, int32_t i) {
  return is_floating(dtype) ? load_f64(data, dtype, i) : static_cast<double>(load_i64(data, dtype, i));
}

TEST_CASE("matmul equals the definition on random shapes and strides") {
  uint32_t state = 99;
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32,  DType::kFloat32, DType::kFloat32, DType::kFloat16,
                          DType::kFloat64, DType::kBFloat16, DType::kInt64,   DType::kInt32};
  for (int i = 0; i < 300; ++i) {
    const uint32_t seed = state;
    Matmul m{};
    m.dtype = m.bias_dtype = dtypes[next_random(state) % 9];
    m.rows = pick(state, 1, 9);
    m.depth = pick(state, 0, 13);
    m.columns = pick(state, 1, 40);
    const bool x_by_rows = next_random(state) % 4 != 0, w_by_columns = next_random(state) % 2 == 0;
    const bool out_by_rows = next_random(state) % 4 != 0;
    m.x_row = x_by_rows ? m.depth : 1;
    m.x_depth = x_by_rows ? 1 : m.rows;
    m.w_depth = w_by_columns ? 1 : m.columns;
    m.w_column = w_by_columns ? m.depth : 1;
    m.out_row = out_by_rows ? m.columns : 1;
    m.out_column = out_by_rows ? 1 : m.rows;
    const int32_t kind = pick(state, 0, 3);  // no bias, one for all, one per column, one per output
    m.bias_row = kind == 3 ? m.columns : 0;
    m.bias_column = kind >= 2 ? 1 : 0;
    if (next_random(state) % 4 == 0) m.alpha = 3.0, m.beta = -2.0;
    for (int32_t k = 0; k < kMost; ++k) {
      put(x_bytes, m.dtype, k, pick(state, -3, 3));
      put(w_bytes, m.dtype, k, pick(state, -2, 2));
      put(bias_bytes, m.dtype, k, pick(state, -9, 9));
      put(out_bytes, m.dtype, k, 77);
    }
    matmul(m, x_bytes, w_bytes, kind == 0 ? nullptr : bias_bytes, out_bytes);
    CAPTURE(seed);
    CAPTURE(m.rows);
    CAPTURE(m.depth);
    CAPTURE(m.columns);
    CAPTURE(static_cast<int>(m.dtype));
    for (int32_t r = 0; r < m.rows; ++r) {
      for (int32_t c = 0; c < m.columns; ++c) {
        double sum = 0;
        for (int32_t k = 0; k < m.depth; ++k) {
          sum += get(x_bytes, m.dtype, r * m.x_row + k * m.x_depth) *
                 get(w_bytes, m.dtype, k * m.w_depth + c * m.w_column);
        }
        sum *= m.alpha;
        if (kind != 0) sum += m.beta * get(bias_bytes, m.dtype, r * m.bias_row + c * m.bias_column);
        CAPTURE(r);
        CAPTURE(c);
        REQUIRE(get(out_bytes, m.dtype, r * m.out_row + c * m.out_column) == sum);
      }
    }
    REQUIRE(get(out_bytes, m.dtype, m.rows * m.columns) == 77);
  }
}

}  // namespace
}  // namespace wick::kernels
