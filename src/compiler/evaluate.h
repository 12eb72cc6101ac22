// What a graph computes, found by running it through the runtime on this machine: constant folding, calibration and
// tests see what a device computes. Throws Failure when the runtime refuses the graph.
#pragma once

#include <span>
#include <vector>

#include "compiler/graph.h"
#include "files/array.h"

namespace wick::compiler {

// A graph made ready once, for many samples. Copies are independent of each other: one for each thread.
class Evaluator {
 public:
  // `wanted`: values of the graph, constants and inputs too. The graph must stay as it is.
  Evaluator(const Graph& graph, std::span<Value* const> wanted);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;

  // An array per input, in logical order; an array per wanted value, in logical order. States keep their values from
  // call to call.
  std::vector<files::Array> operator()(std::span<const files::Array> inputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Once.
std::vector<files::Array> evaluate(const Graph& graph, std::span<const files::Array> inputs,
                                   std::span<Value* const> wanted);
// The graph's outputs.
std::vector<files::Array> evaluate(const Graph& graph, std::span<const files::Array> inputs);

}  // namespace wick::compiler
