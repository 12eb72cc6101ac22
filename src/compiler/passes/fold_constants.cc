#include "compiler/passes/fold_constants.h"

#include <unordered_map>
#include <unordered_set>

#include "compiler/evaluate.h"
#include "compiler/plan_memory.h"
#include "compiler/schema.h"

namespace wick::compiler {

namespace {

// A constant that is much larger than what it is made of stays a node: flash is dearer than a copy.
constexpr int64_t kAlwaysFoldBytes = 4096;

bool may_fold(const Node& node) {
  if (node.op == kAllocOp || node.op.starts_with("quantized_decomposed::") || node.op.starts_with("aten::rand")) {
    return false;
  }
  const Schema* schema = find_schema(node.op);
  return schema != nullptr && !schema->out_op.empty() && !node.outputs().empty();
}

int64_t bytes_of(const std::vector<Value*>& values) {
  int64_t bytes = 0;
  for (const Value* value : values) bytes += value->type.bytes();
  return bytes;
}

}  // namespace

size_t fold_constants(Graph& graph) {
  // The nodes in question as a graph of their own.
  Graph constant_part(graph.name);
  std::unordered_map<const Value*, Value*> copy_of;
  std::vector<Node*> folded;
  std::unordered_set<const Value*> known;
  const auto is_known = [&](const Value* value) { return value->is_constant() || known.contains(value); };
  for (Node* node : graph.node_list()) {
    bool constant = may_fold(*node);
    int64_t input_bytes = 0;
    Arguments args = node->args();
    for (Argument& argument : args) {
      argument.each_tensor([&](Value*& value) {
        constant = constant && is_known(value);
        input_bytes += value->type.bytes();
      });
    }
    const int64_t output_bytes = bytes_of(node->outputs());
    if (!constant || (output_bytes > kAlwaysFoldBytes && output_bytes > 2 * input_bytes)) continue;
    for (Argument& argument : args) {
      argument.each_tensor([&](Value*& value) {
        Value*& copy = copy_of[value];
        if (copy == nullptr) {
          copy = constant_part.add_constant(
              value->name, value->data != nullptr
                               ? value->data
                               : std::make_shared<const files::Array>(files::filled(
                                     value->type.dtype, {value->type.sizes.begin(), value->type.sizes.end()}, 0)));
          copy->type.dim_order = value->type.dim_order;
        }
        value = copy;
      });
    }
    std::vector<TensorType> types;
    for (const Value* output : node->outputs()) types.push_back(output->type);
    Node* copy = constant_part.add_node(nullptr, node->op, std::move(args), types, node->name);
    for (size_t i = 0; i < types.size(); ++i) {
      copy_of[node->output(i)] = copy->output(i);
      known.insert(node->output(i));
    }
    folded.push_back(node);
  }
  if (folded.empty()) return 0;
  // Only what the rest of the graph reads.
  std::vector<Value*> wanted, wanted_copies;
  for (Node* node : folded) {
    for (Value* output : node->outputs()) {
      bool outside = graph.use_count(output) > output->users().size();
      for (const Node* user : output->users()) {
        outside = outside || user->outputs().empty() || !known.contains(user->output());
      }
      if (!outside) continue;
      wanted.push_back(output);
      wanted_copies.push_back(copy_of[output]);
    }
  }
  const auto values = evaluate(constant_part, {}, wanted_copies);
  for (size_t i = 0; i < wanted.size(); ++i) {
    Value* constant = graph.add_constant(wanted[i]->name, values[i]);
    constant->type.dim_order = wanted[i]->type.dim_order;
    constant->quantization = wanted[i]->quantization;
    graph.replace_uses(wanted[i], constant);
  }
  graph.erase_dead();
  return folded.size();
}

}  // namespace wick::compiler
