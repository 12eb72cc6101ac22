// One ONNX node while it becomes ATen operators: its inputs as values of a graph, its attributes with defaults, and a
// place for its outputs. Rules, one for each ONNX operator, are written against this. Refuses to know files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/onnx_model.h"
#include "compiler/type_of.h"
#include "files/failure.h"

namespace wick::compiler {

class OnnxCall {
 public:
  // A null input is not there.
  OnnxCall(Graph& graph, const OnnxNode& node, std::vector<Value*> inputs)
      : node_(node), builder_(graph), inputs_(std::move(inputs)), outputs_(node.outputs.size()) {}

  const OnnxNode& node() const { return node_; }
  int64_t opset() const { return node_.opset; }
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  // Throws Failure when it is not there.
  Value* in(size_t i) const;
  Value* optional(size_t i) const { return has(i) ? inputs_[i] : nullptr; }
  const Shape& sizes(size_t i) const { return in(i)->type.sizes; }
  int64_t rank(size_t i) const { return static_cast<int64_t>(sizes(i).size()); }
  DType dtype(size_t i) const { return in(i)->type.dtype; }
  // The numbers of an input that is known already; throws Failure when it depends on the model's inputs.
  const files::Array& constant(size_t i) const;
  Ints ints(size_t i) const;
  Doubles doubles(size_t i) const;
  double number(size_t i) const;
  int64_t whole(size_t i) const;  // one integer

  bool has_attribute(const std::string& name) const { return node_.attributes.contains(name); }
  int64_t integer(const std::string& name, int64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  Ints ints(const std::string& name, Ints otherwise) const;
  // Axes, counted from the front; from the attribute, or from input `i` in newer opsets.
  std::vector<size_t> axes(const std::string& name, size_t i, size_t rank) const;
  size_t axis(int64_t otherwise, size_t rank) const;

  Builder& builder() { return builder_; }
  // The first output of a new ATen node under this node's name.
  Value* operator()(const std::string& op, Arguments args) { return builder_(op, std::move(args), node_.name); }
  Node* emit(const std::string& op, Arguments args) { return builder_.node(op, std::move(args), node_.name); }
  Value* constant(files::Array array) { return builder_.constant(node_.name + "_constant", std::move(array)); }
  // A constant with as many dimensions as `like`, one element, of its dtype.
  Value* scalar_like(const Value* like, double number);
  Value* int64s(const Ints& list);
  Value* view(Value* x, Shape sizes);
  Value* permute(Value* x, const Ints& dims);

  void set(size_t i, Value* value);
  void set(Value* value) { set(0, value); }
  bool wants(size_t i) const { return i < outputs_.size() && !node_.outputs[i].empty(); }
  const std::vector<Value*>& outputs() const { return outputs_; }

  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(std::forward<Parts>(parts)...);
  }
  template <typename... Parts>
  void require(bool holds, Parts&&... parts) const {
    if (!holds) fail(std::forward<Parts>(parts)...);
  }

 private:
  template <typename T>
  const T* attribute(const std::string& name) const;

  const OnnxNode& node_;
  Builder builder_;
  std::vector<Value*> inputs_, outputs_;
};

using OnnxRule = void (*)(OnnxCall&);
using OnnxRules = std::map<std::string, OnnxRule, std::less<>>;  // by "op", or "domain::op"

void add_onnx_elementwise_rules(OnnxRules& rules);
void add_onnx_shape_rules(OnnxRules& rules);
void add_onnx_move_rules(OnnxRules& rules);
void add_onnx_reduce_rules(OnnxRules& rules);
void add_onnx_nn_rules(OnnxRules& rules);
void add_onnx_matmul_rules(OnnxRules& rules);
void add_onnx_norm_rules(OnnxRules& rules);
void add_onnx_resize_rules(OnnxRules& rules);
void add_onnx_recurrent_rules(OnnxRules& rules);
void add_onnx_quantized_rules(OnnxRules& rules);
void add_onnx_attention_rules(OnnxRules& rules);

// What a number of ONNX's element types is in the graph; throws Failure for one that is not supported.
DType onnx_dtype(int64_t onnx_type);

// x transposed. What is known transposes its constant, also behind a dequantize node, which stays.
Value* onnx_transposed(OnnxCall& call, Value* x, const Ints& dims);

}  // namespace wick::compiler
