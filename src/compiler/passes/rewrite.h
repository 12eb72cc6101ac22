// How a pass that replaces single operators is written: a table from an operator to what stands for it. Knows the walk
// over the graph; refuses to know any operator.
#pragma once

#include <span>

#include "compiler/graph.h"
#include "compiler/type_of.h"

namespace wick::compiler {

// Values that stand for the node's outputs, in order (null: that output is not needed), built before the node; none of
// them leaves the node as it is.
using Replacement = std::vector<Value*>;
struct RewriteRule {
  const char* op;
  Replacement (*rewrite)(Builder&, const Node&);
};

// Applies the rules, also to what they make, until none applies. Returns how many times one did. Throws Failure where a
// replacement has another type than what it stands for, or an output has users but no replacement.
size_t rewrite(Graph& graph, std::span<const RewriteRule> rules);

// Puts `to` in the place of the node's outputs and takes the node away.
void replace_node(Graph& graph, Node* node, const Replacement& to);

// Reading arguments of a node that is complete and of right types.
inline int64_t int_arg(const Node& node, size_t i) { return *node.arg(i).get<int64_t>(); }
inline bool bool_arg(const Node& node, size_t i) { return *node.arg(i).get<bool>(); }
inline double number_arg(const Node& node, size_t i) { return *node.arg(i).number(); }
inline const Ints& ints_arg(const Node& node, size_t i) { return *node.arg(i).get<Ints>(); }
inline const Shape& sizes_of(const Node& node, size_t i = 0) { return node.arg(i).tensor()->type.sizes; }

}  // namespace wick::compiler
