// Composite operators become those that the runtime runs, by PyTorch's own definitions. One file a family. Knows
// formulas; refuses to know values: constants are folded by another pass.
#pragma once

#include <span>

#include "compiler/graph.h"
#include "compiler/passes/rewrite.h"

namespace wick::compiler {

// Views, layers, recurrent networks and arithmetic shorthands. What an int8 program can look up in a table (hardswish,
// softplus, ...) stays whole. Returns how many nodes were taken apart. Throws Failure for a node that cannot be.
size_t decompose(Graph& graph);
// The rest, for float programs.
size_t decompose_functions(Graph& graph);

std::span<const RewriteRule> view_rules();
std::span<const RewriteRule> layer_rules();
std::span<const RewriteRule> recurrent_rules();
std::span<const RewriteRule> arithmetic_rules();
std::span<const RewriteRule> function_rules();

}  // namespace wick::compiler
