// A float graph to an int8 one, with calibration samples: quantize and dequantize nodes around float operators, weights
// as int8 and biases as int32 constants behind dequantize nodes. Lowering (lower_cortex_m) makes integer operators of
// that.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph.h"
#include "compiler/quantize/observers.h"
#include "files/array.h"

namespace wick::compiler {

enum class Quantizer : uint8_t {
  kExecuTorch,  // what ExecuTorch 1.4's CortexMQuantizer does
  kWick,        // every operator that integers can compute
};

struct QuantizeOptions {
  Quantizer quantizer = Quantizer::kWick;
  RangeRule range = RangeRule::kTorch;
  unsigned threads = 0;  // 0: one per core
  // Called after each sample with how many are done; null: not.
  std::function<void(size_t done, size_t all)> progress;
};

// `samples`: [sample][input], as the graph's inputs are, in logical order; at least one. Throws Failure naming the
// operator that cannot be calibrated, or the sample that does not fit.
void quantize(Graph& graph, std::span<const std::vector<files::Array>> samples, const QuantizeOptions& options);

}  // namespace wick::compiler
