#include "host/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "files/failure.h"

namespace wick::host {

namespace {

constexpr double kMostAccuracyLost = 0.01;
constexpr double kLeastSameClass = 0.99;
constexpr double kLeastSqnrDb = 20;
// Slower than this is too slow whatever it saves; smaller than this share of the memory is worth as much time.
constexpr double kMostSlower = 1.10;
constexpr double kClearlySmaller = 0.75;

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  return buffer;
}

double share(size_t part, size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// "71 % less flash", "12 % more flash", "the same flash".
std::string change(uint64_t from, uint64_t to, const std::string& what) {
  const double ratio = from == 0 ? 1 : static_cast<double>(to) / static_cast<double>(from);
  const double percent = 100 * std::abs(1 - ratio);
  if (percent < 0.5) return "the same " + what;
  return fixed(percent, 0) + " % " + (ratio < 1 ? "less " : "more ") + what;
}

std::string speed(const SideBySide& f) {
  const double ratio = f.int8.latency() > 0 ? f.fp32.latency() / f.int8.latency() : 1;
  return ratio >= 1 ? fixed(ratio, 2) + " times as fast" : fixed(1 / ratio, 2) + " times as slow";
}

struct Rightness {
  bool enough = false;
  std::string words;
};

Rightness rightness(const SideBySide& f) {
  if (f.classes && f.classes->fp32_right && f.classes->int8_right) {
    const double fp32 = share(*f.classes->fp32_right, f.samples), int8 = share(*f.classes->int8_right, f.samples);
    return {fp32 - int8 <= kMostAccuracyLost,
            text("accuracy ", fixed(100 * int8, 2), " % against ", fixed(100 * fp32, 2), " %")};
  }
  if (f.classes) {
    const double same = share(f.classes->same, f.samples);
    return {same >= kLeastSameClass, text("the same class for ", fixed(100 * same, 2), " % of the samples")};
  }
  double worst = HUGE_VAL;
  for (const OutputError& error : f.errors) worst = std::min(worst, error.sqnr_db.value_or(HUGE_VAL));
  if (std::isinf(worst)) return {true, "equal outputs"};
  return {worst >= kLeastSqnrDb, text("outputs at ", fixed(worst, 1), " dB of signal to quantization noise")};
}

}  // namespace

std::vector<OutputError> output_errors(const std::vector<std::vector<Array>>& fp32,
                                       const std::vector<std::vector<Array>>& int8) {
  std::vector<OutputError> errors(fp32.empty() ? 0 : fp32[0].size());
  std::vector<double> signal(errors.size()), noise(errors.size());
  std::vector<uint64_t> count(errors.size());
  for (size_t s = 0; s < fp32.size(); ++s) {
    if (int8[s].size() != fp32[s].size()) {
      fail("the programs have ", fp32[s].size(), " and ", int8[s].size(), " outputs: not the same model");
    }
    for (size_t o = 0; o < fp32[s].size(); ++o) {
      const Array &a = fp32[s][o], &b = int8[s][o];
      if (a.sizes != b.sizes) {
        fail("output ", o, " is ", describe(a), " in the first program and ", describe(b),
             " in the second: not the same model");
      }
      for (uint64_t i = 0; i < element_count(a); ++i) {
        const double value = element(a, i), error = std::abs(value - element(b, i));
        errors[o].largest = std::max(errors[o].largest, error);
        errors[o].mean += error;
        errors[o].scale = std::max(errors[o].scale, std::abs(value));
        signal[o] += value * value;
        noise[o] += error * error;
        ++count[o];
      }
    }
  }
  for (size_t o = 0; o < errors.size(); ++o) {
    if (count[o] > 0) errors[o].mean /= static_cast<double>(count[o]);
    if (noise[o] > 0) errors[o].sqnr_db = 10 * std::log10(signal[o] / noise[o]);
  }
  return errors;
}

std::optional<Classes> classes(const std::vector<std::vector<Array>>& fp32, const std::vector<std::vector<Array>>& int8,
                               std::span<const int64_t> labels) {
  const auto scores = [](const Array& array) {
    const bool one_row = element_count(array) >= 2 && !array.sizes.empty() &&
                         element_count(array) == static_cast<uint64_t>(array.sizes.back());
    return one_row && array.dtype == DType::kFloat32;
  };
  if (fp32.empty() || fp32[0].empty() || int8[0].empty() || !scores(fp32[0][0]) || !scores(int8[0][0])) {
    return std::nullopt;
  }
  Classes out;
  if (!labels.empty()) out.fp32_right = out.int8_right = 0;
  for (size_t s = 0; s < fp32.size(); ++s) {
    const int64_t a = static_cast<int64_t>(argmax(fp32[s][0])), b = static_cast<int64_t>(argmax(int8[s][0]));
    out.same += a == b ? 1 : 0;
    if (labels.empty()) continue;
    *out.fp32_right += a == labels[s] ? 1 : 0;
    *out.int8_right += b == labels[s] ? 1 : 0;
  }
  return out;
}

double Side::latency() const {
  if (cost.latency_ticks.empty()) return 0;
  const double sum = std::accumulate(cost.latency_ticks.begin(), cost.latency_ticks.end(), 0.0);
  return sum / static_cast<double>(cost.latency_ticks.size());
}

Verdict verdict(const SideBySide& f) {
  const Rightness right = rightness(f);
  const uint64_t fp32_bytes = f.fp32.cost.program_bytes + f.fp32.ram_bytes();
  const uint64_t int8_bytes = f.int8.cost.program_bytes + f.int8.ram_bytes();
  const double slower = f.fp32.latency() > 0 ? f.int8.latency() / f.fp32.latency() : 1;
  const bool smaller = static_cast<double>(int8_bytes) <= kClearlySmaller * static_cast<double>(fp32_bytes);
  const bool worth = slower < 1 || (slower <= kMostSlower && smaller);
  const std::string costs =
      text(speed(f), ", ", change(f.fp32.cost.program_bytes, f.int8.cost.program_bytes, "program"), ", ",
           change(f.fp32.ram_bytes(), f.int8.ram_bytes(), "RAM"));
  if (right.enough && worth) return {true, text("Ship INT8: ", costs, ", ", right.words, ".")};
  if (!right.enough) {
    return {false, text("Ship FP32: INT8 is not right enough (", right.words, "), though ", costs,
                        ". More calibration samples, another --calibrator or --keep-float may mend it.")};
  }
  return {false, text("Ship FP32: INT8 is right enough (", right.words, ") but not worth it: ", costs, ".")};
}

}  // namespace wick::host
