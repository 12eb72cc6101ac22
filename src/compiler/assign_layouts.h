// Where the bytes of each value lie. Images are kept channels last between the operators that want them so
// (convolutions and pools on int8), and copies are made only where an operator needs another order. Operators that
// ExecuTorch runs on raw memory (concat, slices, transposes) are written for the order that memory has, so that both
// runtimes give the same. Inputs and outputs keep the order that the graph gave them.
#pragma once

#include "compiler/graph.h"

namespace wick::compiler {

struct LayoutOptions {
  bool channels_last_inputs = false;   // the caller gives images as [N, H, W, C] in memory
  bool channels_last_outputs = false;  // and takes them so
};

void assign_layouts(Graph& graph, const LayoutOptions& options = {});

}  // namespace wick::compiler
