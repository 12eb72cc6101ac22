// A tensor as the runtime and its operators see it: a view that owns nothing. Sizes are logical (NCHW for images);
// dim_order says where the bytes lie. Knows shape arithmetic; refuses to know who owns the memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"

namespace wick {

inline constexpr uint32_t kMaxRank = 8;

enum class Storage : uint8_t {
  kConstant,  // read where it lies in the program or its data file; never written
  kPlanned,   // in the method's planned memory; data is null while memory is only being measured
  kCaller,    // memory that the caller gives; data is null until then
};

struct Tensor {
  void* data = nullptr;
  const int32_t* sizes = nullptr;      // [rank], logical order
  const uint8_t* dim_order = nullptr;  // [rank], outermost first: contiguous 0,1,2,3; channels last 0,2,3,1
  uint8_t rank = 0;
  DType dtype = DType::kUInt8;
  Storage storage = Storage::kPlanned;
  bool dynamic = false;  // sizes are an upper bound that may shrink between calls
  bool state = false;    // planned memory that keeps its value between calls

  int32_t size(uint32_t dim) const { return sizes[dim]; }
  uint32_t numel() const {
    uint32_t n = 1;
    for (uint32_t i = 0; i < rank; ++i) n *= static_cast<uint32_t>(sizes[i]);
    return n;
  }
  uint32_t bytes() const { return numel() * dtype_bytes(dtype); }

  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// Strides in elements, by logical dimension. Dimensions of size 0 count as 1, as PyTorch does.
inline void strides_of(const Tensor& t, int32_t strides[kMaxRank]) {
  int32_t step = 1;
  for (uint32_t i = t.rank; i-- > 0;) {
    const uint32_t dim = t.dim_order[i];
    strides[dim] = step;
    step *= t.sizes[dim] > 0 ? t.sizes[dim] : 1;
  }
}

// True when memory order equals logical order; dimensions of size 1 lie anywhere.
bool is_contiguous(const Tensor& t);
// True when memory is N, spatial..., C; dimensions of size 1 lie anywhere. Rank 3 to 5.
bool is_channels_last(const Tensor& t);
// True when both tensors have the same sizes.
bool same_sizes(const Tensor& a, const Tensor& b);
// True when elements of equal logical index lie at equal offsets (sizes must be the same).
bool same_layout(const Tensor& a, const Tensor& b);

}  // namespace wick
