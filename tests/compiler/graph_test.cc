#include "compiler/graph.h"

#include <doctest.h>

namespace wick::compiler {
namespace {

const TensorType kFour{DType::kFloat32, {4}, {}};

TEST_CASE("Graph keeps producers and users true when nodes come, change and go") {
  Graph graph;
  Value* x = graph.add_input("x", kFour);
  Node* relu = graph.add_node(nullptr, "aten::relu", {x}, {kFour});
  Node* add = graph.add_node(nullptr, "aten::add.Tensor", {relu->output(), relu->output(), 1}, {kFour}, "sum");
  graph.add_output(add->output());
  CHECK(x->users().size() == 1);
  CHECK(relu->output()->users().size() == 2);
  CHECK(relu->output()->producer() == relu);
  CHECK(graph.use_count(add->output()) == 1);

  graph.set_arg(add, 1, x);
  CHECK(relu->output()->users().size() == 1);
  graph.replace_uses(relu->output(), x);
  CHECK(x->users().size() == 3);
  CHECK(graph.erase_dead() == 1);
  CHECK(x->users().size() == 2);
  CHECK(graph.nodes().size() == 1);
  CHECK(graph.find("relu") == nullptr);
}

TEST_CASE("Graph replaces outputs and state updates too") {
  Graph graph;
  Value* x = graph.add_input("x", kFour);
  Value* state = graph.add_state("h", kFour, nullptr);
  Node* add = graph.add_node(nullptr, "aten::add.Tensor", {x, state, 1}, {kFour});
  graph.add_output(add->output());
  graph.add_state_update(state, add->output());
  Node* relu = graph.add_node(nullptr, "aten::relu", {x}, {kFour});
  graph.replace_uses(add->output(), relu->output());
  CHECK(graph.outputs()[0] == relu->output());
  CHECK(graph.state_updates()[0].update == relu->output());
  CHECK(graph.erase_dead() == 1);
  CHECK(graph.states().size() == 1);  // still written
}

TEST_CASE("Graph gives each value a name of its own and prints itself") {
  Graph graph;
  Value* x = graph.add_input("x", kFour);
  Node* first = graph.add_node(nullptr, "aten::relu", {x}, {kFour});
  Node* second = graph.add_node(first, "aten::relu", {x}, {kFour});
  Node* clamp = graph.add_node(nullptr, "aten::clamp", {first->output(), -1.0, Argument()}, {kFour});
  graph.move_before(clamp, second);
  graph.add_output(second->output());
  CHECK(graph.str() ==
        "input %x: float32 [4]\n"
        "%clamp: float32 [4] = aten::clamp(%relu, -1.0, None)\n"
        "%relu_1: float32 [4] = aten::relu(%x)\n"
        "%relu: float32 [4] = aten::relu(%x)\n"
        "output %relu_1\n");
}

}  // namespace
}  // namespace wick::compiler
