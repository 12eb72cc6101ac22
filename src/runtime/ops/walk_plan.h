// How a method's step walks several tensors: dimensions with steps of any sign go in, merged loops in memory order come
// out, in the method's memory. Knows strides; refuses to know what is done with the elements.
#pragma once

#include "kernels/walk.h"
#include "runtime/op.h"
#include "runtime/ops/strides.h"

namespace wick::ops {

class WalkPlan {
 public:
  // `dynamic`: sizes may shrink between calls, so loops that merge now may not merge then; room is kept for them.
  WalkPlan(uint32_t operands, bool dynamic) : operands_(operands), dynamic_(dynamic) {}

  // One more dimension, outermost first; steps in elements. No dimension may be empty.
  void add(int32_t size, int32_t step0, int32_t step1 = 0, int32_t step2 = 0, int32_t step3 = 0);
  // Orders dimensions by operand 0's step, largest first: its memory order.
  void sort();
  // Merges neighbours that every operand steps through alike.
  void merge();
  // Takes the innermost dimension off. Without any: one element with steps of 1.
  uint32_t take_run(int32_t steps[kernels::kMaxOperands]);
  // The same, but only a dimension that operands 0 and 1 go through element by element and the others stand still in;
  // 1 when there is none.
  uint32_t take_contiguous_run();
  // What is left, in the method's memory. `bytes` are the operands' element sizes.
  kernels::Walk pack(Prepare& p, const uint32_t* bytes) const;

 private:
  static constexpr uint32_t kMaxDims = kernels::kMaxWalkRank;
  uint32_t operands_;
  bool dynamic_;
  uint32_t added_ = 0;
  uint32_t rank_ = 0;
  int32_t sizes_[kMaxDims];
  int32_t steps_[kMaxDims][kernels::kMaxOperands];
};

}  // namespace wick::ops
