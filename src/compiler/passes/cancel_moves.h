// Reshapes and permutations that follow one another become one, or none; so do reshapes that change nothing, and a
// reshape of a permutation that only moves dimensions of size 1. Float values are moved, never changed.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// For graphs whose values are contiguous. Returns how many nodes went or became simpler.
size_t cancel_moves(Graph& graph);

}  // namespace wick::compiler
