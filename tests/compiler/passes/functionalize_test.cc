#include "compiler/passes/functionalize.h"

#include <doctest.h>

#include <algorithm>

#include "compiler/evaluate.h"
#include "compiler/passes/decompose.h"
#include "compiler/type_of.h"
#include "files/failure.h"

namespace wick::compiler {
namespace {

files::Array floats(const std::vector<int32_t>& sizes, const std::vector<double>& values) {
  files::Array array = files::filled(DType::kFloat32, sizes, 0);
  for (size_t i = 0; i < values.size(); ++i) files::set_element(array, i, values[i]);
  return array;
}

bool has_in_place(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const auto& node) { return node->op.substr(0, node->op.find('.')).ends_with("_"); });
}

files::Array result_of(Graph& graph, const files::Array& x) {
  functionalize(graph);
  CHECK_FALSE(has_in_place(graph));
  decompose(graph);
  return evaluate(graph, {&x, 1})[0];
}

TEST_CASE("Functionalized writes through views reach the tensor that they look at") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2, 3}, {}});
  Builder b(graph);
  Value* copy = b("aten::clone", {x});
  Value* row = b("aten::select.int", {copy, 0, 1});
  Value* tail = b("aten::slice.Tensor", {row, 0, 1, 3, 1});
  b("aten::mul_.Tensor", {tail, b.scalar("ten", 10, 1)});
  b("aten::relu_", {copy});
  graph.add_output(b("aten::add.Tensor", {copy, row}));
  const files::Array found = result_of(graph, floats({2, 3}, {1, -2, 3, -4, 5, -6}));
  // copy = [[1, 0, 3], [0, 50, 0]], row = its second row
  CHECK(found.bytes == floats({2, 3}, {1, 50, 3, 0, 100, 0}).bytes);
}

TEST_CASE("Functionalized writes leave earlier readers alone") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2}, {}});
  Builder b(graph);
  Value* copy = b("aten::clone", {x});
  Value* before = b("aten::neg", {copy});
  Value* written = b("aten::relu_", {copy});
  graph.add_output(b("aten::add.Tensor", {before, written}));
  CHECK(result_of(graph, floats({2}, {-3, 4})).bytes == floats({2}, {3, 0}).bytes);
}

TEST_CASE("Functionalized buffers that are written become state") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {2}, {}});
  Builder b(graph);
  Value* count = b.constant("count", floats({2}, {1, 1}));
  Value* sum = b("aten::add_.Tensor", {count, x});
  graph.add_output(b("aten::neg", {sum}));
  functionalize(graph);
  REQUIRE(graph.state_updates().size() == 1);
  CHECK(graph.states()[0]->name.starts_with("count"));
  Evaluator run(graph, graph.outputs());
  const files::Array input = floats({2}, {2, 3});
  CHECK(run({&input, 1})[0].bytes == floats({2}, {-3, -4}).bytes);
  CHECK(run({&input, 1})[0].bytes == floats({2}, {-5, -7}).bytes);
}

TEST_CASE("Functionalizing refuses writes into expanded tensors") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {1, 3}, {}});
  Builder b(graph);
  Value* wide = b("aten::expand", {b("aten::clone", {x}), Ints{2, 3}});
  graph.add_output(b("aten::relu_", {wide}));
  CHECK_THROWS_AS(functionalize(graph), files::Failure);
}

}  // namespace
}  // namespace wick::compiler
