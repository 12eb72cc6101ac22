#include "compiler/passes/decompose.h"

#include <vector>

namespace wick::compiler {

size_t decompose(Graph& graph) {
  std::vector<RewriteRule> all;
  for (const auto rules : {view_rules(), layer_rules(), recurrent_rules(), arithmetic_rules()}) {
    all.insert(all.end(), rules.begin(), rules.end());
  }
  const size_t count = rewrite(graph, all);
  graph.erase_dead();
  return count;
}

size_t decompose_functions(Graph& graph) {
  const size_t count = rewrite(graph, function_rules());
  graph.erase_dead();
  return count;
}

}  // namespace wick::compiler
