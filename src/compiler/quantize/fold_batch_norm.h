// Batch normalisation with fixed statistics goes into the weights of the convolution or linear layer before it, in
// float32 and in PyTorch's order of operations, so that the weights come out bit for bit. Refuses layers whose result
// somebody else reads too.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

// Takes "aten::batch_norm" in evaluation mode. Returns how many went.
size_t fold_batch_norms(Graph& graph);

}  // namespace wick::compiler
