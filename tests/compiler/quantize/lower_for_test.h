// What `wick compile` does behind quantization.
#pragma once

#include "compiler/assign_layouts.h"
#include "compiler/lower_cortex_m/lower.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/passes/merge_common.h"

namespace wick::compiler {

inline void lower(Graph& graph, bool executorch_only) {
  decompose(graph);
  fold_constants(graph);
  LowerOptions options;
  options.executorch_only = executorch_only;
  lower_cortex_m(graph, options);
  decompose_functions(graph);
  merge_common(graph);
  assign_layouts(graph);
}

}  // namespace wick::compiler
