// The part of Python's pickle that torch.save needs for a dictionary of tensors: containers, numbers, strings, and the
// few functions that rebuild tensors. Everything else is refused by name; nothing is ever executed.
#pragma once

#include <map>
#include <string>

#include "compiler/strided.h"

namespace wick::compiler {

struct PickledTensor {
  StridedTensor tensor;
  std::string storage;  // key: the entry "<folder>/data/<key>"
};

// `name` is for messages. Throws Failure for anything but a dictionary from names to tensors.
std::map<std::string, PickledTensor> read_pickled_tensors(const files::Bytes& pickle, const std::string& name);

}  // namespace wick::compiler
