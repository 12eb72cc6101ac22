#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <unordered_set>

#include "compiler/copy_graph.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/quantize/analyze.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/equalize.h"
#include "compiler/quantize/executorch_rules.h"
#include "compiler/quantize/insert_qdq.h"
#include "compiler/quantize/raise_dialect.h"
#include "compiler/quantize/wick_rules.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

// Something is done when it makes the error smaller than this share of it: ranges that leave out what is rare, weights
// moved between layers, and what costs a layer two or three times its time.
constexpr double kRanges = 0.95, kWeights = 0.85, kTime = 0.5;

using Samples = std::span<const std::vector<files::Array>>;

bool matches(const char* pattern, const char* text) {
  if (*pattern == '\0') return *text == '\0';
  if (*pattern == '*') return matches(pattern + 1, text) || (*text != '\0' && matches(pattern, text + 1));
  return *text != '\0' && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

// What is tried.
struct Choice {
  std::set<std::string> kept;  // nodes that stay float
  bool equalize = false;
  bool single_rows_by_channel = false;
  RangeRule range = RangeRule::kMinMax;
};

WickRules rules_of(const QuantizeOptions& options, const Choice& choice) {
  WickRules rules;
  rules.per_channel = options.per_channel;
  rules.per_channel_single_rows = choice.single_rows_by_channel;
  rules.keep_float = [&options, &choice](const Node& node) {
    const auto fits = [&node](const std::string& pattern) { return matches(pattern.c_str(), node.name.c_str()); };
    return choice.kept.contains(node.name) || std::any_of(options.keep_float.begin(), options.keep_float.end(), fits);
  };
  return rules;
}

QuantizePlan plan_of(const Graph& graph, const QuantizeOptions& options, const Choice& choice) {
  return options.quantizer == Quantizer::kWick ? plan_for_wick(graph, rules_of(options, choice))
                                               : plan_like_executorch(graph);
}

// The float graph ready for quantization, and what its tensors hold.
struct Prepared {
  Graph real;
  size_t equalized = 0;  // pairs of layers
  Calibration calibration;

  Prepared(const Graph& source, Samples samples, const QuantizeOptions& options, const Choice& choice)
      : real(copy_graph(source).graph) {
    const bool wick = options.quantizer == Quantizer::kWick;
    if (wick) {
      // Recurrent networks and attention in parts that integers can compute.
      decompose(real);
      fold_constants(real);
    }
    raise_dialect(real);
    if (wick) {
      prepare_for_wick(real, rules_of(options, choice));
      if (choice.equalize) equalized = equalize_layers(real);
    } else {
      prepare_for_executorch(real);
    }
    calibration = calibrate(real, plan_of(real, options, choice), samples,
                            {options.threads, wick && options.bias_correction, options.progress});
  }
};

// One attempt: a copy of the prepared graph with int8 put in.
struct Attempt {
  std::shared_ptr<const Prepared> prepared;
  GraphCopy copy;
  QuantizePlan plan;  // the same groups as when calibrating: it depends on the graph alone
  std::vector<QParams> qparams;

  Attempt(std::shared_ptr<const Prepared> from, const QuantizeOptions& options, const Choice& choice)
      : prepared(std::move(from)), copy(copy_graph(prepared->real)), plan(plan_of(copy.graph, options, choice)) {
    const auto& observers = prepared->calibration.observers;
    for (size_t group = 0; group < observers.size(); ++group) {
      qparams.push_back(plan.fixed(group) ? *plan.fixed(group) : observers[group].qparams(choice.range));
    }
    InputMeans means;
    for (const auto& [node, values] : prepared->calibration.input_means) means[copy.nodes.at(node)] = values;
    insert_qdq(copy.graph, plan, qparams, means);
  }

  const Graph& real() const { return prepared->real; }
  // The group that a tensor of `real` has as int8.
  std::optional<QuantizePlan::Group> group_of(const Value* value) const {
    const Value* to = copy.values.at(value);
    const auto *made = plan.made(to), *read = plan.read(to);
    if (made == nullptr && read == nullptr) return std::nullopt;
    return plan.find(made != nullptr ? *made : *read);
  }
};

ErrorAnalysis analyze(const Attempt& attempt, Samples samples, unsigned threads) {
  const size_t count = std::min(samples.size(), QuantizeReport::kComparedSamples);
  return analyze_errors(attempt.real(), attempt.copy.graph, attempt.copy.values, samples.first(count), threads);
}

// How much the relative error of a node's output grows over that of the worst of its inputs.
double added_error(const ErrorAnalysis& analysis, const Node* node, const Value* output) {
  double before = 0;
  if (node != nullptr) {
    for (Argument argument : node->args()) {
      argument.each_tensor([&](Value*& value) {
        const auto input = analysis.tensors.find(value);
        if (input != analysis.tensors.end()) before = std::max(before, input->second.relative_error());
      });
    }
  }
  return std::max(0.0, analysis.tensors.at(output).relative_error() - before);
}

using Names = std::set<std::string>;

// What might stay float: the nodes that add most error, alone and with those that feed them (what a node loses may be
// its input's rounding made large).
std::vector<Names> candidates(const Attempt& attempt, const ErrorAnalysis& analysis, const Names& kept) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<double, const Node*>> adding;
  for (const auto& node : attempt.real().nodes()) {
    for (const Value* output : node->outputs()) {
      if (!analysis.tensors.contains(output)) continue;
      adding.emplace_back(-added_error(analysis, node.get(), output), node.get());
    }
  }
  std::stable_sort(adding.begin(), adding.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Names> sets;
  for (size_t i = 0; i < std::min(adding.size(), kMost); ++i) {
    const Node* node = adding[i].second;
    Names alone = kept, with_inputs;
    alone.insert(node->name);
    with_inputs = alone;
    for (Argument argument : node->args()) {
      argument.each_tensor([&with_inputs](Value*& value) {
        if (value->producer() != nullptr) with_inputs.insert(value->producer()->name);
      });
    }
    for (const Names& set : {alone, with_inputs}) {
      if (set != kept && std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
    }
  }
  return sets;
}

void fill(QuantizeReport& report, const Attempt& attempt, const ErrorAnalysis& analysis) {
  const auto add = [&](const Value* value, const Node* node) {
    const auto group = attempt.group_of(value);
    if (!group || value->type.dtype != DType::kFloat32) return;
    const auto found = analysis.tensors.find(value);
    if (found == analysis.tensors.end()) return;
    QuantizedTensor tensor;
    tensor.name = value->name;
    tensor.op = node == nullptr ? "input" : node->op;
    tensor.qparams = attempt.qparams[*group];
    tensor.sqnr_db = found->second.db();
    tensor.added_error = added_error(analysis, node, value);
    const HistogramObserver& observer = attempt.prepared->calibration.observers[*group];
    if (observer.seen_anything()) {
      tensor.min = observer.min(), tensor.max = observer.max();
      tensor.clipped_share = observer.clipped_share(tensor.qparams);
    }
    report.tensors.push_back(tensor);
  };
  report = {};
  report.equalized_pairs = attempt.prepared->equalized;
  for (const Value* input : attempt.real().inputs()) add(input, nullptr);
  std::unordered_set<const Value*> inside;  // between the two operators of a fused pair
  for (const auto& node : attempt.real().nodes()) {
    const Node* to = attempt.copy.nodes.at(node.get());
    bool int8 = false;
    for (Argument argument : node->args()) {
      argument.each_tensor([&](Value*& value) {
        int8 = int8 || inside.contains(value) || attempt.plan.reads(to, attempt.copy.values.at(value));
      });
    }
    for (const Value* output : node->outputs()) {
      add(output, node.get());
      if (int8 && !attempt.group_of(output)) inside.insert(output);
    }
    if (!int8) report.kept_float.push_back(node->name + " (" + node->op + ")");
  }
  report.output_error = analysis.outputs.relative_error();
}

// An attempt and what came of it.
struct Trial {
  std::unique_ptr<Attempt> attempt;
  ErrorAnalysis analysis;
  double error() const { return analysis.outputs.relative_error(); }
};

bool can_be_equalized(const Attempt& attempt) {
  GraphCopy copy = copy_graph(attempt.real());
  return equalize_layers(copy.graph) > 0;
}

class Search {
 public:
  Search(const Graph& graph, Samples samples, const QuantizeOptions& options)
      : graph_(graph), samples_(samples), options_(options) {}

  std::shared_ptr<const Prepared> prepare(const Choice& choice) const {
    return std::make_shared<const Prepared>(graph_, samples_, options_, choice);
  }
  Trial attempt(std::shared_ptr<const Prepared> prepared, const Choice& choice, bool judge) const {
    Trial trial{std::make_unique<Attempt>(std::move(prepared), options_, choice), {}};
    if (judge) trial.analysis = analyze(*trial.attempt, samples_, options_.threads);
    return trial;
  }

  // wick's choice: each thing that may help is done where the outputs' error says so.
  Trial best() const {
    Choice choice;
    choice.equalize = options_.equalize.value_or(false);
    choice.range = options_.range.value_or(RangeRule::kMinMax);
    Trial best = attempt(prepare(choice), choice, true);
    const auto take_if_better = [&](const Choice& other, const std::shared_ptr<const Prepared>& from, double share) {
      Trial trial = attempt(from, other, true);
      if (trial.error() >= share * best.error()) return;
      best = std::move(trial);
      choice = other;
    };
    if (!options_.range) {
      Choice other = choice;
      other.range = RangeRule::kMse;
      take_if_better(other, best.attempt->prepared, kRanges);
    }
    if (!options_.equalize && can_be_equalized(*best.attempt)) {
      Choice other = choice;
      other.equalize = true;
      take_if_better(other, prepare(other), kWeights);
    }
    const auto& nodes = best.attempt->real().nodes();
    const auto gains = [](const auto& node) { return is_single_row_that_gains(*node); };
    if (options_.per_channel && std::any_of(nodes.begin(), nodes.end(), gains)) {
      Choice other = choice;
      other.single_rows_by_channel = true;
      take_if_better(other, best.attempt->prepared, kTime);
    }
    while (options_.max_error && best.error() > *options_.max_error) {
      std::optional<Trial> better;
      Choice found = choice;
      for (const Names& set : candidates(*best.attempt, best.analysis, choice.kept)) {
        Choice other = choice;
        other.kept = set;
        Trial trial = attempt(prepare(other), other, true);
        if (trial.error() < (better ? better->error() : best.error())) better = std::move(trial), found = other;
      }
      if (!better) break;
      best = std::move(*better);
      choice = found;
    }
    return best;
  }

 private:
  const Graph& graph_;
  Samples samples_;
  const QuantizeOptions& options_;
};

// Numbers that no range can hold are mistakes in how samples were prepared.
void judge_samples(const Graph& graph, Samples samples) {
  for (size_t sample = 0; sample < samples.size(); ++sample) {
    for (size_t i = 0; i < std::min(samples[sample].size(), graph.inputs().size()); ++i) {
      const files::Array& array = samples[sample][i];
      if (array.dtype != DType::kFloat32) continue;
      const auto* values = reinterpret_cast<const float*>(array.bytes.data());
      const size_t count = array.bytes.size() / sizeof(float);
      const auto* wrong = std::find_if(values, values + count, [](float x) { return !std::isfinite(x); });
      if (wrong == values + count) continue;
      files::fail("calibration sample ", sample, ", input ", graph.inputs()[i]->name, ", element ", wrong - values,
                  " is ", std::isnan(*wrong) ? "not a number" : "infinite",
                  "; give samples as the model takes them in use");
    }
  }
}

}  // namespace

void quantize(Graph& graph, Samples samples, const QuantizeOptions& options, QuantizeReport* report) {
  judge_samples(graph, samples);
  const Search search(graph, samples, options);
  const bool wick = options.quantizer == Quantizer::kWick;
  Choice plain;
  plain.range = options.range.value_or(RangeRule::kTorch);
  Trial trial = wick ? search.best() : search.attempt(search.prepare(plain), plain, report != nullptr);
  if (report != nullptr) fill(*report, *trial.attempt, trial.analysis);
  graph = std::move(trial.attempt->copy.graph);
}

}  // namespace wick::compiler
