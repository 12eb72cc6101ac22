// The host's picture of a model: nodes in execution order that call operators on values. Operators are PyTorch's
// functional ones by name ("aten::add.Tensor", "aten::convolution"; the default overload has no suffix), with every
// argument of their schema, in schema order (compiler/schema.h). Quantized models are the same graph with
// quantized_decomposed::quantize_*/dequantize_* nodes, until lowering folds those into cortex_m:: operators.
// All shapes are static. Knows who produces and who uses a value and keeps that true; refuses to know what operators
// mean, and files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "files/array.h"

namespace wick::compiler {

using Shape = std::vector<int64_t>;
struct Node;
struct Value;

// How integers stand for real numbers: real = scale * (integer - zero_point). One entry, or one per index of `axis`.
struct Quantization {
  std::vector<double> scale;
  std::vector<int64_t> zero_point;
  int64_t axis = 0;  // meaningful with several entries
};

// One argument of a node. Tensors are values of the same graph; a null pointer in a list is PyTorch's None.
using Tensors = std::vector<Value*>;
using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;
using Bools = std::vector<bool>;
class Argument {
 public:
  Argument();  // None
  Argument(const Argument&);
  Argument(Argument&&) noexcept;
  Argument& operator=(const Argument&);
  Argument& operator=(Argument&&) noexcept;
  ~Argument();
  Argument(Value* tensor) {
    if (tensor != nullptr) held_ = tensor;
  }
  Argument(Tensors tensors) : held_(std::move(tensors)) {}
  Argument(int value) : held_(int64_t{value}) {}
  Argument(int64_t value) : held_(value) {}
  Argument(double value) : held_(value) {}
  Argument(bool value) : held_(value) {}
  Argument(std::string value) : held_(std::move(value)) {}
  Argument(const char* value) : held_(std::string(value)) {}
  Argument(Ints value) : held_(std::move(value)) {}
  Argument(Doubles value) : held_(std::move(value)) {}
  Argument(Bools value) : held_(std::move(value)) {}
  Argument(DType value) : held_(int64_t{static_cast<uint8_t>(value)}) {}  // as a .pte numbers it

  bool is_none() const { return std::holds_alternative<std::monostate>(held_); }
  // The held value when it is of that type, else null.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&held_);
  }
  // The tensor, or null for None and for anything else.
  Value* tensor() const {
    Value* const* value = std::get_if<Value*>(&held_);
    return value == nullptr ? nullptr : *value;
  }
  // A Scalar as a number: int, float or bool.
  std::optional<double> number() const;
  bool operator==(const Argument&) const = default;

  // Calls `visit(Value*&)` for each tensor that is there.
  template <typename Visit>
  void each_tensor(Visit visit) {
    if (Value** one = std::get_if<Value*>(&held_)) visit(*one);
    if (Tensors* many = std::get_if<Tensors>(&held_)) {
      for (Value*& value : *many) {
        if (value != nullptr) visit(value);
      }
    }
  }

 private:
  std::variant<std::monostate, Value*, Tensors, int64_t, double, bool, std::string, Ints, Doubles, Bools> held_;
};
using Arguments = std::vector<Argument>;

// Dtype, logical sizes, and where the bytes lie (outermost dimension first; empty: contiguous).
struct TensorType {
  DType dtype = DType::kFloat32;
  Shape sizes;
  std::vector<uint8_t> dim_order;

  int64_t numel() const;
  int64_t bytes() const { return numel() * dtype_bytes(dtype); }
  bool operator==(const TensorType&) const = default;
};

struct Value {
  enum class Kind : uint8_t { kNode, kInput, kConstant, kState };
  std::string name;  // unique in its graph; the source's own where it has one
  Kind kind = Kind::kNode;
  TensorType type;
  std::shared_ptr<const files::Array> data;  // kConstant; kState: the initial value. In logical order. Null: zeros
  std::optional<Quantization> quantization;  // what integers mean, where known

  Node* producer() const { return producer_; }                // kNode
  uint32_t output_index() const { return output_index_; }     // which output of the producer
  const std::vector<Node*>& users() const { return users_; }  // once per use, in no order
  bool is_constant() const { return kind == Kind::kConstant; }

