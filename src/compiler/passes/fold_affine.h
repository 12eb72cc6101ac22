// Multiplications, divisions, additions and subtractions by constants that stand behind a convolution or linear layer
// go into its weights and bias. In float32, so the last bits may differ from the model's own order of operations.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Takes "aten::convolution" and "aten::linear" with constant weights whose result nobody else reads, and constants that
// are one number or one per output channel. Returns how many nodes went.
size_t fold_affine(Graph& graph);

}  // namespace wick::compiler
