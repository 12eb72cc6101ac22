#include "compiler/quantize/analyze.h"

#include <cmath>

#include "compiler/quantize/float_runner.h"

namespace wick::compiler {

namespace {

using files::Array;

std::span<const float> floats(const Array& array) {
  return {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)};
}

void add(SignalToNoise& sum, const Array& real, const Array& found) {
  if (real.dtype != DType::kFloat32 || found.dtype != DType::kFloat32) return;
  const auto a = floats(real), b = floats(found);
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), error = static_cast<double>(b[i]) - x;
    sum.signal += x * x;
    sum.noise += error * error;
  }
}

}  // namespace

double SignalToNoise::db() const {
  constexpr double kMost = 200;  // a tensor without error
  if (noise <= 0) return kMost;
  return signal <= 0 ? 0 : std::min(kMost, 10 * std::log10(signal / noise));
}

double SignalToNoise::relative_error() const {
  if (noise <= 0) return 0;
  return signal <= 0 ? INFINITY : std::sqrt(noise / signal);
}

ErrorAnalysis analyze_errors(const Graph& real, const Graph& quantized,
                             const std::unordered_map<const Value*, Value*>& copy,
                             std::span<const std::vector<Array>> samples) {
  // A tensor's int8 view: what comes back from the first quantize node that reads it.
  std::unordered_map<const Value*, const Value*> real_of_view;
  for (const auto& [from, to] : copy) {
    if (from->type.dtype != DType::kFloat32 || from->is_constant()) continue;
    for (const Node* user : to->users()) {
      if (user->op != "quantized_decomposed::quantize_per_tensor" || user->output()->users().empty()) continue;
      real_of_view[user->output()->users()[0]->output()] = from;
      break;
    }
  }
  ErrorAnalysis analysis;
  FloatRunner float_run(real), int8_run(quantized);
  for (const auto& sample : samples) {
    std::unordered_map<const Value*, Array> expected;
    FloatRunner::Watcher keep, compare;
    for (size_t i = 0; i < sample.size(); ++i) expected[real.inputs()[i]] = sample[i];
    keep.after = [&expected](const Node& node, const FloatRunner::Lookup& at) {
      for (const Value* value : node.outputs()) expected[value] = at(value);
    };
    compare.after = [&](const Node& node, const FloatRunner::Lookup& at) {
      for (const Value* value : node.outputs()) {
        const auto found = real_of_view.find(value);
        if (found != real_of_view.end()) add(analysis.tensors[found->second], expected.at(found->second), at(value));
      }
    };
    const auto outputs = float_run.run(sample, keep);
    const auto found = int8_run.run(sample, compare);
    for (size_t i = 0; i < outputs.size(); ++i) add(analysis.outputs, outputs[i], found[i]);
  }
  return analysis;
}

}  // namespace wick::compiler
