#include "compiler/plan_memory.h"

#include <doctest.h>

#include <algorithm>
#include <random>

#include "compiler/place_blocks.h"

namespace wick::compiler {
namespace {

TensorType bytes(int64_t count) { return {DType::kInt8, {count}, {}}; }

void check_apart(const std::vector<Block>& blocks, int64_t total) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i].offset >= 0);
    CHECK(blocks[i].offset + blocks[i].bytes <= total);
    for (size_t k = 0; k < i; ++k) {
      const bool same_time = blocks[i].first <= blocks[k].last && blocks[k].first <= blocks[i].last;
      const bool same_bytes = blocks[i].offset < blocks[k].offset + blocks[k].bytes &&
                              blocks[k].offset < blocks[i].offset + blocks[i].bytes;
      const bool overlap = same_time && same_bytes;
      CHECK_FALSE(overlap);
    }
  }
}

TEST_CASE("Blocks in use at the same time never overlap, whatever their sizes and lives") {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<Block> blocks(2 + random() % 60);
    for (Block& block : blocks) {
      block.bytes = 16 * (1 + random() % 64);
      block.first = random() % 40;
      block.last = block.first + random() % 8;
    }
    const int64_t total = place_blocks(blocks);
    CAPTURE(round);
    check_apart(blocks, total);
    CHECK(total >= most_in_use(blocks));
    CHECK(total <= most_in_use(blocks) * 5 / 4);
  }
}

TEST_CASE("Placing finds the optimum where placing by size alone does not") {
  // By size: 48 at 0, 40 at 48, ... a search order finds 96.
  std::vector<Block> blocks = {{32, 0, 1, 0}, {48, 1, 2, 0}, {16, 0, 2, 0},
                               {48, 2, 3, 0}, {32, 3, 4, 0}, {16, 3, 4, 0}};
  CHECK(place_blocks(blocks) == most_in_use(blocks));
}

TEST_CASE("Two thousand blocks are placed, the same way each time") {
  std::mt19937 random(3);
  std::vector<Block> blocks(2000);
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].bytes = 16 * (1 + random() % 1000);
    blocks[i].first = static_cast<int64_t>(i);
    blocks[i].last = static_cast<int64_t>(i + 1 + random() % 5);
  }
  std::vector<Block> again = blocks;
  const int64_t total = place_blocks(blocks);
  CHECK(total == place_blocks(again));
  CHECK(total <= most_in_use(blocks) * 11 / 10);
  CHECK(std::equal(blocks.begin(), blocks.end(), again.begin(),
                   [](const Block& a, const Block& b) { return a.offset == b.offset; }));
}

TEST_CASE("Plan writes an elementwise result over an input that ends there, and not over one that is used again") {
  Graph graph;
  Value* x = graph.add_input("x", bytes(1000));
  Node* relu = graph.add_node(nullptr, "aten::relu", {x}, {bytes(1000)});
  Node* sum = graph.add_node(nullptr, "aten::add.Tensor", {relu->output(), x, 1}, {bytes(1000)});
  graph.add_output(sum->output());
  const MemoryPlan plan = plan_memory(graph);
  CHECK(plan.offsets.at(x) != plan.offsets.at(relu->output()));
  CHECK(plan.offsets.at(sum->output()) == plan.offsets.at(relu->output()));
  CHECK(plan.in_place == 1);
  CHECK(plan.bytes == 2016);
  const PlanOptions apart{true, false};
  CHECK(plan_memory(graph, apart).bytes == 3024);
}

TEST_CASE("Plan never writes over state, nor over an argument that is seen in another shape") {
  Graph graph;
  Value* h = graph.add_state("h", {DType::kInt8, {4, 4}, {}}, nullptr);
  Value* x = graph.add_input("x", {DType::kInt8, {4, 4}, {}});
  Node* view = graph.add_node(nullptr, "aten::permute_copy", {x, Ints{1, 0}}, {{DType::kInt8, {4, 4}, {1, 0}}});
  Node* sum = graph.add_node(nullptr, "aten::add.Tensor", {x, view->output(), 1}, {{DType::kInt8, {4, 4}, {}}});
  Node* next = graph.add_node(nullptr, "aten::add.Tensor", {h, sum->output(), 1}, {{DType::kInt8, {4, 4}, {}}});
  graph.add_state_update(h, next->output());
  graph.add_output(next->output());
  const MemoryPlan plan = plan_memory(graph);
  CHECK(plan.elided.contains(view));
  CHECK(plan.offsets.at(view->output()) == plan.offsets.at(x));
  CHECK(plan.offsets.at(sum->output()) != plan.offsets.at(x));
  CHECK(plan.offsets.at(next->output()) != plan.offsets.at(h));
}

TEST_CASE("Plan drops views that move nothing, and keeps those that do") {
  Graph graph;
  const TensorType rows{DType::kFloat32, {2, 3, 4, 5}, {}}, last{DType::kFloat32, {2, 3, 4, 5}, {0, 2, 3, 1}};
  Value* x = graph.add_input("x", rows);
  Node* flat = graph.add_node(nullptr, "aten::view_copy", {x, Ints{2, 60}}, {{DType::kFloat32, {2, 60}, {}}});
  Node* turned = graph.add_node(nullptr, "dim_order_ops::_to_dim_order_copy", {x, false, Ints{0, 2, 3, 1}}, {last});
  Node* wrong =
      graph.add_node(nullptr, "aten::view_copy", {turned->output(), Ints{2, 60}}, {{DType::kFloat32, {2, 60}, {}}});
  graph.add_output(flat->output());
  graph.add_output(wrong->output());
  const MemoryPlan plan = plan_memory(graph);
  CHECK(plan.elided.contains(flat));
  CHECK_FALSE(plan.elided.contains(turned));
  CHECK_FALSE(plan.elided.contains(wrong));
}

TEST_CASE("Plan gives scratch memory for the node that uses it, and names what is in use at the peak") {
  Graph graph;
  Value* x = graph.add_input("x", bytes(64));
  Node* scratch = graph.add_node(nullptr, kAllocOp, {}, {bytes(500)}, "scratch");
  Node* first = graph.add_node(nullptr, "aten::relu", {x}, {bytes(64)});
  Node* pool = graph.add_node(nullptr, "cortex_m::quantized_avg_pool2d", {first->output(), scratch->output()},
                              {bytes(32)}, "pool");
  graph.add_output(pool->output());
  const MemoryPlan plan = plan_memory(graph);
  CHECK(plan.bytes == 512 + 64 + 32);
  CHECK(plan.peak_node == 2);
  REQUIRE(plan.witnesses.size() == 3);
  CHECK(plan.witnesses[0] == scratch->output());
  CHECK(describe_peak(graph, plan) ==
        "peak of 608 bytes at pool (cortex_m::quantized_avg_pool2d): 500 scratch, 64 x, 32 pool");
}

}  // namespace
}  // namespace wick::compiler
