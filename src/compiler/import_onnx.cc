#include "compiler/import_onnx.h"

#include <set>

#include "compiler/evaluate.h"
#include "compiler/onnx_call.h"
#include "compiler/problems.h"

namespace wick::compiler {

namespace {

using files::fail;

// What is computed from constants alone may grow to this; larger results are left to the program.
constexpr int64_t kMostFoldedBytes = int64_t{64} << 20;
constexpr int64_t kOldestOpset = 11;
constexpr int64_t kMostSize = int64_t{1} << 31;

const OnnxRules& rules() {
  static const OnnxRules table = [] {
    OnnxRules all;
    add_onnx_elementwise_rules(all);
    add_onnx_shape_rules(all);
    add_onnx_move_rules(all);
    add_onnx_reduce_rules(all);
    add_onnx_nn_rules(all);
    add_onnx_matmul_rules(all);
    add_onnx_norm_rules(all);
    add_onnx_resize_rules(all);
    add_onnx_recurrent_rules(all);
    add_onnx_quantized_rules(all);
    add_onnx_attention_rules(all);
    return all;
  }();
  return table;
}

// Operators that say what a value means; they stay, whatever they are applied to.
bool is_quantization(const OnnxNode& node) { return node.op.find("Linear") != std::string::npos || node.op == "QGemm"; }

const char* advice(const OnnxNode& node) {
  if (node.op == "If" || node.op == "Loop" || node.op == "Scan") {
    return "control flow is not supported: export the model with fixed conditions and trip counts";
  }
  if (node.op.starts_with("Sequence") || node.op.starts_with("Optional")) {
    return "only tensors are supported: return and pass tensors";
  }
  if (!node.domain.empty())
    return "operators of this domain are not supported: export the model with plain ONNX operators";
  return "replace it in the model by supported operators";
}

class Importer {
 public:
  Importer(const std::filesystem::path& path, const ImportOptions& options)
      : model_(read_onnx(path)), options_(options) {}

  Graph run() {
    check_option_names();
    for (const OnnxInput& input : model_.inputs) add_input(input);
    problems_.throw_if_any(model_.path);
    for (const OnnxNode& node : model_.nodes) add_node(node);
    for (const std::string& output : model_.outputs) add_output(output);
    problems_.throw_if_any(model_.path);
    graph_.erase_dead();
    return std::move(graph_);
  }

 private:
  void check_option_names() const {
    for (const auto& [name, shape] : options_.input_shapes) {
      bool known = false;
      for (const OnnxInput& input : model_.inputs) known = known || input.name == name;
      if (!known) fail(model_.path, ": --input-shape names '", name, "', which is no input of the model");
    }
  }

  void add_input(const OnnxInput& input) {
    Shape sizes;
    const auto said = options_.input_shapes.find(input.name);
    if (said != options_.input_shapes.end()) {
      sizes = said->second;
      bool fits = sizes.size() == input.sizes.size();
      for (size_t i = 0; fits && i < sizes.size(); ++i) fits = !input.sizes[i] || *input.sizes[i] == sizes[i];
      if (!fits) {
        problems_.add("input '" + input.name + "'", "--input-shape does not fit the model's " + open_sizes(input), "");
      }
    } else {
      for (const auto& size : input.sizes) {
        if (!size) {
          problems_.add("input '" + input.name + "'", "has the open sizes " + open_sizes(input),
                        "give them with --input-shape " + input.name + "=...");
          break;
        }
        sizes.push_back(*size);
      }
    }
    int64_t count = 1;
    for (const int64_t size : sizes) {
      if (size < 0 || size >= kMostSize || (size > 0 && count > kMostSize / size)) {
        fail(model_.path, ": input '", input.name, "' has an impossible size");
      }
      count *= size;
    }
    values_[input.name] = graph_.add_input(input.name, {input.dtype, sizes, {}});
  }

  static std::string open_sizes(const OnnxInput& input) {
    std::string out = "[";
    for (size_t i = 0; i < input.sizes.size(); ++i) {
      const std::string open = input.size_names[i].empty() ? "?" : input.size_names[i];
      out += (i > 0 ? ", " : "") + (input.sizes[i] ? std::to_string(*input.sizes[i]) : open);
    }
    return out + "]";
  }

  // Null for an empty name, and for what is not known because something before it is not supported.
  Value* find(const std::string& name) {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    const auto constant = model_.constants.find(name);
    if (constant == model_.constants.end()) return nullptr;
    return values_[name] = graph_.add_constant(name, constant->second);
  }

