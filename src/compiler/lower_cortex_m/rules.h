// What the families of lowering share: how they are asked, and how they write nodes. A rule is given a quantize node
// and the float node in front of it, and gives the int8 value that replaces the quantize node's output, or null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph.h"
#include "compiler/lower_cortex_m/fixed_point.h"
#include "compiler/lower_cortex_m/lower.h"
#include "compiler/lower_cortex_m/operand.h"
#include "compiler/type_of.h"

namespace wick::compiler {

// Where a lowered node goes and what it has to give.
struct Site {
  Graph& graph;
  const LowerOptions& options;
  Node* quantize;                  // the nodes stand before it
  const Node* node;                // the float operator
  QParams output;                  // of the quantize node
  int64_t low = -128, high = 127;  // bounds of an activation that was taken into the node
  std::string name;                // of the result

  Builder build() const { return Builder(graph, quantize); }
  Value* int32_constant(const std::string& suffix, const std::vector<int64_t>& values) const;
  Value* int8_constant(const std::string& suffix, const Shape& sizes, const std::vector<int64_t>& values) const;
  // Scratch memory of an operator.
  Value* scratch(int64_t bytes) const;
  // The same bytes under other sizes.
  Value* view(Value* value, const Shape& sizes) const;
  // A table that takes int8 values from one meaning to another; the value itself when they mean the same.
  Value* requantized(Value* value, const QParams& from, const QParams& to) const;
  Value* table(Value* value, const std::vector<int8_t>& entries) const;
};

using Rule = Value* (*)(const Site& site);
Value* lower_convolution(const Site& site);  // conv1d, conv2d, convolution, conv_transpose2d
Value* lower_linear(const Site& site);       // linear
Value* lower_matmul(const Site& site);       // bmm, matmul
Value* lower_pool(const Site& site);  // avg_pool2d, max_pool2d, adaptive_avg_pool2d to 1x1, mean over rows and columns
Value* lower_binary(const Site& site);   // add, sub, mul, div, minimum, maximum
Value* lower_unary(const Site& site);    // every operator of one tensor, and hardswish
Value* lower_softmax(const Site& site);  // softmax

Value* lower_pad(const Site& site);  // pad, constant_pad_nd
Value* lower_cat(const Site& site);  // cat, of inputs that differ in meaning

// Operators that only move elements, or choose among them: they compute the same on int8 with one meaning.
bool moves_elements(const std::string& op);
// The same operator on int8 values in front of the dequantize nodes; null when the inputs differ in meaning.
Node* moved_on_integers(Graph& graph, Node* before, const Node& node, QParams* params);

// "aten::conv2d" of "aten::conv2d.padding".
std::string family(const std::string& op);
// An int or a list of ints as two numbers.
Ints pair_of(const Argument& argument, const Ints& otherwise);

}  // namespace wick::compiler
