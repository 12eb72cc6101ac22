// Cross-layer equalization: moves size from the channels of one layer to those of the next where only a ReLU or nothing
// stands between, so that the channels of both use their int8 range alike. The float graph computes the same.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Returns how many pairs were equalized. Weights that several layers share are left alone.
size_t equalize_layers(Graph& graph);

}  // namespace wick::compiler
