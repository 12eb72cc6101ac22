// What is known of every operator by name: its arguments with types and defaults, its outputs, and the out variant that
// a program calls. One line an operator in schemas.inc. Refuses to know what operators compute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph.h"

namespace wick::compiler {

struct SchemaArgument {
  enum class Type : uint8_t { kTensor, kScalar, kInt, kFloat, kBool, kString, kDType, kMemoryFormat };
  std::string name;
  Type type = Type::kTensor;
  bool optional = false;        // "?": may be None
  bool list = false;            // "[]"
  bool optional_items = false;  // "Tensor?[]": items may be None
  size_t list_length = 0;       // "int[2]": one number stands for that many; 0: any length
  bool has_default = false;
  Argument default_value;
  bool keyword_only = false;
  bool functional_only = false;  // the out variant does not have it
};

struct Schema {
  std::string op;  // "aten::add.Tensor"; the in-place "aten::add_.Tensor" has the same arguments
  std::vector<SchemaArgument> args;
  size_t outputs = 1;        // how many; a list of outputs has as many as the arguments say
  bool output_list = false;  // Tensor[]
  bool in_place = false;     // writes its first argument and returns it
  std::string out_op;        // "aten::add.out"; empty: no program calls it
  // Index of the argument of that name; npos where there is none.
  size_t index(std::string_view name) const;
  static constexpr size_t npos = ~size_t{0};
};

// Null for an operator that nothing is known of. "aten::relu_" finds what "aten::relu" says, marked in_place.
const Schema* find_schema(std::string_view op);
// All of them but the in-place ones, by name.
const std::map<std::string, Schema, std::less<>>& schemas();
// The functional operator whose out variant this is; null for none.
const Schema* find_schema_of_out(std::string_view out_op);

using NamedArguments = std::map<std::string, Argument, std::less<>>;
// All arguments in schema order, defaults filled in, single numbers spread over lists of known length ("int[2]"),
// numbers brought to the argument's type. Throws Failure naming what is unknown, missing or of another type.
Arguments complete_args(std::string_view op, const NamedArguments& args);
// The same from leading arguments in schema order.
Arguments complete_args(std::string_view op, Arguments leading);

}  // namespace wick::compiler
