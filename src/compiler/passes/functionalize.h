// In-place operators become functional ones: later readers of the tensor, and of views of it, get the new value. A
// buffer or constant that is written becomes state.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Returns how many in-place operators went. Throws Failure for a write through a view that cannot be undone.
size_t functionalize(Graph& graph);

}  // namespace wick::compiler
