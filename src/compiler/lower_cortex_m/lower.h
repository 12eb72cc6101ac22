// Quantized graphs to ExecuTorch's integer operators: float operators between dequantize and quantize nodes become
// cortex_m:: nodes on int8 values, with multipliers, shifts and tables worked out; what has no integer form stays float
// between cortex_m's quantize and dequantize. One file a family of operators. Refuses to choose scales: they are in
// the graph.
#pragma once

#include <string>

#include "compiler/graph.h"

namespace wick::compiler {

// Whose scratch sizes and forms of the linear operator a program carries.
enum class Isa : uint8_t { kScalar, kDsp, kMve };
// Of a target's name; throws Failure for an unknown one.
Isa isa_of_target(const std::string& target);

struct LowerOptions {
  Isa isa = Isa::kDsp;
  // Only what ExecuTorch's own passes lower, the way they do; the rest stays float. Otherwise all that integers can
  // compute.
  bool executorch_only = false;
};

// Leaves dim_order alone; assign_layouts() comes next.
void lower_cortex_m(Graph& graph, const LowerOptions& options);

}  // namespace wick::compiler
