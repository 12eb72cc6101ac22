// Operators of one tensor as functions of a real number: what becomes a table of 256 entries. Knows formulas only.
#pragma once

#include <functional>

#include "compiler/graph.h"

namespace wick::compiler {

// Null when the node is no such operator, or has arguments that are not numbers. A binary operator whose other operand
// is a constant of one element counts: its value is folded in.
std::function<double(double)> unary_function(const Node& node);

// Whether the operator is one whatever its operands are; for quantizers, which ask before constants are settled.
bool is_unary(const std::string& op);

}  // namespace wick::compiler
