// Gives the scratch memory of every cortex_m operator in a graph the size that ExecuTorch's kernels want on a target.
// For graphs whose operators did not come from lowering: imported INT8 models, programs for another target.
#pragma once

#include "compiler/graph.h"
#include "compiler/lower_cortex_m/lower.h"

namespace wick::compiler {

void size_scratch(Graph& graph, Isa isa);

}  // namespace wick::compiler
