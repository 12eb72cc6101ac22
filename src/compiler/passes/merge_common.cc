#include "compiler/passes/merge_common.h"

#include <cstring>
#include <map>

#include "compiler/plan_memory.h"

namespace wick::compiler {

namespace {

void put(std::string& key, const void* bytes, size_t count) { key.append(static_cast<const char*>(bytes), count); }

template <typename T>
void put_number(std::string& key, char tag, T value) {
  key += tag;
  put(key, &value, sizeof(value));
}

void put_type(std::string& key, const TensorType& type) {
  put_number(key, 't', type.dtype);
  for (const int64_t size : type.sizes) put_number(key, 's', size);
  for (const uint8_t dim : type.dim_order) put_number(key, 'o', dim);
}

void put_argument(std::string& key, const Argument& argument) {
  if (argument.is_none()) key += 'n';
  if (const Value* value = argument.tensor()) put_number(key, 'v', value);
  if (const auto* list = argument.get<Tensors>()) {
    put_number(key, 'V', list->size());
    for (const Value* value : *list) put_number(key, 'v', value);
  }
  if (const auto* value = argument.get<int64_t>()) put_number(key, 'i', *value);
  if (const auto* value = argument.get<double>()) put_number(key, 'd', *value);
  if (const auto* value = argument.get<bool>()) put_number(key, 'b', *value);
  if (const auto* value = argument.get<std::string>()) key += '"' + *value + '"';
  if (const auto* list = argument.get<Ints>()) {
    put_number(key, 'I', list->size());
    for (const int64_t value : *list) put_number(key, 'i', value);
  }
  if (const auto* list = argument.get<Doubles>()) {
    put_number(key, 'D', list->size());
    for (const double value : *list) put_number(key, 'd', value);
  }
  if (const auto* list = argument.get<Bools>()) {
    put_number(key, 'B', list->size());
    for (const bool value : *list) put_number(key, 'b', value);
  }
}

void merge_constants(Graph& graph) {
  std::map<std::string, Value*> known;
  for (Value* constant : graph.constants()) {
    std::string key;
    put_type(key, constant->type);
    if (constant->data != nullptr) put(key, constant->data->bytes.data(), constant->data->bytes.size());
    const auto [at, fresh] = known.try_emplace(std::move(key), constant);
    if (!fresh) graph.replace_uses(constant, at->second);
  }
}

}  // namespace

size_t merge_common(Graph& graph) {
  merge_constants(graph);
  std::map<std::string, Node*> known;
  for (Node* node : graph.node_list()) {
    if (node->op == kAllocOp || node->op.starts_with("aten::rand")) continue;
    std::string key = node->op + '(';
    for (const Argument& argument : node->args()) put_argument(key, argument);
    for (const Value* output : node->outputs()) put_type(key, output->type);
    const auto [at, fresh] = known.try_emplace(std::move(key), node);
    if (fresh) continue;
    // Two outputs of a graph stay two: each has a place of its own in the program.
    bool both = false;
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      both = both || (graph.is_output(node->output(i)) && graph.is_output(at->second->output(i)));
    }
    if (both) continue;
    for (size_t i = 0; i < node->outputs().size(); ++i) graph.replace_uses(node->output(i), at->second->output(i));
  }
  return graph.erase_dead();
}

}  // namespace wick::compiler
