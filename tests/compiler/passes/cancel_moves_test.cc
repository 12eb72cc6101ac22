#include "compiler/passes/cancel_moves.h"

#include <doctest.h>

#include "compiler/type_of.h"

namespace wick::compiler {
namespace {

size_t nodes_after(Graph& graph) {
  cancel_moves(graph);
  return graph.nodes().size();
}

TEST_CASE("Moves that undo each other go") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2, 3, 4}, {}});
  Builder b(graph);
  Value* there = b("aten::permute_copy", {x, Ints{2, 0, 1}});
  Value* back = b("aten::permute_copy", {there, Ints{1, 2, 0}});
  Value* relu = b("aten::relu", {b("aten::view_copy", {b("aten::view_copy", {back, Ints{24}}), Ints{2, 3, 4}})});
  graph.add_output(relu);
  CHECK(nodes_after(graph) == 1);
  CHECK(relu->producer()->arg(0).tensor() == x);
}

TEST_CASE("Moves that do something become one") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2, 3, 4}, {}});
  Builder b(graph);
  Value* once = b("aten::permute_copy", {x, Ints{2, 0, 1}});
  graph.add_output(b("aten::permute_copy", {once, Ints{0, 2, 1}}));
  CHECK(nodes_after(graph) == 1);
  const Node& left = *graph.nodes().front();
  CHECK(left.arg(1) == Argument(Ints{2, 1, 0}));
  CHECK(left.output()->type.sizes == Shape{4, 3, 2});
}

TEST_CASE("Moves of dimensions of size 1 are reshapes") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {1, 3, 1, 4}, {}});
  Builder b(graph);
  graph.add_output(b("aten::permute_copy", {x, Ints{1, 0, 3, 2}}));
  CHECK(nodes_after(graph) == 1);
  CHECK(graph.nodes().front()->op == "aten::view_copy");
}

TEST_CASE("Moves whose first result is read elsewhere leave it there") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2, 3}, {}});
  Builder b(graph);
  Value* once = b("aten::permute_copy", {x, Ints{1, 0}});
  graph.add_output(once);
  graph.add_output(b("aten::relu", {b("aten::permute_copy", {once, Ints{1, 0}})}));
  CHECK(nodes_after(graph) == 2);
  CHECK(graph.outputs()[0] == once);
}

}  // namespace
}  // namespace wick::compiler
