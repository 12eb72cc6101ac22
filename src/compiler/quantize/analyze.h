// How far a quantized graph is from the float one that it came from, tensor by tensor, by running both.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/copy_graph.h"
#include "files/array.h"

namespace wick::compiler {

// Signal and noise of one tensor over all samples.
struct SignalToNoise {
  double signal = 0, noise = 0;  // sums of squares
  double db() const;
  double relative_error() const;
};

struct ErrorAnalysis {
  std::unordered_map<const Value*, SignalToNoise> tensors;  // by the float graph's values that are int8
  SignalToNoise outputs;
};

// `quantized` is a copy of `real` (its values by `copy`), with quantize and dequantize nodes put in.
// `threads` 0: one per core; the result does not depend on it.
ErrorAnalysis analyze_errors(const Graph& real, const Graph& quantized,
                             const std::unordered_map<const Value*, Value*>& copy,
                             std::span<const std::vector<files::Array>> samples, unsigned threads = 0);

}  // namespace wick::compiler
