// Graphs to the bytes of a program: ExecuTorch's .pte, with its extended header, constants in a segment of their own
// (equal ones once) and a memory plan. The same graphs give the same bytes. Knows the file format; refuses to know
// what operators compute. Throws Failure for a node that no program can call.
#pragma once

#include <span>
#include <vector>

#include "compiler/graph.h"
#include "compiler/plan_memory.h"
#include "files/files.h"

namespace wick::compiler {

// The release whose signatures the program's operators have.
enum class Release : uint8_t { kExecuTorch14, kExecuTorch15 };

struct EmitOptions {
  Release release = Release::kExecuTorch15;
  PlanOptions plan;
  // Values of the (only) graph that become outputs too, behind its own.
  std::vector<Value*> more_outputs;
  // When not null, the memory plan of each graph.
  std::vector<MemoryPlan>* plans = nullptr;
};

files::Bytes emit_program(std::span<const Graph> methods, const EmitOptions& options = {});
inline files::Bytes emit_program(const Graph& graph, const EmitOptions& options = {}) {
  return emit_program(std::span<const Graph>(&graph, 1), options);
}

}  // namespace wick::compiler
