// Runs a float graph on calibration samples and gathers, for every group of tensors that a plan quantizes, what values
// they take. Samples run in parallel; what the observers see does not depend on the number of threads.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

struct CalibrateOptions {
  unsigned threads = 0;      // 0: one per core
  bool input_means = false;  // of layers with weights
  std::function<void(size_t done, size_t all)> progress;
};

struct Calibration {
  std::vector<HistogramObserver> observers;  // by QuantizePlan::find
  // Of each layer with weights, the mean of its input by channel (the last dimension of linear layers' inputs).
  std::unordered_map<const Node*, std::vector<double>> input_means;
};

Calibration calibrate(const Graph& graph, const QuantizePlan& plan, std::span<const std::vector<files::Array>> samples,
                      const CalibrateOptions& options);

}  // namespace wick::compiler
