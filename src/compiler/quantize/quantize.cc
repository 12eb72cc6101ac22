#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_set>

#include "compiler/copy_graph.h"
#include "compiler/quantize/analyze.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/equalize.h"
#include "compiler/quantize/executorch_rules.h"
#include "compiler/quantize/insert_qdq.h"
#include "compiler/quantize/raise_dialect.h"
#include "compiler/quantize/wick_rules.h"

namespace wick::compiler {

namespace {

// An option is taken when it makes the error smaller than this share of it.
constexpr double kClearly = 0.95;

using Samples = std::span<const std::vector<files::Array>>;

bool matches(const char* pattern, const char* text) {
  if (*pattern == '\0') return *text == '\0';
  if (*pattern == '*') return matches(pattern + 1, text) || (*text != '\0' && matches(pattern, text + 1));
  return *text != '\0' && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

// One attempt: the graph ready for quantization, in float and with int8 put in.
struct Attempt {
  Graph real;
  GraphCopy copy;
  QuantizePlan plan;
  std::vector<HistogramObserver> observers;
  std::vector<QParams> qparams;

  size_t equalized = 0;  // pairs of layers

  Attempt(const Graph& source, Samples samples, const QuantizeOptions& options, const std::set<std::string>& kept,
          bool equalize)
      : real(copy_graph(source).graph) {
    const bool wick = options.quantizer == Quantizer::kWick;
    raise_dialect(real);
    WickRules rules;
    rules.per_channel_linear = options.per_channel;
    rules.keep_float = [&options, &kept](const Node& node) {
      const auto fits = [&node](const std::string& pattern) { return matches(pattern.c_str(), node.name.c_str()); };
      return kept.contains(node.name) || std::any_of(options.keep_float.begin(), options.keep_float.end(), fits);
    };
    if (wick) {
      prepare_for_wick(real, rules);
      if (equalize) equalized = equalize_layers(real);
    } else {
      prepare_for_executorch(real);
    }
    copy = copy_graph(real);
    plan = wick ? plan_for_wick(copy.graph, rules) : plan_like_executorch(copy.graph);
    const Calibration calibration =
        calibrate(copy.graph, plan, samples, {options.threads, wick && options.bias_correction, options.progress});
    observers = calibration.observers;
    const RangeRule range = options.range.value_or(wick ? RangeRule::kMse : RangeRule::kTorch);
    for (size_t group = 0; group < observers.size(); ++group) {
      qparams.push_back(plan.fixed(group) ? *plan.fixed(group) : observers[group].qparams(range));
    }
    insert_qdq(copy.graph, plan, qparams, calibration.input_means);
  }

  // The group that a tensor of `real` has as int8.
  std::optional<QuantizePlan::Group> group_of(const Value* value) const {
    const Value* to = copy.values.at(value);
    const auto *made = plan.made(to), *read = plan.read(to);
    if (made == nullptr && read == nullptr) return std::nullopt;
    return plan.find(made != nullptr ? *made : *read);
  }
};

ErrorAnalysis analyze(const Attempt& attempt, Samples samples) {
  const size_t count = std::min(samples.size(), QuantizeReport::kComparedSamples);
  return analyze_errors(attempt.real, attempt.copy.graph, attempt.copy.values, samples.first(count));
}

// The node whose output loses most against the worst of its inputs, or empty.
std::string worst_node(const Attempt& attempt, const ErrorAnalysis& analysis) {
  std::string worst;
  double largest = 0;
  for (const auto& node : attempt.real.nodes()) {
    for (const Value* output : node->outputs()) {
      const auto found = analysis.tensors.find(output);
      if (found == analysis.tensors.end()) continue;
      double before = 0;
      for (Argument argument : node->args()) {
        argument.each_tensor([&](Value*& value) {
          const auto input = analysis.tensors.find(value);
          if (input != analysis.tensors.end()) before = std::max(before, input->second.relative_error());
        });
      }
      const double loss = found->second.relative_error() - before;
      if (loss > largest) largest = loss, worst = node->name;
    }
  }
  return worst;
}

void fill(QuantizeReport& report, const Attempt& attempt, const ErrorAnalysis& analysis) {
  const auto add = [&](const Value* value, const std::string& op) {
    const auto group = attempt.group_of(value);
    if (!group || value->type.dtype != DType::kFloat32) return;
    const auto found = analysis.tensors.find(value);
    if (found == analysis.tensors.end()) return;
    QuantizedTensor tensor{value->name, op, 0, 0, attempt.qparams[*group], 0, found->second.db()};
    const HistogramObserver& observer = attempt.observers[*group];
    if (observer.seen_anything()) {
      tensor.min = observer.min(), tensor.max = observer.max();
      tensor.clipped_share = observer.clipped_share(tensor.qparams);
    }
    report.tensors.push_back(tensor);
  };
  report = {};
  for (const Value* input : attempt.real.inputs()) add(input, "input");
  std::unordered_set<const Value*> inside;  // between the two operators of a fused pair
  for (const auto& node : attempt.real.nodes()) {
    const Node* to = attempt.copy.nodes.at(node.get());
    bool int8 = false;
    for (Argument argument : node->args()) {
      argument.each_tensor([&](Value*& value) {
        int8 = int8 || inside.contains(value) || attempt.plan.reads(to, attempt.copy.values.at(value));
      });
    }
    for (const Value* output : node->outputs()) {
      add(output, node->op);
      if (int8 && !attempt.group_of(output)) inside.insert(output);
    }
    if (!int8) report.kept_float.push_back(node->name + " (" + node->op + ")");
  }
  report.output_error = analysis.outputs.relative_error();
}

}  // namespace

void quantize(Graph& graph, Samples samples, const QuantizeOptions& options, QuantizeReport* report) {
  const bool wick = options.quantizer == Quantizer::kWick;
  bool equalize = wick && options.equalize.value_or(false);
  bool settled = !wick || options.equalize.has_value();
  std::set<std::string> kept;
  for (;;) {
    auto attempt = std::make_unique<Attempt>(graph, samples, options, kept, equalize);
    const bool judge = report != nullptr || options.max_error || !settled;
    ErrorAnalysis analysis = judge ? analyze(*attempt, samples) : ErrorAnalysis{};
    if (!settled) {
      settled = true;
      auto other = std::make_unique<Attempt>(graph, samples, options, kept, true);
      if (other->equalized > 0) {
        ErrorAnalysis second = analyze(*other, samples);
        equalize = second.outputs.relative_error() < kClearly * analysis.outputs.relative_error();
        if (equalize) attempt = std::move(other), analysis = std::move(second);
      }
    }
    if (wick && options.max_error && analysis.outputs.relative_error() > *options.max_error) {
      const std::string worst = worst_node(*attempt, analysis);
      if (!worst.empty() && kept.insert(worst).second) continue;
    }
    if (report != nullptr) fill(*report, *attempt, analysis);
    graph = std::move(attempt->copy.graph);
    return;
  }
}

}  // namespace wick::compiler
