// One TensorFlow Lite operator while it becomes nodes of a graph: its tensors as values, its options, a place for its
// outputs. Images are seen in the model's order (NHWC) or, between float operators, in ATen's (NCHW); what is missing
// is made by a permutation, once. Refuses to know files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/tflite_math.h"
#include "compiler/tflite_model.h"
#include "compiler/type_of.h"
#include "files/failure.h"

namespace wick::compiler {

// A tensor as it stands in the graph; either order may be missing, not both.
struct TfValue {
  Value* plain = nullptr;  // in the model's order
  Value* image = nullptr;  // a rank-4 tensor in ATen's
  bool known() const { return plain != nullptr || image != nullptr; }
};

class TfCall {
 public:
  TfCall(Graph& graph, const TfModel& model, const TfOperator& op, std::vector<TfValue>& values)
      : model_(model), op_(op), builder_(graph), values_(values) {}

  const TfOptions& options() const { return op_.options; }
  int32_t code() const { return op_.code; }
  size_t input_count() const { return op_.inputs.size(); }
  size_t output_count() const { return op_.outputs.size(); }
  bool has(size_t i) const { return i < op_.inputs.size() && op_.inputs[i] >= 0; }
  // What the file says of a tensor.
  const TfTensor& input(size_t i) const;
  const TfTensor& output(size_t i = 0) const;
  bool is_constant(size_t i) const { return has(i) && held(i).plain != nullptr && held(i).plain->is_constant(); }
  // Throw Failure when the numbers depend on the model's inputs.
  const files::Array& constant(size_t i) const;
  Ints ints(size_t i) const;

  Value* in(size_t i);     // in the model's order
  Value* image(size_t i);  // in ATen's order; rank 4
  // As float32, where the file keeps it as float16 or as integers with scales.
  Value* real(size_t i);
  Value* real_or_none(size_t i) { return has(i) ? real(i) : nullptr; }
  Shape sizes(size_t i);  // in the model's order
  // True when a rank-4 input lies in ATen's order only, so that elementwise work is best done there.
  bool prefers_images() const;
  // In either order: rank below 4 is filled up in front for images.
  Value* ordered(size_t i, bool images);

  void set(size_t i, Value* value);        // in the model's order
  void set_image(size_t i, Value* value);  // in ATen's
  void set(Value* value) { set(0, value); }
  void set_ordered(size_t i, Value* value, bool images) { images ? set_image(i, value) : set(i, value); }

  // INT8

  bool is_int8(const TfTensor& tensor) const { return tensor.dtype == DType::kInt8 && tensor.quantization; }
  TfParams params(const TfTensor& tensor) const;  // of an int8 activation
  TfParams params_in(size_t i) const { return params(input(i)); }
  TfParams params_out(size_t i = 0) const { return params(output(i)); }
  Value* lookup(Value* x, const TfTable& table);
  // In the meaning of output 0, from that of input `i`; x itself when they mean the same.
  Value* requantized(Value* x, size_t i);
  Value* clamped(Value* x, const TfBounds& bounds);
  Value* scratch();  // memory that ExecuTorch's kernels want; sized when all is imported

  Builder& builder() { return builder_; }
  Value* operator()(const std::string& op, Arguments args) { return builder_(op, std::move(args), name()); }
  Node* emit(const std::string& op, Arguments args) { return builder_.node(op, std::move(args), name()); }
  Value* constant(files::Array array) { return builder_.constant(name() + "_constant", std::move(array)); }
  Value* scalar_like(const Value* like, double number);
  Value* int32s(const Ints& list);
  Value* int64s(const Ints& list);
  Value* view(Value* x, Shape sizes);
  Value* permute(Value* x, const Ints& dims);
  // max / min as the file's fused activation says, in float.
  Value* activated(Value* x, int8_t activation);

  std::string name() const;
  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(std::forward<Parts>(parts)...);
  }
  template <typename... Parts>
  void require(bool holds, Parts&&... parts) const {
    if (!holds) fail(std::forward<Parts>(parts)...);
  }

 private:
  TfValue& held(size_t i) const;
  const TfModel& model_;
  const TfOperator& op_;
  Builder builder_;
  std::vector<TfValue>& values_;
};

// A window over rows and columns: padding as the format's SAME or VALID gives it.
struct TfWindow {
  Ints kernel, stride, dilation, before, after, outputs;
  bool symmetric() const { return before == after; }
};
// `sizes`: rows and columns of the input.
TfWindow tflite_window(TfCall& call, const Shape& sizes, const Ints& kernel, int8_t padding, const Ints& stride,
                       const Ints& dilation);

using TfRule = void (*)(TfCall&);
using TfRules = std::map<int32_t, TfRule>;  // by the format's code

// Float, and what works on any type.
void add_tflite_elementwise_rules(TfRules& rules);
void add_tflite_nn_rules(TfRules& rules);
void add_tflite_shape_rules(TfRules& rules);
void add_tflite_recurrent_rules(TfRules& rules);
// INT8; these go before the others where the first output, or the first input, is int8.
void add_tflite_int8_nn_rules(TfRules& rules);
void add_tflite_int8_elementwise_rules(TfRules& rules);
void add_tflite_int8_shape_rules(TfRules& rules);
void add_tflite_int8_reduce_rules(TfRules& rules);
void add_tflite_int8_recurrent_rules(TfRules& rules);

}  // namespace wick::compiler
