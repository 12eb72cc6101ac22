#include "compiler/import_tflite.h"

#include <algorithm>
#include <set>

#include "compiler/evaluate.h"
#include "compiler/lower_cortex_m/size_scratch.h"
#include "compiler/problems.h"
#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

using files::fail;

constexpr int64_t kMostFoldedBytes = int64_t{64} << 20;
constexpr int64_t kMostSize = int64_t{1} << 31;
constexpr int32_t kDequantize = 6, kCustom = 32, kSvdf = 27, kLstm = 44;

const TfRules& float_rules() {
  static const TfRules table = [] {
    TfRules all;
    add_tflite_elementwise_rules(all);
    add_tflite_nn_rules(all);
    add_tflite_shape_rules(all);
    add_tflite_recurrent_rules(all);
    return all;
  }();
  return table;
}

const TfRules& int8_rules() {
  static const TfRules table = [] {
    TfRules all;
    add_tflite_int8_nn_rules(all);
    add_tflite_int8_elementwise_rules(all);
    add_tflite_int8_shape_rules(all);
    add_tflite_int8_reduce_rules(all);
    add_tflite_int8_recurrent_rules(all);
    return all;
  }();
  return table;
}

const char* advice(const TfOperator& op) {
  switch (op.code) {
    case 118:
    case 119:
    case 129:
      return "control flow is not supported: convert the model without it";
    case kCustom:
      return "custom operators are not supported: convert the model with built-in operators only";
    case 142:
    case 143:
    case 144:
      return "variables are not supported: make the state an input and an output of the model";
    default:
      return "replace it in the model by supported operators";
  }
}

class Importer {
 public:
  Importer(const std::filesystem::path& path, const ImportOptions& options)
      : model_(read_tflite(path)), options_(options), values_(model_.tensors.size()) {}

  Graph run() {
    add_inputs();
    for (size_t i = 0; i < model_.tensors.size(); ++i) {
      const TfTensor& tensor = model_.tensors[i];
      if (tensor.data != nullptr && !values_[i].known())
        values_[i].plain = graph_.add_constant(tensor.name, tensor.data);
    }
    for (const TfOperator& op : model_.operators) add_operator(op);
    for (const int32_t output : model_.outputs) add_output(output);
    problems_.throw_if_any(model_.path);
    graph_.erase_dead();
    size_scratch(graph_, Isa::kDsp);
    return std::move(graph_);
  }

 private:
  void add_inputs() {
    for (const auto& [name, shape] : options_.input_shapes) {
      const bool known = std::any_of(model_.inputs.begin(), model_.inputs.end(),
                                     [&](int32_t i) { return model_.tensors[static_cast<size_t>(i)].name == name; });
      if (!known) fail(model_.path, ": --input-shape names '", name, "', which is no input of the model");
    }
    for (const int32_t index : model_.inputs) {
      const TfTensor& tensor = model_.tensors[static_cast<size_t>(index)];
      const auto said = options_.input_shapes.find(tensor.name);
      // Open sizes are 1 in the file.
      const Shape sizes = said == options_.input_shapes.end() ? tensor.sizes : said->second;
      int64_t count = 1;
      for (const int64_t size : sizes) {
        if (size < 0 || (size > 0 && count > kMostSize / size)) fail(model_.path, ": --input-shape is impossible");
        count *= size;
      }
      if (tensor.dtype == DType::kUInt8 && tensor.quantization) {
        problems_.add("input '" + tensor.name + "'", "is quantized to uint8", "convert the model to int8");
      }
      TfValue& value = values_[static_cast<size_t>(index)];
      if (value.known()) fail(model_.path, ": '", tensor.name, "' is an input twice");
      value.plain = graph_.add_input(tensor.name, {tensor.dtype, sizes, {}});
      note_quantization(value.plain, tensor);
    }
  }

  static void note_quantization(Value* value, const TfTensor& tensor) { value->quantization = tensor.quantization; }

