#include "core/tensor.h"

namespace wick {

namespace {

// Compares memory order with `order`, skipping dimensions of size 1.
bool lies_in_order(const Tensor& t, const uint8_t* order) {
  bool same = true;
  if (t.rank == 4) {
    // Images, at a glance.
    uint32_t found, wanted;
    __builtin_memcpy(&found, t.dim_order, 4);
    __builtin_memcpy(&wanted, order, 4);
    same = found == wanted;
  } else {
    for (uint32_t i = 0; i < t.rank; ++i) same = same && t.dim_order[i] == order[i];
  }
  if (same) return true;
  uint32_t k = 0;
  for (uint32_t i = 0; i < t.rank; ++i) {
    if (t.sizes[t.dim_order[i]] == 1) continue;
    while (k < t.rank && t.sizes[order[k]] == 1) ++k;
    if (k == t.rank || order[k] != t.dim_order[i]) return false;
    ++k;
  }
  return true;
}

}  // namespace

bool is_contiguous(const Tensor& t) {
  static constexpr uint8_t kOrder[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7};
  return lies_in_order(t, kOrder);
}

bool is_channels_last(const Tensor& t) {
  static constexpr uint8_t kOrder[3][5] = {{0, 2, 1}, {0, 2, 3, 1}, {0, 2, 3, 4, 1}};
  return t.rank >= 3 && t.rank <= 5 && lies_in_order(t, kOrder[t.rank - 3]);
}

bool same_sizes(const Tensor& a, const Tensor& b) {
  if (a.rank != b.rank) return false;
  for (uint32_t i = 0; i < a.rank; ++i) {
    if (a.sizes[i] != b.sizes[i]) return false;
  }
  return true;
}

bool same_layout(const Tensor& a, const Tensor& b) { return same_sizes(a, b) && lies_in_order(a, b.dim_order); }

}  // namespace wick
