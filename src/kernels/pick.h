// Elements picked by index tensors or by a mask, read or written: what indexing, scattering and masked copies come down
// to. Indices are judged as they are read. Knows strides in elements; refuses to know which operator asks.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/nest.h"

namespace wick::kernels {

inline constexpr uint32_t kMaxPicks = 4;

// What happens between the picked tensor and the other one at each place.
enum class PickAction : uint8_t {
  kRead,   // other = picked
  kWrite,  // picked = other
  kAdd,    // picked += other
};

struct IndexTensor {
  const void* data;
  bool wide;       // int64, else int32
  bool wraps;      // negative indices count from the end
  int32_t size;    // of the dimension that it indexes
  int32_t stride;  // of that dimension, elements
};

// For each turn of `positions` (operands: other, picked, then the index tensors): the picked place is moved by every
// index times its stride, and `rest` (operands: other, picked) is walked from there.
struct PickByIndex {
  Nest<2 + kMaxPicks, 4> positions;
  Nest<2, 4> rest;
  IndexTensor indices[kMaxPicks];
  uint32_t count;
  PickAction action;
  DType dtype;
};

struct BadIndex {
  uint32_t which;  // index tensor
  int64_t value;
};

// False at the first index out of range. What was written until then stays.
bool pick_by_index(const PickByIndex& p, void* picked, void* other, BadIndex* bad);

// For each true element of `mask`, in the order of `positions` (operands: mask, picked), `rest` (operands: other,
// picked) is walked; the other tensor moves on by other_step for each, or stands still. At most `limit` places.
struct PickByMask {
  Nest<2, 8> positions;
  Nest<2, 4> rest;
  int32_t other_step;
  uint32_t limit;
  PickAction action;
  DType dtype;
};

// How many places were true; more than `limit` are counted but not touched.
uint32_t pick_by_mask(const PickByMask& p, const uint8_t* mask, void* picked, void* other);

}  // namespace wick::kernels
