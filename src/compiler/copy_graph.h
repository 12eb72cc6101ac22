// A second graph that is the same and shares constants' data: for trying something and comparing.
#pragma once

#include <unordered_map>

#include "compiler/graph.h"

namespace wick::compiler {

struct GraphCopy {
  Graph graph;
  std::unordered_map<const Value*, Value*> values;  // of the original to those of the copy
  std::unordered_map<const Node*, Node*> nodes;
};

GraphCopy copy_graph(const Graph& graph);

}  // namespace wick::compiler
