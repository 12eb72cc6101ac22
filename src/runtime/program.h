// A verified, immutable view of a .pte: what the runtime asks the format for. Owns nothing; the bytes must stay where
// they are, as constants are read in place. Nothing in the file is trusted: each table is judged as it is read.
#pragma once

#include "core/status.h"
#include "core/tensor.h"
#include "format/pte_reader.h"

namespace wick {

// A value of a program as operators and callers see it.
struct Value {
  enum class Kind : uint8_t {
    kNone, kInt, kBool, kDouble, kTensor, kString, kIntList, kDoubleList, kBoolList, kTensorList, kOptionalTensorList
  };
  Kind kind = Kind::kNone;
  union {
    int64_t integer;  // kInt, kBool
    double number;    // kDouble
    const char* text;  // kString
  };
  Tensor tensor;  // kTensor
  Value() : integer(0) {}
};

}  // namespace wick
