#include "compiler/copy_graph.h"

namespace wick::compiler {

GraphCopy copy_graph(const Graph& graph) {
  GraphCopy copy{Graph(graph.name), {}, {}};
  const auto same = [&copy](const Value* from, Value* to) {
    to->quantization = from->quantization;
    copy.values[from] = to;
  };
  for (const Value* input : graph.inputs()) same(input, copy.graph.add_input(input->name, input->type));
  for (const Value* constant : graph.constants()) {
    Value* made = copy.graph.add_constant(constant->name, constant->data);
    made->type = constant->type;
    same(constant, made);
  }
  for (const Value* state : graph.states()) same(state, copy.graph.add_state(state->name, state->type, state->data));
  for (const auto& node : graph.nodes()) {
    Arguments args = node->args();
    for (Argument& argument : args) {
      argument.each_tensor([&copy](Value*& value) { value = copy.values.at(value); });
    }
    std::vector<TensorType> types;
    for (const Value* output : node->outputs()) types.push_back(output->type);
    const std::string wish = node->outputs().empty() ? node->name : node->output()->name;
    Node* made = copy.graph.add_node(nullptr, node->op, std::move(args), types, wish);
    made->name = node->name;
    made->source = node->source;
    copy.nodes[node.get()] = made;
    for (size_t i = 0; i < node->outputs().size(); ++i) same(node->output(i), made->output(i));
  }
  for (Value* output : graph.outputs()) copy.graph.add_output(copy.values.at(output));
  for (const StateUpdate& update : graph.state_updates()) {
    copy.graph.add_state_update(copy.values.at(update.state), copy.values.at(update.update));
  }
  return copy;
}

}  // namespace wick::compiler
