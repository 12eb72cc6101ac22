// Small ONNX models for tests, written with ONNX's own messages.
#pragma once

#include <onnx/onnx.pb.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace wick::compiler {

class OnnxBuilder {
 public:
  explicit OnnxBuilder(int64_t opset = 17) {
    model_.set_ir_version(8);
    auto* import = model_.add_opset_import();
    import->set_domain("");
    import->set_version(opset);
    model_.mutable_graph()->set_name("test");
  }

  // A negative size is open, by the name "batch".
  void input(const std::string& name, const std::vector<int64_t>& sizes, int type = onnx::TensorProto::FLOAT) {
    describe(*model_.mutable_graph()->add_input(), name, sizes, type);
  }
  void output(const std::string& name) {
    describe(*model_.mutable_graph()->add_output(), name, {}, onnx::TensorProto::FLOAT);
  }

  void floats(const std::string& name, const std::vector<int64_t>& sizes, const std::vector<float>& values) {
    auto& tensor = constant(name, sizes, onnx::TensorProto::FLOAT);
    for (const float value : values) tensor.add_float_data(value);
  }
  void int64s(const std::string& name, const std::vector<int64_t>& sizes, const std::vector<int64_t>& values) {
    auto& tensor = constant(name, sizes, onnx::TensorProto::INT64);
    for (const int64_t value : values) tensor.add_int64_data(value);
  }
  void int32s(const std::string& name, int type, const std::vector<int64_t>& sizes,
              const std::vector<int32_t>& values) {
    auto& tensor = constant(name, sizes, type);
    for (const int32_t value : values) tensor.add_int32_data(value);
  }

  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
    return fill(*model_.mutable_graph()->add_node(), op, inputs, outputs);
  }
  static onnx::NodeProto& fill(onnx::NodeProto& node, const std::string& op, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
    node.set_op_type(op);
    node.set_name(outputs.at(0) + "_node");
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(value);
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INTS);
    for (const int64_t value : values) a->add_ints(value);
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, const std::string& value) {
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::STRING);
    a->set_s(value);
  }

  onnx::ModelProto& model() { return model_; }

  // Below the system's folder for temporary files.
  std::filesystem::path save(const std::string& name) const {
    const auto folder = std::filesystem::temp_directory_path() / "wick_onnx_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name, std::ios::binary) << model_.SerializeAsString();
    return folder / name;
  }

 private:
  static void describe(onnx::ValueInfoProto& info, const std::string& name, const std::vector<int64_t>& sizes,
                       int type) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const int64_t size : sizes) {
      auto* dim = tensor->mutable_shape()->add_dim();
      if (size < 0) {
        dim->set_dim_param("batch");
      } else {
        dim->set_dim_value(size);
      }
    }
  }
  onnx::TensorProto& constant(const std::string& name, const std::vector<int64_t>& sizes, int type) {
    auto* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const int64_t size : sizes) tensor->add_dims(size);
    return *tensor;
  }

  onnx::ModelProto model_;
};

}  // namespace wick::compiler
