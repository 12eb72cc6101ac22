#include "compiler/onnx_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx.pb.h>

#include <climits>
#include <set>

#include "compiler/onnx_tensor.h"
#include "files/failure.h"
#include "files/files.h"

namespace wick::compiler {

namespace {

constexpr size_t kMostNodes = 1000000;
constexpr int kDeepestCall = 32;

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

using Attributes = std::map<std::string, OnnxAttribute>;

// What names inside a function's body stand for outside.
struct Scope {
  std::string prefix;
  std::map<std::string, std::string> names;
  const Attributes* attributes = nullptr;  // of the call
  std::map<std::string, int64_t> opsets;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : tensors_(path) { model_.path = path.string(); }

  OnnxModel run(const std::vector<uint8_t>& bytes) {
    if (bytes.size() > INT_MAX) fail("is larger than 2 GB, which no .onnx file can be");
    google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    if (!proto_.ParseFromCodedStream(&stream) || !proto_.has_graph()) {
      fail("is not an ONNX model, or was cut off");
    }
    for (const auto& function : proto_.functions()) {
      functions_[{plain_domain(function.domain()), function.name()}] = &function;
    }
    Scope scope;
    for (const auto& set : proto_.opset_import()) scope.opsets[plain_domain(set.domain())] = set.version();
    const onnx::GraphProto& graph = proto_.graph();
    if (graph.sparse_initializer_size() > 0) fail("has sparse constants, which are not supported; make them dense");
    for (const auto& tensor : graph.initializer()) model_.constants[tensor.name()] = tensors_.read(tensor);
    for (const auto& input : graph.input()) {
      if (!model_.constants.contains(input.name())) add_input(input);
    }
    for (const auto& node : graph.node()) add_node(node, scope, 0);
    for (const auto& output : graph.output()) model_.outputs.push_back(output.name());
    return std::move(model_);
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(model_.path, ": ", std::forward<Parts>(parts)...);
  }

  void add_input(const onnx::ValueInfoProto& info) {
    OnnxInput input;
    input.name = info.name();
    if (!info.type().has_tensor_type()) fail("input '", info.name(), "' is not a tensor");
    input.dtype = tensors_.dtype(info.type().tensor_type().elem_type(), "input '" + info.name() + "'");
    if (!info.type().tensor_type().has_shape())
      fail("input '", info.name(), "' does not say how many dimensions it has");
    for (const auto& dim : info.type().tensor_type().shape().dim()) {
      const bool fixed = dim.has_dim_value() && dim.dim_value() >= 0;
      input.sizes.push_back(fixed ? std::optional<int64_t>(dim.dim_value()) : std::nullopt);
      input.size_names.push_back(dim.dim_param());
    }
    model_.inputs.push_back(std::move(input));
  }

  static std::string outer(const Scope& scope, const std::string& name) {
    if (name.empty()) return name;
    const auto found = scope.names.find(name);
    return found != scope.names.end() ? found->second : scope.prefix + name;
  }

  void add_node(const onnx::NodeProto& proto, const Scope& scope, int depth) {
    OnnxNode node;
    node.op = proto.op_type();
    node.domain = plain_domain(proto.domain());
    node.name = scope.prefix + proto.name();
    for (const auto& name : proto.input()) node.inputs.push_back(outer(scope, name));
    for (const auto& name : proto.output()) node.outputs.push_back(outer(scope, name));
    if (proto.name().empty()) node.name = node.outputs.empty() ? node.op : node.outputs[0];
    for (const auto& attribute : proto.attribute()) add_attribute(attribute, scope, node);
    const auto function = functions_.find({node.domain, node.op});
    if (function != functions_.end()) {
      inline_call(node, *function->second, depth + 1);
      return;
    }
    const auto set = scope.opsets.find(node.domain);
    node.opset = set == scope.opsets.end() ? 0 : set->second;
    if (model_.nodes.size() >= kMostNodes) fail("has more than ", kMostNodes, " nodes");
    model_.nodes.push_back(std::move(node));
  }

  void inline_call(const OnnxNode& call, const onnx::FunctionProto& function, int depth) {
    if (depth > kDeepestCall) fail("function ", function.name(), " calls itself, or calls are nested too deep");
    Scope scope;
    scope.prefix = call.name + "/" + std::to_string(calls_++) + "/";
    scope.attributes = &call.attributes;
    for (const auto& set : function.opset_import()) scope.opsets[plain_domain(set.domain())] = set.version();
    if (call.inputs.size() > static_cast<size_t>(function.input_size()) ||
        call.outputs.size() > static_cast<size_t>(function.output_size())) {
      fail(describe(call), ": has more inputs or outputs than its function");
    }
    for (int i = 0; i < function.input_size(); ++i) {
      const auto at = static_cast<size_t>(i);
      scope.names[function.input(i)] = at < call.inputs.size() ? call.inputs[at] : "";
    }
    for (int i = 0; i < function.output_size(); ++i) {
      const auto at = static_cast<size_t>(i);
      if (at < call.outputs.size() && !call.outputs[at].empty()) scope.names[function.output(i)] = call.outputs[at];
    }
    for (const auto& node : function.node()) add_node(node, scope, depth);
  }

  void add_attribute(const onnx::AttributeProto& proto, const Scope& scope, OnnxNode& node) {
    if (!proto.ref_attr_name().empty()) {
      if (scope.attributes == nullptr) return;
      const auto found = scope.attributes->find(proto.ref_attr_name());
      if (found != scope.attributes->end()) node.attributes[proto.name()] = found->second;
      return;
    }
    node.attributes[proto.name()] = attribute(proto);
  }

  OnnxAttribute attribute(const onnx::AttributeProto& proto) {
    switch (proto.type()) {
      case onnx::AttributeProto::INT:
        return proto.i();
      case onnx::AttributeProto::FLOAT:
        return double{proto.f()};
      case onnx::AttributeProto::STRING:
        return proto.s();
      case onnx::AttributeProto::INTS:
        return Ints(proto.ints().begin(), proto.ints().end());
      case onnx::AttributeProto::FLOATS:
        return Doubles(proto.floats().begin(), proto.floats().end());
      case onnx::AttributeProto::STRINGS:
        return Strings(proto.strings().begin(), proto.strings().end());
      case onnx::AttributeProto::TENSOR:
        return tensors_.read(proto.t());
      default:
        return {};
    }
  }

  OnnxTensors tensors_;
  onnx::ModelProto proto_;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  OnnxModel model_;
  uint64_t calls_ = 0;
};

}  // namespace

OnnxModel read_onnx(const std::filesystem::path& path) { return Reader(path).run(files::read_file(path)); }

std::string describe(const OnnxNode& node) {
  return "node " + node.name + " (" + (node.domain.empty() ? "" : node.domain + "::") + node.op + ")";
}

}  // namespace wick::compiler
