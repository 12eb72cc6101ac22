// The facts of a program, by value, for people and reports: methods, values, instructions, memory plan. Reads the file
// with FlatBuffers' verifier and checks every index; judges nothing else, as loading a program is the runtime's job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/job.h"

namespace wick::host {

struct ValueInfo {
  enum class Kind : uint8_t { kNone, kInt, kBool, kDouble, kString, kTensor, kList };
  Kind kind = Kind::kNone;
  int64_t integer = 0;         // kInt, kBool
  double number = 0;           // kDouble
  std::string string;          // kString
  std::vector<int32_t> items;  // kList: values of the method (Int values or tensors; -1 is none), else empty

  // kTensor
  enum class Place : uint8_t { kConstant, kDataFile, kPlanned, kCaller };
  DType dtype = DType::kUInt8;
  std::vector<int32_t> sizes;  // logical; an upper bound when dynamic
  std::vector<uint8_t> dim_order;
  bool dynamic = false;
  Place place = Place::kCaller;
  uint32_t constant = 0;     // index of its data, kConstant
  uint32_t memory_id = 0;    // kPlanned
  uint64_t offset = 0;       // kPlanned
  bool initialized = false;  // kPlanned, with a value from the file: state
  std::string name;          // in the model, where the file tells
  uint64_t bytes() const;
};

struct InstructionInfo {
  enum class Kind : uint8_t { kCall, kDelegate, kMove, kJumpFalse, kFree };
  Kind kind = Kind::kCall;
  std::string name;           // "aten::add.out"; a backend's name for kDelegate
  std::vector<int32_t> args;  // values; the call's last one repeats what it returns
  int32_t destination = 0;    // kJumpFalse
};

struct Quantization {
  double scale = 0;
  int64_t zero_point = 0;
};

struct MethodInfo {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<int32_t> inputs, outputs;  // values
  std::vector<InstructionInfo> instructions;
  std::vector<uint64_t> memory_bytes;  // of memory id 1, 2, ...
  std::vector<std::string> delegates;

  const ValueInfo& input(size_t index) const { return values[static_cast<size_t>(inputs[index])]; }
  const ValueInfo& output(size_t index) const { return values[static_cast<size_t>(outputs[index])]; }
  // The tensors among an instruction's arguments, those in lists included.
  std::vector<int32_t> tensors_of(const InstructionInfo& instruction) const;
  // What an operator writes: the tensors of its return value.
  std::vector<int32_t> results_of(const InstructionInfo& instruction) const;
  // How an input is quantized first thing, or an output dequantized last thing, where it is.
  std::optional<Quantization> input_quantization(size_t index) const;
  std::optional<Quantization> output_quantization(size_t index) const;
  // Multiply-accumulate operations of one call, for convolutions, linear layers and matrix products.
  std::optional<uint64_t> macs_of(const InstructionInfo& instruction) const;
};

struct ProgramInfo {
  std::string name;  // for messages
  std::vector<MethodInfo> methods;
  uint64_t constants_bytes = 0;  // in the program, padding included

  // Throws Failure with the methods that there are.
  const MethodInfo& method(const std::string& wanted) const;
};

// `name` is for messages. The bytes are those of a .pte, not of a bundled program.
ProgramInfo read_program_info(const Bytes& program, const std::string& name);

}  // namespace wick::host
