// Reads what torch.export.save wrote, float or quantized by PT2E, into a graph: operators as the file names them (in
// place ones and views, too), all arguments filled in, all shapes static. Parameters, buffers and constants become
// constants; a buffer that the model writes to becomes state. Refuses to change what the model computes: that is for
// passes.
#pragma once

#include <filesystem>

#include "compiler/graph.h"
#include "compiler/import_options.h"

namespace wick::compiler {

// Throws Failure that names the file and all operators at fault, with where they stand and what to do.
Graph import_pt2(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace wick::compiler