  std::string where(const TfOperator& op) const {
    std::string text = "operator " + std::to_string(op.index) + " ";
    text += op.code == kCustom ? "CUSTOM '" + op.custom + "'" : tflite_operator_name(op.code);
    if (!op.outputs.empty()) text += " (" + model_.tensors[static_cast<size_t>(op.outputs[0])].name + ")";
    std::string shapes;
    for (const int32_t input : op.inputs) {
      shapes += shapes.empty() ? "" : ", ";
      if (input < 0) {
        shapes += "-";
      } else {
        const TfTensor& tensor = model_.tensors[static_cast<size_t>(input)];
        shapes += describe(TensorType{tensor.dtype, tensor.sizes, {}});
      }
    }
    return text + " on " + (shapes.empty() ? "no inputs" : shapes);
  }

  const TfTensor* tensor_or_null(const std::vector<int32_t>& list, size_t i) const {
    return i < list.size() && list[i] >= 0 ? &model_.tensors[static_cast<size_t>(list[i])] : nullptr;
  }

  static bool is_int8(const TfTensor* tensor) {
    return tensor != nullptr && tensor->dtype == DType::kInt8 && tensor->quantization;
  }

  // The rule for these types; null when there is none, which is then said.
  TfRule rule_of(const TfOperator& op) {
    const bool wide_state = op.code == kSvdf || op.code == kLstm;
    for (const auto* list : {&op.inputs, &op.outputs}) {
      for (size_t i = 0; i < list->size(); ++i) {
        const TfTensor* tensor = tensor_or_null(*list, i);
        const bool quantized = tensor != nullptr && tensor->quantization;
        if (quantized && !(wide_state && tensor->variable) && !(wide_state && tensor->data != nullptr) &&
            (tensor->dtype == DType::kInt16 || tensor->dtype == DType::kUInt8)) {
          problems_.add(where(op),
                        std::string("is quantized to ") + dtype_name(tensor->dtype) + ", which is not supported",
                        "convert the model to int8 activations");
          return nullptr;
        }
      }
    }
    const bool int8 = is_int8(tensor_or_null(op.outputs, 0)) || (is_int8(first_activation(op)) && !op.outputs.empty());
    if (int8) {
      const auto found = int8_rules().find(op.code);
      if (found != int8_rules().end()) return found->second;
    }
    const auto found = float_rules().find(op.code);
    const bool moves = found != float_rules().end() && (!int8 || works_on_bytes(op.code));
    if (moves) return found->second;
    problems_.add(where(op), int8 ? "this operator is not supported for INT8" : "this operator is not supported",
                  advice(op));
    return nullptr;
  }

