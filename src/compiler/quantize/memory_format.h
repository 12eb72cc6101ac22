// In which memory order PyTorch keeps a model's tensors when its 4-D inputs and weights are channels-last. ExecuTorch's
// quantizer looks at that, so whoever wants its decisions has to know it too. Refuses to know where wick puts bytes.
#pragma once

#include <unordered_map>

#include "compiler/graph.h"

namespace wick::compiler {

class MemoryFormats {
 public:
  explicit MemoryFormats(const Graph& graph);
  // ExecuTorch's test: rank 4, and one channel, or one pixel, or channels innermost.
  bool is_channels_last(const Value* value) const;

 private:
  using Order = std::vector<size_t>;  // dimensions, outermost first
  Order order_of(const Value* value) const;
  Order order_behind(const Node& node, const Value* output) const;

  std::unordered_map<const Value*, Order> orders_;  // those that are not contiguous
};

}  // namespace wick::compiler
