#include "compiler/evaluate.h"

#include <doctest.h>

#include <algorithm>
#include <cstring>

#include "compiler/emit.h"
#include "compiler/schema.h"
#include "files/failure.h"

namespace wick::compiler {
namespace {

using files::Array;

Array floats(std::vector<int32_t> sizes, const std::vector<float>& values) {
  Array array{DType::kFloat32, std::move(sizes), std::vector<uint8_t>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

std::vector<float> values_of(const Array& array) {
  std::vector<float> values(array.bytes.size() / sizeof(float));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TensorType f32(Shape sizes, std::vector<uint8_t> dim_order = {}) {
  return {DType::kFloat32, std::move(sizes), std::move(dim_order)};
}

Node* call(Graph& graph, const std::string& op, Arguments leading, TensorType type) {
  return graph.add_node(nullptr, op, complete_args(op, std::move(leading)), {std::move(type)});
}

TEST_CASE("Evaluate runs a graph and gives wanted values, constants and inputs beside its outputs") {
  Graph graph;
  Value* x = graph.add_input("x", f32({2, 2}));
  Value* c = graph.add_constant("c", floats({2, 2}, {10, 20, 30, 40}));
  Node* relu = call(graph, "aten::relu", {x}, f32({2, 2}));
  Node* sum = call(graph, "aten::add.Tensor", {relu->output(), c}, f32({2, 2}));
  graph.add_output(sum->output());
  const Array in = floats({2, 2}, {-1, 2, -3, 4});
  Evaluator run(graph, std::vector<Value*>{sum->output(), relu->output(), c, x});
  const auto out = run(std::vector<Array>{in});
  CHECK(values_of(out[0]) == std::vector<float>{10, 22, 30, 44});
  CHECK(values_of(out[1]) == std::vector<float>{0, 2, 0, 4});
  CHECK(values_of(out[2]) == std::vector<float>{10, 20, 30, 40});
  CHECK(values_of(out[3]) == std::vector<float>{-1, 2, -3, 4});
  CHECK(values_of(run(std::vector<Array>{floats({2, 2}, {1, 1, 1, 1})})[0]) == std::vector<float>{11, 21, 31, 41});
  CHECK_THROWS_WITH_AS(evaluate(graph, std::vector<Array>{floats({4}, {1, 2, 3, 4})}),
                       "input x is float32 [4], expected float32 [2, 2]", files::Failure);
}

TEST_CASE("Evaluate speaks logical order whatever dim_order values have") {
  Graph graph;
  const std::vector<uint8_t> last = {0, 2, 3, 1};
  Value* x = graph.add_input("x", f32({1, 2, 2, 1}, last));
  Value* c = graph.add_constant("c", floats({1, 2, 2, 1}, {1, 2, 3, 4}));
  c->type.dim_order = last;
  Node* sum = call(graph, "aten::add.Tensor", {x, c}, f32({1, 2, 2, 1}, last));
  graph.add_output(sum->output());
  const auto out = evaluate(graph, std::vector<Array>{floats({1, 2, 2, 1}, {10, 20, 30, 40})});
  CHECK(values_of(out[0]) == std::vector<float>{11, 22, 33, 44});
}

TEST_CASE("Evaluate keeps state from call to call, from its initial value on") {
  Graph graph;
  Value* x = graph.add_input("x", f32({1}));
  Value* h = graph.add_state("h", f32({1}), std::make_shared<const Array>(floats({1}, {100})));
  Node* sum = call(graph, "aten::add.Tensor", {h, x}, f32({1}));
  graph.add_output(sum->output());
  graph.add_state_update(h, sum->output());
  Evaluator run(graph, graph.outputs());
  CHECK(values_of(run(std::vector<Array>{floats({1}, {1})})[0])[0] == 101);
  CHECK(values_of(run(std::vector<Array>{floats({1}, {2})})[0])[0] == 103);
}

TEST_CASE("Evaluate runs operators with several outputs and with lists") {
  Graph graph;
  Value* x = graph.add_input("x", f32({2, 4}));
  Node* split =
      graph.add_node(nullptr, "aten::split_with_sizes_copy",
                     complete_args("aten::split_with_sizes_copy", {x, Ints{1, 3}, 1}), {f32({2, 1}), f32({2, 3})});
  Node* cat = call(graph, "aten::cat", {Tensors{split->output(1), split->output(0)}, 1}, f32({2, 4}));
  Node* top = graph.add_node(nullptr, "aten::topk", complete_args("aten::topk", {cat->output(), 1}),
                             {f32({2, 1}), {DType::kInt64, {2, 1}, {}}});
  graph.add_output(cat->output());
  graph.add_output(top->output(0));
  const auto out = evaluate(graph, std::vector<Array>{floats({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7})});
  CHECK(values_of(out[0]) == std::vector<float>{1, 2, 3, 0, 5, 6, 7, 4});
  CHECK(values_of(out[1]) == std::vector<float>{3, 7});
}

TEST_CASE("Emit gives the same bytes for the same graph, and equal constants once") {
  const auto make = [] {
    Graph graph;
    Value* x = graph.add_input("x", f32({64}));
    Value* a = graph.add_constant("a", floats({64}, std::vector<float>(64, 1.5f)));
    Value* b = graph.add_constant("b", floats({64}, std::vector<float>(64, 1.5f)));
    Node* first = call(graph, "aten::add.Tensor", {x, a}, f32({64}));
    Node* second = call(graph, "aten::mul.Tensor", {first->output(), b}, f32({64}));
    graph.add_output(second->output());
    return emit_program(graph);
  };
  const files::Bytes bytes = make();
  CHECK(bytes == make());
  size_t found = 0;
  const std::vector<uint8_t> pattern = {0, 0, 0xc0, 0x3f, 0, 0, 0xc0, 0x3f};
  for (auto at = bytes.begin(); (at = std::search(at, bytes.end(), pattern.begin(), pattern.end())) != bytes.end();
       at += 256) {
    ++found;
  }
  CHECK(found == 1);
}

TEST_CASE("Emit refuses a node that no program can call, by its name") {
  Graph graph;
  Value* x = graph.add_input("x", f32({4}));
  Node* node = graph.add_node(nullptr, "aten::dropout", {x, 0.5, false}, {f32({4})}, "drop1");
  graph.add_output(node->output());
  CHECK_THROWS_WITH_AS(emit_program(graph), "node drop1 (aten::dropout): no program can call this operator",
                       files::Failure);
}

}  // namespace
}  // namespace wick::compiler
