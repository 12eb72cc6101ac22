#include "compiler/passes/rewrite.h"

#include <unordered_map>

#include "files/failure.h"

namespace wick::compiler {

void replace_node(Graph& graph, Node* node, const Replacement& to) {
  const std::vector<Value*> outputs = node->outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value* value = i < to.size() ? to[i] : nullptr;
    if (value == nullptr) {
      if (graph.use_count(outputs[i]) == 0) continue;
      files::fail(describe(*node), ": output ", i, " is used, but not supported");
    }
    if (value->type.dtype != outputs[i]->type.dtype || value->type.sizes != outputs[i]->type.sizes) {
      files::fail(describe(*node), ": a pass would replace ", describe(outputs[i]->type), " by ",
                  describe(value->type));
    }
    graph.replace_uses(outputs[i], value);
  }
  graph.erase(node);
}

size_t rewrite(Graph& graph, std::span<const RewriteRule> rules) {
  std::unordered_map<std::string, const RewriteRule*> rule_of;
  for (const RewriteRule& rule : rules) rule_of.emplace(rule.op, &rule);
  size_t applied = 0;
  for (Node* node = graph.nodes().empty() ? nullptr : graph.nodes().front().get(); node != nullptr;) {
    const auto found = rule_of.find(node->op);
    if (found == rule_of.end()) {
      node = graph.next(node);
      continue;
    }
    Node* before = graph.previous(node);
    Builder builder(graph, node);
    const Replacement to = found->second->rewrite(builder, *node);
    if (to.empty()) {
      node = graph.next(node);
      continue;
    }
    replace_node(graph, node, to);
    ++applied;
    // What the rule made is looked at, too.
    node = before == nullptr ? (graph.nodes().empty() ? nullptr : graph.nodes().front().get()) : graph.next(before);
  }
  return applied;
}

}  // namespace wick::compiler
