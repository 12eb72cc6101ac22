#include "compiler/quantize/observers.h"

#include <algorithm>
#include <cmath>

namespace wick::compiler {

namespace {

constexpr float kSmallestScale = 0x1p-23f;
constexpr int64_t kUpsampling = 16;
constexpr int kLevels = 256;

// torch.histc: equal bins between min and max, what equals max in the last one, values outside ignored.
void add_to_histogram(std::array<float, HistogramObserver::kBins>& bins, std::span<const float> values, float min,
                      float max) {
  if (min == max) min -= 1, max += 1;
  const float width = max - min;
  const auto count = static_cast<int64_t>(bins.size());
  std::array<uint32_t, HistogramObserver::kBins> counts = {};
  for (const float value : values) {
    if (!(value >= min && value <= max)) continue;
    const auto bin = static_cast<int64_t>((value - min) * static_cast<float>(count) / width);
    ++counts[static_cast<size_t>(std::min(bin, count - 1))];
  }
  for (size_t i = 0; i < bins.size(); ++i) bins[i] += static_cast<float>(counts[i]);
}

// torch.linspace in float32: counted from both ends, so that the last value is exact.
float linspace(float start, float end, int64_t steps, int64_t index) {
  const float step = (end - start) / static_cast<float>(steps - 1);
  return index < steps / 2 ? std::fma(step, static_cast<float>(index), start)
                           : std::fma(-step, static_cast<float>(steps - index - 1), end);
}

// The floor of the exact quotient (b > 0), also where a / b rounds up to the next integer: torch.div's "floor".
float floor_quotient(float a, float b) {
  const float rest = std::fmod(a, b);
  float quotient = (a - rest) / b;
  if (rest < 0) quotient -= 1;
  const float floor = std::floor(quotient);
  return quotient - floor > 0.5f ? floor + 1 : floor;
}

double sum_of(const std::array<float, HistogramObserver::kBins>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

// Counts averaged over as many neighbours as it takes to hold about a hundred: the unevenness of few counts would pass
// for information that wide levels lose.
std::vector<double> smoothed(const std::array<float, HistogramObserver::kBins>& counts) {
  const auto bins = static_cast<int64_t>(counts.size());
  const double wanted = 100.0 * static_cast<double>(bins) / std::max(sum_of(counts), 1.0);
  const auto half = static_cast<int64_t>(std::clamp(wanted / 2, 0.0, static_cast<double>(bins) / 16));
  std::vector<double> sums(counts.size() + 1), out(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) sums[i + 1] = sums[i] + static_cast<double>(counts[i]);
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t from = std::max<int64_t>(i - half, 0), to = std::min(i + half + 1, bins);
    out[static_cast<size_t>(i)] =
        (sums[static_cast<size_t>(to)] - sums[static_cast<size_t>(from)]) / static_cast<double>(to - from);
  }
  return out;
}

}  // namespace

QParams affine_qparams(float min, float max) {
  if (!(min <= max)) return {};
  min = std::min(min, 0.0f), max = std::max(max, 0.0f);
  const float scale = std::max((max - min) / 255.0f, kSmallestScale);
  const auto zero_point = static_cast<int64_t>(-128 - static_cast<int64_t>(std::nearbyint(min / scale)));
  return {scale, std::clamp<int64_t>(zero_point, -128, 127)};
}

float symmetric_scale(float min, float max, float levels) {
  if (!(min <= max)) return 1;
  const float largest = std::max(-std::min(min, 0.0f), std::max(max, 0.0f));
  return std::max(largest / levels, kSmallestScale);
}

void HistogramObserver::observe(std::span<const float> values) {
  float min = std::numeric_limits<float>::infinity(), max = -min;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  if (min > max) return;
  if (seen_anything()) {
    widen(std::min(min, min_), std::max(max, max_));
  } else {
    min_ = min, max_ = max;
  }
  add_to_histogram(histogram_, values, min_, max_);
}

// Moves what was counted into bins of a wider range, each bin in sixteen parts.
void HistogramObserver::widen(float min, float max) {
  if (min == min_ && max == max_) return;
  Histogram wider = {};
  if (min_ == max_) {
    const std::array<float, 1> value = {min_};
    add_to_histogram(wider, value, min, max);
    const auto total = static_cast<float>(sum_of(histogram_));
    for (float& count : wider) count *= total;
  } else {
    const auto bins = static_cast<int64_t>(kBins);
    const int64_t parts = bins * kUpsampling;
    const float half = 0.5f * ((max_ - min_) / static_cast<float>(parts));
    size_t to = 0;
    for (int64_t part = 0; part < parts; ++part) {
      const float middle = linspace(min_, max_, parts + 1, part) + half;
      while (to + 1 < kBins && linspace(min, max, bins + 1, static_cast<int64_t>(to) + 1) <= middle) ++to;
      wider[to] += histogram_[static_cast<size_t>(part / kUpsampling)] / static_cast<float>(kUpsampling);
    }
  }
  histogram_ = wider;
  min_ = min, max_ = max;
}

QParams HistogramObserver::qparams(RangeRule rule) const {
  if (!seen_anything()) return {};
  const Range found = range(rule);
  return affine_qparams(found.min, found.max);
}

HistogramObserver::Range HistogramObserver::range(RangeRule rule) const {
  if (!seen_anything()) return {};
  switch (rule) {
    case RangeRule::kTorch:
      return torch_range();
    case RangeRule::kMinMax:
      return {min_, max_};
    case RangeRule::kPercentile:
      return percentile_range();
    case RangeRule::kMse:
      return mse_range();
    case RangeRule::kEntropy:
      return entropy_range();
  }
  return {min_, max_};
}

// The L2 error of 256 levels between bins `start` and `end`, values spread evenly over each bin.
double HistogramObserver::torch_error(int64_t start, int64_t end) const {
  const double bin_width = (static_cast<double>(max_) - static_cast<double>(min_)) / static_cast<double>(kBins);
  const double level_width = bin_width * static_cast<double>(end - start + 1) / kLevels;
  if (level_width == 0.0) return 0;
  const auto width = static_cast<float>(bin_width), level = static_cast<float>(level_width);
  const auto half = static_cast<float>(level_width / 2);
  const auto cube = [](float x) { return x * x * x; };
  const auto level_of = [level](float x) { return std::clamp(floor_quotient(x, level), 0.0f, float{kLevels - 1}); };
  double error = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(kBins); ++i) {
    const float density = histogram_[static_cast<size_t>(i)] / width;
    const float begin = static_cast<float>(i - start) * width;
    const float finish = begin + width;
    const float first = level_of(begin), last = level_of(finish);
    const float from_first = begin - (first + 0.5f) * level;
    const float to_last = finish - (last * level + half);
    float norm = density * ((cube(half) - cube(from_first)) / 3);
    norm += (last - first - 1) * (density * ((cube(half) - cube(-half)) / 3));
    norm += density * ((cube(to_last) - cube(-half)) / 3);
    error += norm;
  }
  return static_cast<float>(error);
}

