// What a .tflite file holds: tensors, operators and their options, every access judged against the file. Knows the
// format (compiler/tflite.fbs); refuses to know what operators mean.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph.h"

namespace flatbuffers {
class Table;
}

namespace wick::compiler {

struct TfTensor {
  std::string name;
  Shape sizes;
  Shape signature;  // -1: open; empty: as `sizes`
  DType dtype = DType::kFloat32;
  std::optional<Quantization> quantization;
  std::shared_ptr<const files::Array> data;  // null: computed, or an input
  bool variable = false;
};

// The options table of one operator; slot n of the format's tables. Absent slots and tables give the default.
class TfOptions {
 public:
  TfOptions() = default;
  TfOptions(const flatbuffers::Table* table, const uint8_t* bytes, size_t size)
      : table_(table), bytes_(bytes), size_(size) {}
  int32_t integer(uint16_t slot, int32_t otherwise = 0) const;
  bool flag(uint16_t slot) const { return byte(slot) != 0; }
  int8_t byte(uint16_t slot) const;
  float real(uint16_t slot) const;
  Ints ints(uint16_t slot) const;

 private:
  const flatbuffers::Table* table_ = nullptr;
  const uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
};

struct TfOperator {
  int32_t code = 0;
  std::string custom;                    // name of a custom operator
  std::vector<int32_t> inputs, outputs;  // indices of tensors; -1: not there
  TfOptions options;
  size_t index = 0;
};

struct TfModel {
  std::string path;
  std::vector<TfTensor> tensors;
  std::vector<TfOperator> operators;  // in execution order
  std::vector<int32_t> inputs, outputs;
  std::vector<uint8_t> bytes;  // what options point into
};

// Throws Failure that names the file.
TfModel read_tflite(const std::filesystem::path& path);

// "CONV_2D"; the number for one that is unknown.
std::string tflite_operator_name(int32_t code);

}  // namespace wick::compiler
