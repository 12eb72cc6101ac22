// Strides by arithmetic alone: broadcasting as PyTorch defines it, and merging of dimensions that touch.
#include "runtime/ops/strides.h"

namespace wick::ops {

bool broadcast_sizes(const Tensor& a, const Tensor& b, int32_t sizes[kMaxRank], uint32_t* rank) {
  *rank = a.rank > b.rank ? a.rank : b.rank;
  for (uint32_t i = 1; i <= *rank; ++i) {
    const int32_t in_a = i <= a.rank ? a.sizes[a.rank - i] : 1;
    const int32_t in_b = i <= b.rank ? b.sizes[b.rank - i] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) return false;
    sizes[*rank - i] = in_a == 1 ? in_b : in_a;
  }
  return true;
}

void broadcast_strides(const Tensor& t, uint32_t rank, int32_t strides[kMaxRank]) {
  int32_t own[kMaxRank];
  strides_of(t, own);
  for (uint32_t i = 1; i <= rank; ++i) {
    const bool repeats = i > t.rank || t.sizes[t.rank - i] == 1;
    strides[rank - i] = repeats ? 0 : own[t.rank - i];
  }
}

uint32_t merge_dims(uint32_t rank, const uint8_t* order, int32_t sizes[kMaxRank], int32_t (*strides)[kMaxRank],
                    uint32_t operands) {
  constexpr uint32_t kMostOperands = 4;
  int32_t out_sizes[kMaxRank];
  int32_t out_strides[kMostOperands][kMaxRank];
  uint32_t left = 0;
  for (uint32_t k = 0; k < rank; ++k) {
    const uint32_t d = order[k];
    if (sizes[d] == 1) continue;
    bool merges = left > 0;
    for (uint32_t i = 0; merges && i < operands; ++i) merges = out_strides[i][left - 1] == strides[i][d] * sizes[d];
    const uint32_t to = merges ? left - 1 : left++;
    out_sizes[to] = merges ? out_sizes[to] * sizes[d] : sizes[d];
    for (uint32_t i = 0; i < operands; ++i) out_strides[i][to] = strides[i][d];
  }
  if (left == 0) {
    left = 1;
    out_sizes[0] = 1;
    for (uint32_t i = 0; i < operands; ++i) out_strides[i][0] = 1;
  }
  for (uint32_t k = 0; k < left; ++k) {
    sizes[k] = out_sizes[k];
    for (uint32_t i = 0; i < operands; ++i) strides[i][k] = out_strides[i][k];
  }
  return left;
}

kernels::BinaryShape binary_shape(const Tensor& a, const Tensor& b, const Tensor& output) {
  int32_t strides[2][kMaxRank];
  broadcast_strides(a, output.rank, strides[0]);
  broadcast_strides(b, output.rank, strides[1]);
  const StrideWalk<2> walk = make_walk<2>(output, output.sizes, strides);
  const auto is_step = [](int32_t stride) { return stride == 0 || stride == 1; };
  // An operand that lies across the output's order is met one element at a time.
  const bool runs = is_step(walk.inner_stride(0)) && is_step(walk.inner_stride(1));

  kernels::BinaryShape shape = {};
  shape.outer_rank = runs ? walk.rank - 1 : walk.rank;
  shape.inner = runs ? static_cast<uint32_t>(walk.inner_size()) : 1;
  shape.a_step = runs ? static_cast<uint32_t>(walk.inner_stride(0)) : 1;
  shape.b_step = runs ? static_cast<uint32_t>(walk.inner_stride(1)) : 1;
  for (uint32_t d = 0; d < shape.outer_rank; ++d) {
    shape.outer_sizes[d] = walk.sizes[d];
    shape.a_strides[d] = walk.strides[0][d];
    shape.b_strides[d] = walk.strides[1][d];
  }
  return shape;
}

}  // namespace wick::ops
