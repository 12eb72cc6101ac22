// ExecuTorch 1.4's CortexMQuantizer: how it changes a float graph before it looks at it, and which tensors it then
// quantizes. Equal decisions make equal programs. Refuses to know what would be better (wick_rules.h does).
#pragma once

#include "compiler/graph.h"
#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

// Batch normalisation goes into convolutions; hardswish gets the clamp that lowering fuses; pooling to one pixel and
// matrix products take the forms that patterns know.
void prepare_for_executorch(Graph& graph);

QuantizePlan plan_like_executorch(const Graph& graph);

}  // namespace wick::compiler
