// What an .onnx file holds, free of protobuf: nodes with attributes, constants, inputs and outputs. Local functions are
// written out in place, data in other files is read in. Refuses to know what operators mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph.h"

namespace wick::compiler {

using Strings = std::vector<std::string>;
using SharedArray = std::shared_ptr<const files::Array>;
// monostate: of a kind that is not read (graphs, sparse tensors, types).
using OnnxAttribute = std::variant<std::monostate, int64_t, double, std::string, Ints, Doubles, Strings, SharedArray>;

struct OnnxNode {
  std::string op, domain, name;  // the domain of ONNX's own operators is empty
  Strings inputs, outputs;       // an empty name: not there
  std::map<std::string, OnnxAttribute> attributes;
  int64_t opset = 0;  // of its domain
};

struct OnnxInput {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::optional<int64_t>> sizes;  // nothing: open
  std::vector<std::string> size_names;        // what the file calls an open size
};

struct OnnxModel {
  std::string path;
  std::vector<OnnxInput> inputs;
  Strings outputs;
  std::map<std::string, SharedArray> constants;
  std::vector<OnnxNode> nodes;  // in an order in which they can run
};

// Throws Failure that names the file.
OnnxModel read_onnx(const std::filesystem::path& path);

// "Conv node conv1", for messages.
std::string describe(const OnnxNode& node);

}  // namespace wick::compiler
