// How torch.export writes numbers, dtypes and tensors' shapes into JSON. Throws Failure, or nlohmann's exceptions where
// the JSON has another form than the schema says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compiler/strided.h"

namespace wick::compiler {

using Json = nlohmann::json;

// The text as JSON. Throws Failure naming `name`.
Json parse_json(const files::Bytes& text, const std::string& name);
// torch.export numbers dtypes in its own way.
DType dtype_of(const Json& scalar_type);
// True for an object that has this key, with a value that is not null.
bool has(const Json& object, const char* key);
// A SymInt that is a number.
int64_t static_int(const Json& sym_int);
// A TensorMeta whose sizes are all numbers.
StridedTensor static_tensor(const Json& meta);
// Floats may be "Infinity", "-Infinity", "NaN".
double float_of(const Json& value);

}  // namespace wick::compiler
