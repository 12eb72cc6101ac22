// When each planned tensor of a method is in use, as the program's own memory plan has it: for people and charts. The
// runtime may need less, as it leaves out copies that it need not make. Knows a method's facts only.
#pragma once

#include <vector>

#include "host/program_info.h"

namespace wick::host {

// A tensor of the memory plan, from the first instruction that touches it to the last. Inputs live from before the
// first (-1), outputs until after the last (the number of instructions), state always.
struct PlannedTensor {
  int32_t value;
  int64_t first, last;
};

// In order of memory, offset and first use.
std::vector<PlannedTensor> memory_plan(const MethodInfo& method);

// Bytes in use while each instruction runs; memory that several tensors share counts once.
std::vector<uint64_t> live_bytes(const MethodInfo& method);

}  // namespace wick::host
