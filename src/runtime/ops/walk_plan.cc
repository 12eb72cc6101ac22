// Ordering and merging of loops.
#include "runtime/ops/walk_plan.h"

namespace wick::ops {

void WalkPlan::add(int32_t size, int32_t step0, int32_t step1, int32_t step2, int32_t step3) {
  ++added_;
  if (size == 1 || rank_ == kMaxDims) return;
  sizes_[rank_] = size;
  const int32_t steps[kernels::kMaxOperands] = {step0, step1, step2, step3};
  for (uint32_t k = 0; k < operands_; ++k) steps_[rank_][k] = steps[k];
  ++rank_;
}

void WalkPlan::sort() {
  const auto magnitude = [&](uint32_t i) { return steps_[i][0] < 0 ? -steps_[i][0] : steps_[i][0]; };
  for (uint32_t i = 1; i < rank_; ++i) {
    for (uint32_t j = i; j > 0 && magnitude(j) > magnitude(j - 1); --j) {
      const int32_t size = sizes_[j];
      sizes_[j] = sizes_[j - 1];
      sizes_[j - 1] = size;
      for (uint32_t k = 0; k < operands_; ++k) {
        const int32_t step = steps_[j][k];
        steps_[j][k] = steps_[j - 1][k];
        steps_[j - 1][k] = step;
      }
    }
  }
}

void WalkPlan::merge() {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < rank_; ++i) {
    bool joins = kept > 0;
    for (uint32_t k = 0; k < operands_ && joins; ++k) {
      joins = steps_[kept - 1][k] == static_cast<int64_t>(steps_[i][k]) * sizes_[i];
    }
    if (joins) {
      sizes_[kept - 1] *= sizes_[i];
    } else {
      sizes_[kept++] = sizes_[i];
    }
    for (uint32_t k = 0; k < operands_; ++k) steps_[kept - 1][k] = steps_[i][k];
  }
  rank_ = kept;
}

uint32_t WalkPlan::take_run(int32_t steps[kernels::kMaxOperands]) {
  if (rank_ == 0) {
    for (uint32_t k = 0; k < operands_; ++k) steps[k] = 1;
    return 1;
  }
  --rank_;
  for (uint32_t k = 0; k < operands_; ++k) steps[k] = steps_[rank_][k];
  return static_cast<uint32_t>(sizes_[rank_]);
}

uint32_t WalkPlan::take_contiguous_run() {
  if (rank_ == 0) return 1;
  for (uint32_t k = 0; k < operands_; ++k) {
    if (steps_[rank_ - 1][k] != (k < 2 ? 1 : 0)) return 1;
  }
  --rank_;
  return static_cast<uint32_t>(sizes_[rank_]);
}

kernels::Walk WalkPlan::pack(Prepare& p, const uint32_t* bytes) const {
  kernels::Walk walk;
  walk.rank = rank_;
  walk.operands = operands_;
  const uint32_t words = (dynamic_ ? added_ : rank_) * (1 + operands_);
  if (words == 0) return walk;
  int32_t* dims = static_cast<int32_t*>(p.persistent(words * static_cast<uint32_t>(sizeof(int32_t))));
  walk.dims = dims;
  if (dims == nullptr || !p.may_write()) return walk;
  for (uint32_t i = 0; i < rank_; ++i) {
    *dims++ = sizes_[i];
    for (uint32_t k = 0; k < operands_; ++k) *dims++ = steps_[i][k] * static_cast<int32_t>(bytes[k]);
  }
  return walk;
}

}  // namespace wick::ops
