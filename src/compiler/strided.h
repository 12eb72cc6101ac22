// A tensor as PyTorch keeps it: a storage's bytes, seen through sizes, strides and an offset. Knows how to copy it out
// densely; refuses views that reach outside the storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/array.h"
#include "files/files.h"

namespace wick::compiler {

struct StridedTensor {
  DType dtype = DType::kFloat32;
  std::vector<int64_t> sizes, strides;  // in elements
  int64_t offset = 0;
};

// C-contiguous. An empty storage stands for zeros. Throws Failure naming `name`.
files::Array dense(const files::Bytes& storage, const StridedTensor& tensor, const std::string& name);

}  // namespace wick::compiler
