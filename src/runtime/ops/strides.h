// How operands of an elementwise walk lie in memory: sizes and strides in some order of the dimensions, with the
// dimensions that every operand walks in one go merged. Knows nothing of element types.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "kernels/kernels.h"

namespace wick::ops {

// The sizes that `a` and `b` broadcast to, as PyTorch does. False when they don't.
bool broadcast_sizes(const Tensor& a, const Tensor& b, int32_t sizes[kMaxRank], uint32_t* rank);

// Strides of `t` by the dimensions of something of `rank` dimensions that it broadcasts to: 0 where it repeats.
void broadcast_strides(const Tensor& t, uint32_t rank, int32_t strides[kMaxRank]);

// A walk of N operands over the same index space, outermost dimension first. At least one dimension; none of size 1
// unless it is the only one.
template <uint32_t N>
struct StrideWalk {
  uint32_t rank;
  int32_t sizes[kMaxRank];
  int32_t strides[N][kMaxRank];

  int32_t inner_size() const { return sizes[rank - 1]; }
  int32_t inner_stride(uint32_t operand) const { return strides[operand][rank - 1]; }
};

// Merges dimensions. `order` lists the `rank` dimensions outermost first; `sizes` and the operands' `strides` are by
// dimension, and are overwritten with the result. Returns the rank left, at least 1.
uint32_t merge_dims(uint32_t rank, const uint8_t* order, int32_t sizes[kMaxRank], int32_t (*strides)[kMaxRank],
                    uint32_t operands);

// A walk in the order in which `like` lies in memory. `sizes` and `strides` are by dimension of `like`.
template <uint32_t N>
StrideWalk<N> make_walk(const Tensor& like, const int32_t* sizes, const int32_t (&strides)[N][kMaxRank]) {
  StrideWalk<N> walk = {};
  for (uint32_t d = 0; d < like.rank; ++d) {
    walk.sizes[d] = sizes[d];
    for (uint32_t i = 0; i < N; ++i) walk.strides[i][d] = strides[i][d];
  }
  walk.rank = merge_dims(like.rank, like.dim_order, walk.sizes, walk.strides, N);
  return walk;
}

// Calls row(offsets) for each innermost row; offsets[i] is where operand i's row starts, in elements.
template <uint32_t N, typename RowFn>
void for_each_row(const StrideWalk<N>& walk, RowFn row) {
  int32_t index[kMaxRank] = {};
  int32_t offsets[N] = {};
  for (;;) {
    row(offsets);
    uint32_t dim = walk.rank - 1;
    for (;;) {
      if (dim == 0) return;
      --dim;
      for (uint32_t i = 0; i < N; ++i) offsets[i] += walk.strides[i][dim];
      if (++index[dim] < walk.sizes[dim]) break;
      for (uint32_t i = 0; i < N; ++i) offsets[i] -= walk.strides[i][dim] * walk.sizes[dim];
      index[dim] = 0;
    }
  }
}

// The walk of a binary kernel over the output in memory order. Sizes must broadcast to the output's, and the output
// must not be empty.
kernels::BinaryShape binary_shape(const Tensor& a, const Tensor& b, const Tensor& output);

}  // namespace wick::ops
