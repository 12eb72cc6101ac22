// An offset in one block of memory for every value that a program computes, so that values that are in use at the same
// time never overlap. Values share their bytes where a node only changes how they are seen (views) or may write over
// what it reads for the last time (in place). Knows when values live; refuses to know the file format.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/graph.h"

namespace wick::compiler {

inline constexpr int64_t kMemoryAlignment = 16;

// Memory of its own until it is used first: scratch of an operator, or a value that nothing writes. One output.
inline constexpr const char* kAllocOp = "memory::alloc";

struct PlanOptions {
  bool views = true;     // nodes that move no byte become no instruction
  bool in_place = true;  // elementwise nodes write over an input that is used there for the last time
};

struct MemoryPlan {
  int64_t bytes = 0;              // of the block
  int64_t lower_bound_bytes = 0;  // most bytes in use at once: no plan can do with less
  // Of inputs, states, and what nodes compute; multiples of kMemoryAlignment.
  std::unordered_map<const Value*, int64_t> offsets;
  std::unordered_set<const Node*> elided;  // views: their output lies where their input does
  size_t in_place = 0;                     // nodes that write over an input
  int64_t peak_node = 0;                   // index of the node at which most bytes are in use
  std::vector<const Value*> witnesses;     // what is in use there, the largest first
};

// `outputs`: values that must still be there at the end, the graph's own included.
MemoryPlan plan_memory(const Graph& graph, const std::vector<Value*>& outputs, const PlanOptions& options = {});
inline MemoryPlan plan_memory(const Graph& graph, const PlanOptions& options = {}) {
  return plan_memory(graph, graph.outputs(), options);
}

// "peak of 12,345 bytes at conv2 (aten::convolution): 8,192 relu_1, 4,096 conv2", for --verbose and reports.
std::string describe_peak(const Graph& graph, const MemoryPlan& plan);

}  // namespace wick::compiler
