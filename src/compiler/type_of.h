// What type an operator's outputs have, given its arguments: PyTorch's rules for shapes and dtypes. And Builder, with
// which passes write nodes as formulas. Refuses to know values: only an argument's type counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph.h"

namespace wick::compiler {

// `args` are complete (compiler/schema.h). Throws Failure naming the operator, the argument and what does not fit. The
// dim_order of elementwise operators, convolutions and pools is that of their input; other outputs are contiguous.
std::vector<TensorType> infer_types(std::string_view op, const Arguments& args);
// False for operators whose types are not known.
bool has_type_rule(std::string_view op);
// What arithmetic between these is done in (no scalars, no zero-dimensional tensors).
DType promote(DType a, DType b);
bool is_float(DType dtype);
// An index that may count from the end, of `count`; throws Failure naming `what`.
size_t wrap(int64_t index, size_t count, std::string_view what);

// Adds nodes before a place in a graph; arguments are given in schema order, defaults may be left out.
class Builder {
 public:
  // New nodes come before `before` (null: at the end) and take its name and source for messages.
  explicit Builder(Graph& graph, Node* before = nullptr) : graph_(graph), before_(before) {}

  // The first output of a new node.
  Value* operator()(const std::string& op, Arguments args, const std::string& name = "") {
    return node(op, std::move(args), name)->output();
  }
  Node* node(const std::string& op, Arguments args, const std::string& name = "");
  Value* constant(const std::string& name, files::Array array) { return graph_.add_constant(name, std::move(array)); }
  // A float32 constant with one element and `rank` dimensions.
  Value* scalar(const std::string& name, float value, size_t rank = 0);
  Graph& graph() { return graph_; }

 private:
  Graph& graph_;
  Node* before_;
};

}  // namespace wick::compiler
