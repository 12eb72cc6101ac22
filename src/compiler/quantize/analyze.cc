#include "compiler/quantize/analyze.h"

#include <cmath>

#include "compiler/quantize/float_runner.h"
#include "compiler/quantize/parallel.h"

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
                             std::span<const std::vector<Array>> samples, unsigned threads) {
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
  const auto compare = [&](FloatRunner& float_run, FloatRunner& int8_run, std::span<const Array> sample) {
    ErrorAnalysis one;
    std::unordered_map<const Value*, Array> expected;
    FloatRunner::Watcher keep, look;
    for (size_t i = 0; i < sample.size(); ++i) expected[real.inputs()[i]] = sample[i];
    keep.after = [&expected](const Node& node, const FloatRunner::Lookup& at) {
      for (const Value* value : node.outputs()) expected[value] = at(value);
    };
    look.after = [&](const Node& node, const FloatRunner::Lookup& at) {
      for (const Value* value : node.outputs()) {
        const auto found = real_of_view.find(value);
        if (found != real_of_view.end()) add(one.tensors[found->second], expected.at(found->second), at(value));
      }
    };
    const auto outputs = float_run.run(sample, keep);
    const auto found = int8_run.run(sample, look);
    for (size_t i = 0; i < outputs.size(); ++i) add(one.outputs, outputs[i], found[i]);
    return one;
  };
  threads = thread_count(threads, samples.size());
  std::vector<ErrorAnalysis> each(samples.size());
  in_parallel(threads, threads, [&](size_t t, unsigned) {
    FloatRunner float_run(real), int8_run(quantized);
    for (size_t i = t; i < samples.size(); i += threads) each[i] = compare(float_run, int8_run, samples[i]);
  });
  ErrorAnalysis all;
  const auto sum = [](SignalToNoise& to, const SignalToNoise& more) {
    to.signal += more.signal;
    to.noise += more.noise;
  };
  for (const ErrorAnalysis& one : each) {
    for (const auto& [value, found] : one.tensors) sum(all.tensors[value], found);
    sum(all.outputs, one.outputs);
  }
  return all;
}

}  // namespace wick::compiler
