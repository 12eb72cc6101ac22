// A program and, where its weights lie beside it, its data file. Owns nothing; the bytes must stay where they are, as
// constants are read in place. Nothing in the files is trusted: each table is judged as it is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/status.h"
#include "core/tensor.h"
#include "format/named_data.h"
#include "format/pte_reader.h"

namespace wick {

// A value of a program as operators and callers see it.
struct Value {
  enum class Kind : uint8_t {
    kNone,
    kInt,
    kBool,
    kDouble,
    kTensor,
    kString,
    kIntList,
    kDoubleList,
    kBoolList,
    kTensorList,
    kOptionalTensorList
  };
  Kind kind = Kind::kNone;
  union {
    int64_t integer;   // kInt, kBool
    double number;     // kDouble
    const char* text;  // kString
  };
  Tensor tensor;  // kTensor

  Value() : integer(0) {}
};

constexpr const char* kind_name(Value::Kind kind) {
  constexpr const char* kNames[] = {"None",
                                    "int",
                                    "bool",
                                    "float",
                                    "tensor",
                                    "string",
                                    "int list",
                                    "float list",
                                    "bool list",
                                    "tensor list",
                                    "optional tensor list"};
  return kNames[static_cast<uint8_t>(kind)];
}

class Program {
 public:
  // `bytes` at a multiple of 16.
  Status load(const void* bytes, size_t size, ErrorText& error) { return file_.open(bytes, size, error); }
  // The .ptd with the tensors that the program keeps outside. `bytes` at a multiple of 16.
  Status attach_data(const void* bytes, size_t size, ErrorText& error) { return data_.open(bytes, size, error); }

  uint32_t method_count() const { return file_.plan_count(); }
  // Null when the file is malformed there.
  const char* method_name(uint32_t index) const;
  // The plan of a method, by its exact name.
  Status find_method(const char* name, format::Table* plan, ErrorText& error) const;

  const format::PteFile& file() const { return file_; }
  const format::PtdFile& data() const { return data_; }

 private:
  format::PteFile file_;
  format::PtdFile data_;
};

}  // namespace wick