  std::string where(const OnnxNode& node) {
    std::string shapes;
    for (const std::string& input : node.inputs) {
      const Value* value = input.empty() ? nullptr : find(input);
      shapes += (shapes.empty() ? "" : ", ") + (value == nullptr ? "-" : describe(value->type));
    }
    return describe(node) + " on " + (shapes.empty() ? "no inputs" : shapes);
  }

  void add_node(const OnnxNode& node) {
    const std::string key = node.domain.empty() ? node.op : node.domain + "::" + node.op;
    const auto rule = rules().find(key);
    if (rule == rules().end()) {
      problems_.add(where(node), "this operator is not supported", advice(node));
      return define_unknown(node);
    }
    if (node.domain.empty() && (node.opset < kOldestOpset)) {
      problems_.add("opset " + std::to_string(node.opset), "is older than " + std::to_string(kOldestOpset),
                    "export the model with a newer opset");
      return define_unknown(node);
    }
    std::vector<Value*> inputs;
    bool constant = true;
    for (const std::string& name : node.inputs) {
      Value* value = name.empty() ? nullptr : find(name);
      if (value == nullptr && !name.empty()) {
        if (!unknown_.contains(name)) {
          problems_.add(describe(node), "input '" + name + "' is computed nowhere before it", "the file is damaged");
        }
        return define_unknown(node);
      }
      constant = constant && (value == nullptr || value->is_constant());
      inputs.push_back(value);
    }
    try {
      if (constant && !is_quantization(node) && fold(node, rule->second, inputs)) return;
      OnnxCall call(graph_, node, inputs);
      rule->second(call);
      define(node, call.outputs());
    } catch (const files::Failure& failure) {
      problems_.add(where(node), failure.what(), "");
      define_unknown(node);
    }
  }

  // Computes what depends on constants alone, in a graph of its own. False when that is not possible here.
  bool fold(const OnnxNode& node, OnnxRule rule, const std::vector<Value*>& inputs) {
    Graph alone;
    std::vector<Value*> constants;
    for (const Value* value : inputs) {
      constants.push_back(value == nullptr ? nullptr : alone.add_constant(value->name, value->data));
    }
    OnnxCall call(alone, node, constants);
    rule(call);
    int64_t bytes = 0;
    for (const auto& made : alone.nodes()) {
      for (const Value* value : made->outputs()) bytes += value->type.bytes();
    }
    if (bytes > kMostFoldedBytes) return false;
    std::vector<Value*> wanted;
    bool computed = false;
    for (Value* value : call.outputs()) {
      if (value == nullptr) continue;
      wanted.push_back(value);
      computed = computed || !value->is_constant();
    }
    std::vector<files::Array> results;
    if (computed) {
      try {
        results = evaluate(alone, {}, wanted);
      } catch (const files::Failure&) {
        return false;  // the runtime has no such operator as it stands: passes take it apart
      }
    } else {
      for (const Value* value : wanted) results.push_back(*value->data);
    }
    std::vector<Value*> outputs;
    size_t next = 0;
    for (size_t i = 0; i < call.outputs().size(); ++i) {
      Value* value = nullptr;
      if (call.outputs()[i] != nullptr) {
        // One that is passed through is not kept twice.
        const auto same = std::find(constants.begin(), constants.end(), call.outputs()[i]);
        value = same != constants.end() ? inputs[static_cast<size_t>(same - constants.begin())]
                                        : graph_.add_constant(node.outputs[i], std::move(results[next]));
        ++next;
      }
      outputs.push_back(value);
    }
    define(node, outputs);
    return true;
  }

  void define(const OnnxNode& node, const std::vector<Value*>& outputs) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (outputs[i] == nullptr) {
        unknown_.insert(node.outputs[i]);
        optional_outputs_[node.outputs[i]] = describe(node);
      } else {
        values_[node.outputs[i]] = outputs[i];
      }
    }
  }
  void define_unknown(const OnnxNode& node) { unknown_.insert(node.outputs.begin(), node.outputs.end()); }

  void add_output(const std::string& name) {
    Value* value = find(name);
    if (value != nullptr) return graph_.add_output(value);
    const auto optional = optional_outputs_.find(name);
    if (optional != optional_outputs_.end()) {
      problems_.add(optional->second, "its output '" + name + "' is not supported", "do not use it in the model");
    } else if (!unknown_.contains(name)) {
      problems_.add("output '" + name + "'", "is computed nowhere", "the file is damaged");
    }
  }

  OnnxModel model_;
  const ImportOptions& options_;
  Graph graph_;
  Problems problems_;
  std::map<std::string, Value*> values_;
  std::set<std::string> unknown_;
  std::map<std::string, std::string> optional_outputs_;
};

}  // namespace

Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options) {
  return Importer(path, options).run();
}

}  // namespace wick::compiler
