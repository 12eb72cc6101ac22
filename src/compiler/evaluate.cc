#include "compiler/evaluate.h"

#include <cstdlib>

#include "compiler/emit.h"
#include "files/failure.h"
#include "runtime/method.h"

namespace wick::compiler {

namespace {

using files::Array;
using files::fail;

// Bytes at a multiple of 16.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, Arena::kAlignment, bytes + Arena::kAlignment) != 0) throw std::bad_alloc();
    memory_.reset(static_cast<uint8_t*>(memory));
  }
  uint8_t* data() { return memory_.get(); }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t, Free> memory_;
};

std::vector<uint8_t> dim_order_of(const TensorType& type) {
  std::vector<uint8_t> order = type.dim_order;
  for (size_t i = order.size(); i < type.sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
  return order;
}

}  // namespace

struct Evaluator::State {
  const Graph* graph = nullptr;
  std::vector<Value*> wanted;
  std::vector<int64_t> output_of;  // wanted[i] is this output of the method; -1: a constant or an input
  AlignedBytes program_bytes, arena_bytes;
  Program program;
  Method method;
  char error_buffer[2048] = {};
  ErrorText error{error_buffer, sizeof(error_buffer)};

  void check(Status status) {
    if (!status.ok()) fail("running the graph on this machine: ", error.c_str());
  }

  void prepare() {
    EmitOptions options;
    int64_t next = static_cast<int64_t>(graph->outputs().size());
    for (Value* value : wanted) {
      const bool computed = value->kind == Value::Kind::kNode;
      output_of.push_back(computed ? next++ : -1);
      if (computed) options.more_outputs.push_back(value);
    }
    const files::Bytes bytes = emit_program(*graph, options);
    program_bytes = AlignedBytes(bytes.size());
    std::copy(bytes.begin(), bytes.end(), program_bytes.data());
    check(program.load(program_bytes.data(), bytes.size(), error));
    MethodMemory memory;
    check(Method::measure(program, graph->name.c_str(), kAllOps, &memory, error));
    arena_bytes = AlignedBytes(memory.arena_bytes());
    Arena arena(arena_bytes.data(), memory.arena_bytes());
    check(method.prepare(program, graph->name.c_str(), kAllOps, arena, error));
  }

  void set_input(size_t index, const Array& array) {
    const TensorType& type = graph->inputs()[index]->type;
    if (array.dtype != type.dtype || Shape(array.sizes.begin(), array.sizes.end()) != type.sizes) {
      fail("input ", graph->inputs()[index]->name, " is ", files::describe(array), ", expected ", describe(type));
    }
    const std::vector<uint8_t> order = dim_order_of(type);
    const bool permuted = files::is_permuted(array.sizes, order);
    const Array memory = permuted ? files::to_memory_order(array, order) : array;
    check(method.set_input(static_cast<uint32_t>(index), memory.bytes.data(), memory.bytes.size(), error));
  }

  Array output(size_t index, const TensorType& type) const {
    const Tensor tensor = method.output(static_cast<uint32_t>(index)).tensor;
    Array array{tensor.dtype, {tensor.sizes, tensor.sizes + tensor.rank}, {}};
    array.bytes.assign(tensor.as<uint8_t>(), tensor.as<uint8_t>() + tensor.bytes());
    const std::vector<uint8_t> order = dim_order_of(type);
    return files::is_permuted(array.sizes, order) ? files::to_logical_order(array, order) : array;
  }
};

Evaluator::Evaluator(const Graph& graph, std::span<Value* const> wanted) : state_(std::make_unique<State>()) {
  state_->graph = &graph;
  state_->wanted.assign(wanted.begin(), wanted.end());
  state_->prepare();
}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

std::vector<Array> Evaluator::operator()(std::span<const Array> inputs) {
  State& s = *state_;
  if (inputs.size() != s.graph->inputs().size()) {
    fail("the graph takes ", s.graph->inputs().size(), " inputs, but ", inputs.size(), " are given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) s.set_input(i, inputs[i]);
  s.check(s.method.execute(s.error));
  std::vector<Array> out;
  for (size_t i = 0; i < s.wanted.size(); ++i) {
    const Value* value = s.wanted[i];
    if (s.output_of[i] >= 0) {
      out.push_back(s.output(static_cast<size_t>(s.output_of[i]), value->type));
    } else if (value->data != nullptr) {
      out.push_back(*value->data);
    } else {
      const auto& all = s.graph->inputs();
      out.push_back(inputs[static_cast<size_t>(std::find(all.begin(), all.end(), value) - all.begin())]);
    }
  }
  return out;
}

std::vector<Array> evaluate(const Graph& graph, std::span<const Array> inputs, std::span<Value* const> wanted) {
  return Evaluator(graph, wanted)(inputs);
}

std::vector<Array> evaluate(const Graph& graph, std::span<const Array> inputs) {
  return evaluate(graph, inputs, graph.outputs());
}

}  // namespace wick::compiler
