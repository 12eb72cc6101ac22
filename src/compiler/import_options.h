// What a user may say about any model that is read. Refuses to know file formats.
#pragma once

#include <map>
#include <string>

#include "compiler/graph.h"

namespace wick::compiler {

struct ImportOptions {
  // Sizes of inputs by name, where the file leaves them open or others are wanted.
  std::map<std::string, Shape> input_shapes;
};

}  // namespace wick::compiler
