// What operators that pick elements leave behind for their run: shared by indexing and scattering. Knows picks and the
// copy that comes before them; refuses to know signatures.
#pragma once

#include "kernels/pick.h"
#include "runtime/ops/copy_plan.h"

namespace wick::ops {

// The copy that comes first, of operators that change a few elements of their input.
struct FirstCopy {
  CopyItem item;
  bool needed;
};

// By index tensors.
struct IndexParams {
  kernels::PickByIndex pick;
  FirstCopy copy;
  void* picked;
  void* other;  // null: `value`
  alignas(8) uint8_t value[8];
};

// By a mask.
struct MaskParams {
  kernels::PickByMask pick;
  FirstCopy copy;
  const uint8_t* mask;
  void* picked;
  void* other;
  bool exact;  // the other tensor must have an element for each place, and no more
};

FirstCopy plan_first_copy(Prepare& p, const Tensor& x, const Tensor& out);
Status run_index(const void* params, RunContext& context);
Status run_mask(const void* params, RunContext& context);
void require_index_dtype(Prepare& p, uint32_t arg, const Tensor& t);
// Strides of `t` by the dimensions of something that it broadcasts to; false when it does not.
bool strides_as(const Tensor& t, const int32_t* sizes, uint32_t rank, int32_t strides[kMaxRank]);

}  // namespace wick::ops
