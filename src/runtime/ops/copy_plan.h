// Moves of elements between tensors: any strides, any dtype, one or many at once. Knows steps and casts; refuses to
// know which operator asks.
#pragma once

#include "kernels/portable.h"
#include "runtime/op.h"
#include "runtime/ops/walk_plan.h"

namespace wick::ops {

// One end of a move: where it starts, its dtype, and its strides in elements.
struct CopyEnd {
  uint8_t* data;
  DType dtype;
  int32_t strides[kMaxRank];
};
CopyEnd copy_end(const Tensor& t);

// A prepared move between equal dtypes.
struct CopyItem {
  kernels::StridedCopy copy;
  const uint8_t* in;
  uint8_t* out;
};
CopyItem plan_copy(Prepare& p, WalkPlan& plan, const CopyEnd& in, const CopyEnd& out);

// out[i] = in[i] for every i below `sizes`; the last thing that a prepare() does. Casts where dtypes differ.
Status finish_copy(Prepare& p, const CopyEnd& in, const CopyEnd& out, const int32_t* sizes, uint32_t rank,
                   bool dynamic);
// The same for a plan with operands out and in, not yet sorted. One dtype.
Status finish_copy(Prepare& p, WalkPlan& plan, const CopyEnd& in, const CopyEnd& out);

// Several moves, one after another, of operators with lists: at most `count`, all with casts or all without.
class CopyList {
 public:
  CopyList(Prepare& p, uint32_t count, bool casts);
  void add(Prepare& p, const CopyEnd& in, const CopyEnd& out, const int32_t* sizes, uint32_t rank, bool dynamic);
  Status finish(Prepare& p);

 private:
  void* items_;
  uint32_t count_ = 0;
  bool casts_;
};

}  // namespace wick::ops
