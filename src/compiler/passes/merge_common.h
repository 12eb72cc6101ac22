// Equal constants become one, and nodes that compute the same from the same become one.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Returns how many nodes went.
size_t merge_common(Graph& graph);

}  // namespace wick::compiler