HistogramObserver::Range HistogramObserver::torch_range() const {
  const double total = static_cast<float>(sum_of(histogram_));
  Histogram cumulative = {};
  double running = 0;  // torch.cumsum adds up in double and stores float32
  for (size_t i = 0; i < kBins; ++i) cumulative[i] = static_cast<float>(running += histogram_[i]);
  constexpr double kStep = 1e-5;
  double alpha = 0, beta = 1;
  int64_t start = 0, end = static_cast<int64_t>(kBins) - 1;
  double least = std::numeric_limits<double>::infinity();
  while (alpha < beta) {
    const double next_alpha = alpha + kStep, next_beta = beta - kStep;
    const auto low = static_cast<float>(next_alpha * total), high = static_cast<float>(next_beta * total);
    int64_t left = start, right = end;
    while (left < end && cumulative[static_cast<size_t>(left)] < low) ++left;
    while (right > start && cumulative[static_cast<size_t>(right)] > high) --right;
    int64_t next_start = start, next_end = end;
    if (left - start > end - right) {
      next_start = left;
      alpha = next_alpha;
    } else {
      next_end = right;
      beta = next_beta;
    }
    if (next_start == start && next_end == end) continue;
    const double error = torch_error(next_start, next_end);
    if (error > least) break;
    least = error;
    start = next_start;
    end = next_end;
  }
  const float bin_width = (max_ - min_) / static_cast<float>(kBins);
  return {min_ + bin_width * static_cast<float>(start), min_ + bin_width * static_cast<float>(end + 1)};
}

HistogramObserver::Range HistogramObserver::percentile_range() const {
  constexpr double kKeep = 0.9999;
  const double outside = sum_of(histogram_) * (1 - kKeep) / 2;
  size_t first = 0, last = kBins - 1;
  for (double sum = histogram_[0]; sum < outside && first < last; sum += histogram_[first]) ++first;
  for (double sum = histogram_[last]; sum < outside && last > first; sum += histogram_[last]) --last;
  const float width = (max_ - min_) / static_cast<float>(kBins);
  return {min_ + width * static_cast<float>(first),
          first == 0 && last == kBins - 1 ? max_ : min_ + width * static_cast<float>(last + 1)};
}

