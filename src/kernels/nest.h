// Nested loops over several tensors at once, each with its own steps: what an operator does with every element when the
// tensors' memory orders differ. Knows steps in elements; refuses to know what is done inside.
#pragma once

#include <cstdint>

namespace wick::kernels {

// kOperands tensors. Loops are added from the outermost in; a loop of one turn is left out and one that continues its
// outer neighbour in every tensor is fused with it, so contiguous tensors end as a single loop. kMaxLoops is what there
// is room for; what has more says so.
template <uint32_t kOperands, uint32_t kMaxLoops = 10>
struct Nest {
  uint32_t loops = 0;
  bool empty = false;     // some loop has no turns
  bool too_deep = false;  // more loops than there is room for
  int32_t size[kMaxLoops];
  int32_t step[kMaxLoops][kOperands];

  void add(int32_t count, const int32_t (&steps)[kOperands]) {
    if (count == 0) empty = true;
    if (count <= 1) return;
    if (loops > 0) {
      bool fuses = true;
      for (uint32_t k = 0; k < kOperands; ++k) {
        fuses = fuses && static_cast<int64_t>(steps[k]) * count == step[loops - 1][k];
      }
      if (fuses) {
        size[loops - 1] *= count;
        set_steps(loops - 1, steps);
        return;
      }
    }
    if (loops == kMaxLoops) {
      too_deep = true;
      return;
    }
    size[loops] = count;
    set_steps(loops++, steps);
  }

  // The same with less room.
  template <uint32_t kRoom>
  Nest<kOperands, kRoom> narrowed() const {
    Nest<kOperands, kRoom> result;
    result.empty = empty;
    result.too_deep = too_deep;
    for (uint32_t d = 0; d < loops; ++d) result.add(size[d], step[d]);
    return result;
  }

  // The same loops in another order: large steps of the first tensor outside. For work whose order does not matter.
  Nest sorted() const {
    Nest result;
    result.empty = empty;
    result.too_deep = too_deep;
    bool taken[kMaxLoops] = {};
    for (uint32_t n = 0; n < loops; ++n) {
      uint32_t best = kMaxLoops;
      for (uint32_t d = 0; d < loops; ++d) {
        if (!taken[d] && (best == kMaxLoops || magnitude(step[d][0]) > magnitude(step[best][0]))) best = d;
      }
      taken[best] = true;
      result.add(size[best], step[best]);
    }
    return result;
  }

  int32_t inner_size() const { return loops > 0 ? size[loops - 1] : 1; }
  int32_t inner_step(uint32_t operand) const { return loops > 0 ? step[loops - 1][operand] : 0; }

  // Calls run(at) for each turn of all loops but the innermost; `at` is where each tensor's innermost loop starts.
  template <typename Function>
  void for_each_run(Function&& run) const {
    if (empty) return;
    int32_t at[kOperands] = {};
    int32_t turn[kMaxLoops] = {};
    for (;;) {
      run(at);
      uint32_t d = loops > 0 ? loops - 1 : 0;
      for (; d > 0; --d) {
        for (uint32_t k = 0; k < kOperands; ++k) at[k] += step[d - 1][k];
        if (++turn[d - 1] < size[d - 1]) break;
        turn[d - 1] = 0;
        for (uint32_t k = 0; k < kOperands; ++k) at[k] -= size[d - 1] * step[d - 1][k];
      }
      if (d == 0) return;
    }
  }

 private:
  static int32_t magnitude(int32_t value) { return value < 0 ? -value : value; }
  void set_steps(uint32_t loop, const int32_t (&steps)[kOperands]) {
    for (uint32_t k = 0; k < kOperands; ++k) step[loop][k] = steps[k];
  }
};

}  // namespace wick::kernels