 private:
  friend class Graph;
  Node* producer_ = nullptr;
  uint32_t output_index_ = 0;
  std::vector<Node*> users_;
};

struct Node {
  std::string op;
  std::string name;    // the source's name of this node, for messages and reports
  std::string source;  // where it stands in the model's code, "model.py:12 in forward", or empty

  const Arguments& args() const { return args_; }
  const Argument& arg(size_t index) const { return args_[index]; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  Value* output(size_t index = 0) const { return outputs_[index]; }

 private:
  friend class Graph;
  Arguments args_;
  std::vector<Value*> outputs_;
  std::list<std::unique_ptr<Node>>::iterator place_;
};

// State that a run leaves behind for the next one: after the last node, `state` takes the value of `update`.
struct StateUpdate {
  Value* state = nullptr;
  Value* update = nullptr;
};

class Graph {
 public:
  using Nodes = std::list<std::unique_ptr<Node>>;

  explicit Graph(std::string name = "forward") : name(std::move(name)) {}
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  std::string name;  // of the method

  Value* add_input(const std::string& name, TensorType type);
  Value* add_constant(const std::string& name, files::Array array);
  Value* add_constant(const std::string& name, std::shared_ptr<const files::Array> array);
  Value* add_state(const std::string& name, TensorType type, std::shared_ptr<const files::Array> initial);
  void add_output(Value* value) { outputs_.push_back(value); }
  void add_state_update(Value* state, Value* update) { updates_.push_back({state, update}); }

  // A call of `op` before `before` (null: at the end), with one new value per type. Names are made unique.
  Node* add_node(Node* before, const std::string& op, Arguments args, const std::vector<TensorType>& outputs,
                 const std::string& name = "");
  void set_arg(Node* node, size_t index, Argument argument);
  void set_args(Node* node, Arguments args);
  // Every use of `from`, as argument, output or state update, becomes one of `to`.
  void replace_uses(Value* from, Value* to);
  // Moves a node to stand before `before` (null: to the end).
  void move_before(Node* node, Node* before);
  // The node and its outputs, which nothing may use.
  void erase(Node* node);
  // Nodes without effect, and constants and states that nothing uses. Inputs stay. Returns how many nodes went.
  size_t erase_dead();

  const Nodes& nodes() const { return nodes_; }
  // The nodes as they stand now: safe to walk while nodes are added; not those erased meanwhile.
  std::vector<Node*> node_list() const;
  // The node that follows, or comes before; null at the end.
  Node* next(const Node* node) const;
  Node* previous(const Node* node) const;
  const std::vector<Value*>& inputs() const { return inputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  void set_output(size_t index, Value* value) { outputs_[index] = value; }
  const std::vector<StateUpdate>& state_updates() const { return updates_; }
  // What `state` becomes.
  void replace_update(const Value* state, Value* update);
  // Constants and states that are there, in the order in which they were added.
  std::vector<Value*> constants() const;
  std::vector<Value*> states() const;
  bool is_output(const Value* value) const;
  // Users, plus 1 for each time it is an output or updates a state.
  size_t use_count(const Value* value) const;
  Value* find(const std::string& name) const;  // null: no such value

  std::string unique_name(const std::string& wish);
  // One line a node, for --verbose and tests.
  std::string str() const;

 private:
  Value* add_value(const std::string& name, Value::Kind kind, TensorType type);
  void note_uses(Node* node, bool add);
  void forget(Value* value);

  Nodes nodes_;
  std::list<std::unique_ptr<Value>> values_;
  std::unordered_map<const Value*, std::list<std::unique_ptr<Value>>::iterator> place_of_;
  std::unordered_map<std::string, Value*> by_name_;
  std::unordered_map<std::string, uint32_t> next_suffix_;
  std::vector<Value*> inputs_, outputs_;
  std::vector<StateUpdate> updates_;
};

// "conv1 (aten::convolution, model.py:12)", for messages.
std::string describe(const Node& node);
// "float32 [1, 28, 28]"
std::string describe(const TensorType& type);

}  // namespace wick::compiler