// What int8 between `low` and `high` makes of the values in the middle of each bin, clipped ones included.
HistogramObserver::Range HistogramObserver::mse_range() const {
  constexpr int kCuts = 100;
  const double width = (static_cast<double>(max_) - static_cast<double>(min_)) / static_cast<double>(kBins);
  const auto error = [this, width](float low, float high) {
    const QParams q = affine_qparams(low, high);
    const double bottom = q.scale * static_cast<double>(-128 - q.zero_point);
    const double top = q.scale * static_cast<double>(127 - q.zero_point);
    double sum = 0;
    for (size_t i = 0; i < kBins; ++i) {
      if (histogram_[i] == 0) continue;
      const double value = static_cast<double>(min_) + width * (static_cast<double>(i) + 0.5);
      const double near = std::clamp(std::nearbyint(value / q.scale) * q.scale, bottom, top);
      // Within the range a level's rounding error is spread evenly; at the border it is the distance.
      const double distance = value < bottom || value > top ? value - near : q.scale / std::sqrt(12.0);
      sum += static_cast<double>(histogram_[i]) * distance * distance;
    }
    return sum;
  };
  Range best{min_, max_};
  double least = error(min_, max_);
  for (int cut = 1; cut < kCuts; ++cut) {
    const float keep = 1.0f - 0.8f * static_cast<float>(cut) / kCuts;
    for (const Range& range : {Range{min_ * keep, max_ * keep}, Range{min_, max_ * keep}, Range{min_ * keep, max_}}) {
      const double now = error(range.min, range.max);
      if (now < least) least = now, best = range;
    }
  }
  return best;
}

// Cuts whose quantized histogram keeps most of the information of the clipped one.
HistogramObserver::Range HistogramObserver::entropy_range() const {
  const float width = (max_ - min_) / static_cast<float>(kBins);
  // The cut keeps `kept` bins about the bin of zero, or from it when all values have one sign.
  const float at = width > 0 ? (0.0f - min_) / width : 0.0f;
  const auto zero = static_cast<int64_t>(std::clamp(at, 0.0f, static_cast<float>(kBins - 1)));
  const auto bins = static_cast<int64_t>(kBins);
  // Zeros, of which ReLUs make very many, are always exact: what they say about widths would drown the rest.
  Histogram without_zeros = histogram_;
  const auto beside = static_cast<size_t>(zero + 1 < bins ? zero + 1 : zero - 1);
  without_zeros[static_cast<size_t>(zero)] = std::min(without_zeros[static_cast<size_t>(zero)], without_zeros[beside]);
  const std::vector<double> density = smoothed(without_zeros);
  double least = std::numeric_limits<double>::infinity();
  Range best{min_, max_};
  for (int64_t percent = 100; percent >= 20; --percent) {
    const int64_t low = zero - zero * percent / 100;
    const int64_t high = zero + (bins - zero) * percent / 100;  // behind the last
    if (high - low < kLevels / 2) break;
    std::vector<double> clipped(density.begin() + low, density.begin() + high);
    const std::vector<double> inside = clipped;
    for (int64_t i = 0; i < low; ++i) clipped.front() += density[static_cast<size_t>(i)];
    for (int64_t i = high; i < bins; ++i) clipped.back() += density[static_cast<size_t>(i)];
    double total = 0, kept = 0, divergence = 0;
    for (const double count : clipped) total += count;
    for (const double count : inside) kept += count;
    const auto size = static_cast<int64_t>(clipped.size());
    for (int64_t level = 0; level < kLevels; ++level) {
      const int64_t from = level * size / kLevels, to = (level + 1) * size / kLevels;
      double sum = 0;
      int64_t used = 0;
      for (int64_t i = from; i < to; ++i) {
        sum += inside[static_cast<size_t>(i)];
        used += clipped[static_cast<size_t>(i)] > 0 ? 1 : 0;
      }
      for (int64_t i = from; i < to; ++i) {
        const double p = clipped[static_cast<size_t>(i)] / total;
        const double q = std::max(sum, 1e-3) / (static_cast<double>(std::max<int64_t>(used, 1)) * std::max(kept, 1.0));
        if (p > 0) divergence += p * std::log(p / q);
      }
    }
    if (divergence < least) {
      least = divergence;
      best = {min_ + width * static_cast<float>(low), percent == 100 ? max_ : min_ + width * static_cast<float>(high)};
    }
  }
  return best;
}

double HistogramObserver::clipped_share(const QParams& q) const {
  const double bottom = q.scale * (static_cast<double>(-128 - q.zero_point) - 0.5);
  const double top = q.scale * (static_cast<double>(127 - q.zero_point) + 0.5);
  const double width = (static_cast<double>(max_) - static_cast<double>(min_)) / static_cast<double>(kBins);
  double outside = 0, all = 0;
  for (size_t i = 0; i < kBins; ++i) {
    const double value = static_cast<double>(min_) + width * (static_cast<double>(i) + 0.5);
    all += static_cast<double>(histogram_[i]);
    if (value < bottom || value > top) outside += static_cast<double>(histogram_[i]);
  }
  return all > 0 ? outside / all : 0;
}

}  // namespace wick::compiler
