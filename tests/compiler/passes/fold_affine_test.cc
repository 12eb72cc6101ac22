#include "compiler/passes/fold_affine.h"

#include <doctest.h>

#include "compiler/evaluate.h"
#include "compiler/type_of.h"

namespace wick::compiler {
namespace {

// Small integers, so that every order of operations gives the same floats.
files::Array integers(const std::vector<int32_t>& sizes, int seed) {
  files::Array array = files::filled(DType::kFloat32, sizes, 0);
  for (uint64_t i = 0; i < files::element_count(array); ++i) {
    files::set_element(array, i, static_cast<double>((static_cast<int>(i) * 7 + seed * 5) % 9 - 4));
  }
  return array;
}

// The graph gives the same numbers with `left` nodes.
void check_same(Graph& graph, const std::vector<int32_t>& input, size_t left) {
  const files::Array x = integers(input, 1);
  const auto before = evaluate(graph, {&x, 1});
  fold_affine(graph);
  CHECK(graph.nodes().size() == left);
  const auto after = evaluate(graph, {&x, 1});
  CHECK(after[0].sizes == before[0].sizes);
  CHECK(after[0].bytes == before[0].bytes);
}

TEST_CASE("Affine constants go into a convolution, per channel and as one number") {
  for (const bool transposed : {false, true}) {
    Graph graph;
    Value* x = graph.add_input("x", {DType::kFloat32, {1, 2, 4, 4}, {}});
    Builder b(graph);
    Value* weight =
        b.constant("w", integers(transposed ? std::vector<int32_t>{2, 3, 2, 2} : std::vector<int32_t>{3, 2, 2, 2}, 2));
    Value* y = b("aten::convolution", {x, weight, {}, Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, transposed, Ints{0, 0}, 1});
    y = b("aten::mul.Tensor", {y, b.constant("c", integers({1, 3, 1, 1}, 3))});
    y = b("aten::add.Tensor", {b.constant("d", integers({3, 1, 1}, 4)), y, 2});
    y = b("aten::sub.Tensor", {b.scalar("s", 3, 4), y});
    graph.add_output(b("aten::div.Tensor", {y, b.scalar("two", 2)}));
    check_same(graph, {1, 2, 4, 4}, 1);
  }
}

TEST_CASE("Affine constants go into a linear layer along its last dimension") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {3, 3, 4}, {}});
  Builder b(graph);
  Value* y = b("aten::linear", {x, b.constant("w", integers({3, 4}, 2)), b.constant("b", integers({3}, 3))});
  y = b("aten::mul.Tensor", {y, b.constant("c", integers({3}, 4))});
  graph.add_output(y);
  check_same(graph, {3, 3, 4}, 1);
}

TEST_CASE("Affine constants stay where they are no channel's, or the result is read twice") {
  Graph graph;
  Value* x = graph.add_input("x", {DType::kFloat32, {3, 3, 4}, {}});
  Builder b(graph);
  Value* y = b("aten::linear", {x, b.constant("w", integers({3, 4}, 2))});
  Value* rows = b("aten::mul.Tensor", {y, b.constant("c", integers({3, 1}, 4))});
  graph.add_output(rows);
  check_same(graph, {3, 3, 4}, 2);
  graph.add_output(b("aten::mul.Tensor", {y, b.scalar("two", 2)}));
  check_same(graph, {3, 3, 4}, 3);
}

}  // namespace
}  // namespace wick::compiler
