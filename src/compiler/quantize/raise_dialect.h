// The core operators that importers and programs speak, back into the PyTorch operators that quantizers have rules for:
// one name for a convolution, a normalisation, a pool, a linear layer. Refuses to change what is computed.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Returns how many nodes were renamed.
size_t raise_dialect(Graph& graph);

}  // namespace wick::compiler
