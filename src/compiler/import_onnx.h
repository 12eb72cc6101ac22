// Reads an ONNX model, float or quantized (QDQ, QLinear operators), into a graph of ATen operators. What depends on
// constants alone (shapes, mostly) is computed on the way. Quantized models become what PT2E writes: float operators
// between quantized_decomposed nodes, int8 throughout (uint8 is moved by 128).
#pragma once

#include <filesystem>

#include "compiler/graph.h"
#include "compiler/import_options.h"

namespace wick::compiler {

// Opsets 11 and newer. Throws Failure that names the file and all nodes at fault, with their inputs' shapes and what to
// do.
Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace wick::compiler
