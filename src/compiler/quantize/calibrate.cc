#include "compiler/quantize/calibrate.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/quantize/float_runner.h"
#include "compiler/quantize/parallel.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

using files::Array;
using Seen = std::vector<std::pair<QuantizePlan::Group, Array>>;

Array clamped(Array array, const QuantizePlan::Limits& limits) {
  auto* values = reinterpret_cast<float*>(array.bytes.data());
  for (size_t i = 0; i < array.bytes.size() / sizeof(float); ++i) {
    values[i] = std::min(std::max(values[i], limits.min), limits.max);
  }
  return array;
}

// Everything that observers look at in one sample, in the order in which it appears.
class Watch {
 public:
  Watch(const Graph& graph, const QuantizePlan& plan, bool means)
      : graph_(graph), plan_(plan), means_wanted_(means), runner_(graph) {}

  using Means = std::unordered_map<const Node*, std::vector<double>>;
  // Summed over the samples that ran here.
  const Means& means() const { return means_; }

  Seen run(std::span<const Array> sample) {
    seen_.clear();
    read_.clear();
    for (size_t i = 0; i < graph_.inputs().size(); ++i) see_made(graph_.inputs()[i], sample[i]);
    FloatRunner::Watcher watcher;
    watcher.before = [this](const Node& node, const FloatRunner::Lookup& at) {
      for (Argument argument : node.args()) {
        argument.each_tensor([&](Value*& value) {
          if (plan_.reads(&node, value)) see_read(value, at(value));
        });
      }
      if (means_wanted_ && plan_.weights.contains(&node)) add_means(node, at(node.arg(0).tensor()));
    };
    watcher.after = [this](const Node& node, const FloatRunner::Lookup& at) {
      for (const Value* value : node.outputs()) see_made(value, at(value));
    };
    const auto outputs = runner_.run(sample, watcher);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (plan_.reads(nullptr, graph_.outputs()[i])) see_read(graph_.outputs()[i], outputs[i]);
    }
    return std::move(seen_);
  }

 private:
  void add_means(const Node& node, const Array& input) {
    const bool linear = node.op == "aten::linear";
    const auto channels = static_cast<size_t>(linear ? input.sizes.back() : input.sizes[1]);
    size_t inner = 1;
    for (size_t i = 2; !linear && i < input.sizes.size(); ++i) inner *= static_cast<size_t>(input.sizes[i]);
    const auto* x = reinterpret_cast<const float*>(input.bytes.data());
    const size_t count = input.bytes.size() / sizeof(float);
    std::vector<double> sums(channels);
    for (size_t i = 0; i < count; ++i) sums[i / inner % channels] += static_cast<double>(x[i]);
    auto& means = means_[&node];
    means.resize(channels);
    for (size_t c = 0; c < channels; ++c) {
      means[c] += sums[c] * static_cast<double>(channels) / static_cast<double>(std::max<size_t>(count, 1));
    }
  }
  void see_made(const Value* value, const Array& array) {
    const auto* group = plan_.made(value);
    if (group == nullptr) return;
    const auto limits = plan_.limits.find(value);
    see(*group, limits == plan_.limits.end() ? array : clamped(array, limits->second));
  }
  void see_read(const Value* value, const Array& array) {
    const auto *read = plan_.read(value), *made = plan_.made(value);
    if (made != nullptr && plan_.find(*made) == plan_.find(*read)) return;
    if (read_.insert(value).second) see(*read, array);
  }
  void see(QuantizePlan::Group group, const Array& array) {
    if (!plan_.fixed(group)) seen_.emplace_back(plan_.find(group), array);
  }

  const Graph& graph_;
  const QuantizePlan& plan_;
  const bool means_wanted_;
  FloatRunner runner_;
  Seen seen_;
  Means means_;
  std::unordered_set<const Value*> read_;
};

}  // namespace

Calibration calibrate(const Graph& graph, const QuantizePlan& plan, std::span<const std::vector<Array>> samples,
                      const CalibrateOptions& options) {
  if (samples.empty()) files::fail("calibration needs at least one sample");
  const unsigned threads = thread_count(options.threads, samples.size());
  std::vector<std::unique_ptr<Watch>> watches;
  for (unsigned t = 0; t < threads; ++t) watches.push_back(std::make_unique<Watch>(graph, plan, options.input_means));
  Calibration calibration;
  calibration.observers.resize(plan.groups());
  auto& observers = calibration.observers;
  for (size_t first = 0; first < samples.size(); first += threads) {
    const size_t count = std::min<size_t>(threads, samples.size() - first);
    std::vector<Seen> seen(count);
    in_parallel(threads, count, [&](size_t i, unsigned t) { seen[i] = watches[t]->run(samples[first + i]); });
    // Each observer belongs to one thread and sees the samples in order.
    in_parallel(threads, threads, [&](size_t part, unsigned) {
      for (const Seen& sample : seen) {
        for (const auto& [group, array] : sample) {
          if (group % threads != part) continue;
          observers[group].observe(
              {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)});
        }
      }
    });
    if (options.progress) options.progress(first + count, samples.size());
  }
  if (options.input_means) {
    for (const auto& watch : watches) {
      for (const auto& [node, means] : watch->means()) {
        auto& sum = calibration.input_means[node];
        sum.resize(means.size());
        for (size_t c = 0; c < means.size(); ++c) sum[c] += means[c] / static_cast<double>(samples.size());
      }
    }
  }
  return calibration;
}

}  // namespace wick::compiler
