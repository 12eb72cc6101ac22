// Watches the values that tensors take on calibration samples and says which int8 scale and zero point fit them. The
// histogram observer follows torchao's HistogramObserver in float32 and double exactly where that decides the result,
// so that equal data give equal parameters. Refuses to know graphs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "compiler/qparams.h"

namespace wick::compiler {

// Per-tensor affine over -128..127; the range is widened to hold 0.
QParams affine_qparams(float min, float max);
// Symmetric over -128..127 about zero point 0: the larger magnitude falls on `levels`.
float symmetric_scale(float min, float max, float levels = 127.5f);

// Which part of what was seen the int8 range covers.
enum class RangeRule : uint8_t {
  kTorch,       // torchao's search: quantile steps from the outside while the L2 error shrinks
  kMinMax,      // all of it
  kPercentile,  // 99.99 % of the values
  kMse,         // the least L2 error among symmetric and one-sided cuts
  kEntropy,     // the least Kullback-Leibler divergence
};

class HistogramObserver {
 public:
  static constexpr size_t kBins = 2048;

  // Infinite values are left out; a tensor without values changes nothing.
  void observe(std::span<const float> values);
  bool seen_anything() const { return min_ <= max_; }
  float min() const { return min_; }
  float max() const { return max_; }
  QParams qparams(RangeRule rule = RangeRule::kTorch) const;
  // The range that `rule` chooses.
  struct Range {
    float min = 0, max = 0;
  };
  Range range(RangeRule rule) const;
  // How much of what was seen lies outside what `qparams` can represent, 0..1, to a histogram bin.
  double clipped_share(const QParams& qparams) const;

 private:
  using Histogram = std::array<float, kBins>;
  Range torch_range() const;
  Range percentile_range() const;
  Range mse_range() const;
  Range entropy_range() const;
  double torch_error(int64_t start, int64_t end) const;
  void widen(float min, float max);

  Histogram histogram_ = {};
  float min_ = std::numeric_limits<float>::infinity(), max_ = -std::numeric_limits<float>::infinity();
};

}  // namespace wick::compiler
