// Nodes that depend on constants alone become constants: their values are what the runtime computes. Dequantize nodes
// stay, as they say what int8 weights mean.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Returns how many nodes went.
size_t fold_constants(Graph& graph);

}  // namespace wick::compiler