  // The first input that the model computes.
  const TfTensor* first_activation(const TfOperator& op) const {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const TfTensor* tensor = tensor_or_null(op.inputs, i);
      if (tensor != nullptr && tensor->data == nullptr) return tensor;
    }
    return nullptr;
  }

  // Those that move elements, or only ask for shapes or order.
  static bool works_on_bytes(int32_t code) {
    static const std::set<int32_t> codes = {2,  5,  22, 26, 36, 39, 43,  45,  49,  56,  65, 69,
                                            70, 77, 79, 83, 88, 97, 100, 102, 105, 107, 130};
    return codes.contains(code);
  }

  void add_operator(const TfOperator& op) {
    const TfRule rule = rule_of(op);
    if (rule == nullptr) return;
    bool constant = true;
    for (const int32_t input : op.inputs) {
      if (input < 0) continue;
      const TfTensor& tensor = model_.tensors[static_cast<size_t>(input)];
      TfValue& value = values_[static_cast<size_t>(input)];
      if (!value.known() && tensor.variable) add_state(tensor, value);
      if (!value.known()) {
        if (problems_.empty()) {
          problems_.add(where(op), "input '" + tensor.name + "' is computed nowhere before it", "the file is damaged");
        }
        return;
      }
      constant = constant && value.plain != nullptr && value.plain->is_constant();
    }
    for (const int32_t output : op.outputs) {
      const TfValue& value = values_[static_cast<size_t>(output)];
      if (value.known()) {
        problems_.add(where(op), "writes a tensor that is there already", "the file is damaged");
        return;
      }
    }
    try {
      if (constant && op.code != kDequantize && fold(op, rule)) return;
      TfCall call(graph_, model_, op, values_);
      rule(call);
      for (const int32_t output : op.outputs) check_output(op, output);
    } catch (const files::Failure& failure) {
      problems_.add(where(op), failure.what(), "");
    }
  }

  // What the model keeps from run to run starts at zero.
  void add_state(const TfTensor& tensor, TfValue& value) {
    value.plain = graph_.add_state(tensor.name, {tensor.dtype, tensor.sizes, {}}, nullptr);
    note_quantization(value.plain, tensor);
  }

  // With the file's own input sizes, outputs must be what the file says.
  void check_output(const TfOperator& op, int32_t index) {
    TfValue& value = values_[static_cast<size_t>(index)];
    if (!value.known()) return;
    const TfTensor& tensor = model_.tensors[static_cast<size_t>(index)];
    const Value* seen = value.plain != nullptr ? value.plain : value.image;
    if (seen->type.dtype != tensor.dtype) {
      fail("gives ", dtype_name(seen->type.dtype), ", but the file says ", dtype_name(tensor.dtype));
    }
    Shape sizes = seen->type.sizes;
    if (value.plain == nullptr) sizes = {sizes[0], sizes[2], sizes[3], sizes[1]};
    if (options_.input_shapes.empty() && sizes != tensor.sizes) {
      // Some writers leave out dimensions of size 1.
      TfCall call(graph_, model_, op, values_);
      if (value.plain == nullptr || value.plain->type.numel() != TensorType{tensor.dtype, tensor.sizes, {}}.numel()) {
        fail("gives ", describe(TensorType{tensor.dtype, sizes, {}}), ", but the file says ",
             describe(TensorType{tensor.dtype, tensor.sizes, {}}));
      }
      value.plain = call.view(value.plain, tensor.sizes);
    }
    if (value.plain != nullptr && tensor.quantization) note_quantization(value.plain, tensor);
  }

  // Computes what depends on constants alone, in a graph of its own. False when that is not possible here.
  bool fold(const TfOperator& op, TfRule rule) {
    Graph alone;
    std::vector<TfValue> values(values_.size());
    for (const int32_t input : op.inputs) {
      if (input < 0) continue;
      const auto at = static_cast<size_t>(input);
      values[at].plain = alone.add_constant(model_.tensors[at].name, values_[at].plain->data);
    }
    TfCall call(alone, model_, op, values);
    rule(call);
    int64_t bytes = 0;
    for (const auto& node : alone.nodes()) {
      for (const Value* value : node->outputs()) bytes += value->type.bytes();
    }
    if (bytes > kMostFoldedBytes) return false;
    std::vector<Value*> wanted;
    for (const int32_t output : op.outputs) {
      const TfValue& value = values[static_cast<size_t>(output)];
      if (value.plain == nullptr) return false;
      wanted.push_back(value.plain);
    }
    std::vector<files::Array> results;
    try {
      const bool computed = std::any_of(wanted.begin(), wanted.end(), [](const Value* v) { return !v->is_constant(); });
      if (computed) results = evaluate(alone, {}, wanted);
    } catch (const files::Failure&) {
      return false;
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto at = static_cast<size_t>(op.outputs[i]);
      values_[at].plain = results.empty() ? graph_.add_constant(model_.tensors[at].name, wanted[i]->data)
                                          : graph_.add_constant(model_.tensors[at].name, std::move(results[i]));
    }
    return true;
  }

  void add_output(int32_t index) {
    TfValue& value = values_[static_cast<size_t>(index)];
    if (!value.known()) {
      if (problems_.empty()) {
        problems_.add("output '" + model_.tensors[static_cast<size_t>(index)].name + "'", "is computed nowhere",
                      "the file is damaged");
      }
      return;
    }
    if (value.plain == nullptr) {
      value.plain = Builder(graph_)("aten::permute_copy", {value.image, Ints{0, 2, 3, 1}},
                                    model_.tensors[static_cast<size_t>(index)].name);
    }
    graph_.add_output(value.plain);
  }

  TfModel model_;
  const ImportOptions& options_;
  Graph graph_;
  Problems problems_;
  std::vector<TfValue> values_;
};

}  // namespace

Graph import_tflite(const std::filesystem::path& path, const ImportOptions& options) {
  return Importer(path, options).run();
}

}  // namespace wick::compiler
