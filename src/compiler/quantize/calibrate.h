// Runs a float graph on calibration samples and gathers, for every group of tensors that a plan quantizes, what values
// they take. Samples run in parallel; what the observers see does not depend on the number of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

struct CalibrateOptions {
  unsigned threads = 0;  // 0: one per core
  std::function<void(size_t done, size_t all)> progress;
};

// An observer per group, by QuantizePlan::find.
std::vector<HistogramObserver> calibrate(const Graph& graph, const QuantizePlan& plan,
                                         std::span<const std::vector<files::Array>> samples,
                                         const CalibrateOptions& options);

}  // namespace wick::compiler
