// A float graph to an int8 one, with calibration samples: quantize and dequantize nodes around float operators, weights
// as int8 and biases as int32 constants behind dequantize nodes. Lowering (lower_cortex_m) makes integer operators of
// that.
#pragma once

#include <functional>
#include <optional>
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
  // Default: kTorch as ExecuTorch does; of kWick kMinMax, or kMse where the outputs clearly gain.
  std::optional<RangeRule> range;
  bool per_channel = true;       // linear layers too, where it gains; kWick only
  bool bias_correction = true;   // kWick only
  std::optional<bool> equalize;  // cross-layer equalization; default: where the outputs gain; kWick only
  // Nodes that stay float: names, with * for any text and ? for any character. kWick only.
  std::vector<std::string> keep_float;
  // The largest error of the outputs, relative to their root mean square: layers whose error stands out stay float
  // until it is met. kWick only.
  std::optional<double> max_error;
  unsigned threads = 0;  // 0: one per core
  // Called after each sample with how many are done; null: not.
  std::function<void(size_t done, size_t all)> progress;
};

// One int8 tensor on the samples that were compared (at most kComparedSamples).
struct QuantizedTensor {
  std::string name, op;    // of the node that makes it, or the input's name and "input"
  float min = 0, max = 0;  // seen in calibration
  QParams qparams;
  double clipped_share = 0;  // of what calibration saw
  double sqnr_db = 0;        // signal to the noise that int8 has added up to here
  double added_error = 0;    // how much the relative error grows over that of the worst input, 0..
};

struct QuantizeReport {
  static constexpr size_t kComparedSamples = 16;
  std::vector<QuantizedTensor> tensors;  // in order of execution
  std::vector<std::string> kept_float;   // nodes that compute in float32, with their operator
  size_t equalized_pairs = 0;
  // Root mean square of the outputs' error relative to that of the outputs.
  double output_error = 0;
};

// `samples`: [sample][input], as the graph's inputs are, in logical order; at least one. Throws Failure naming the
// operator that cannot be calibrated, or the sample that does not fit. `report` may be null.
void quantize(Graph& graph, std::span<const std::vector<files::Array>> samples, const QuantizeOptions& options,
              QuantizeReport* report = nullptr);

}  // namespace wick::compiler
