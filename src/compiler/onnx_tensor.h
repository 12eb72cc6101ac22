// TensorProto to array: the three ways in which ONNX keeps numbers (raw bytes, typed fields, another file). Judges
// sizes; refuses to know models.
#pragma once

#include <filesystem>
#include <string>

#include "compiler/onnx_model.h"

namespace onnx {
class TensorProto;
}

namespace wick::compiler {

// Reads data that lies in other files, each file once.
class OnnxTensors {
 public:
  explicit OnnxTensors(std::filesystem::path model) : model_(std::move(model)) {}
  SharedArray read(const onnx::TensorProto& tensor);
  // Throws Failure naming `what` for an element type that is not supported.
  DType dtype(int32_t onnx_type, const std::string& what) const;

 private:
  void read_external(const onnx::TensorProto& tensor, files::Array& array);

  std::filesystem::path model_;
  std::map<std::string, std::vector<uint8_t>> files_;
};

}  // namespace wick::compiler
