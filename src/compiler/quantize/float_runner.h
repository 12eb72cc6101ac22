// Runs a float graph node by node and shows every value as it appears, in PyTorch's dialect as exporters write it.
// Sums of products are ours (float_math.h), everything else is computed by the runtime. Refuses to know why somebody
// looks.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/graph.h"
#include "files/array.h"

namespace wick::compiler {

class FloatRunner {
 public:
  // Holds the graph, which must stay as it is. Throws Failure naming a node that cannot be computed.
  explicit FloatRunner(const Graph& graph);
  ~FloatRunner();
  FloatRunner(FloatRunner&&) noexcept;

  // The value of each of a node's operands is there before it and that of its outputs behind it.
  using Lookup = std::function<const files::Array&(const Value*)>;
  struct Watcher {
    std::function<void(const Node&, const Lookup&)> before, after;  // null: not called
  };
  // `inputs`: an array per graph input, in logical order. Returns the graph's outputs.
  std::vector<files::Array> run(std::span<const files::Array> inputs, const Watcher& watcher = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick::compiler
