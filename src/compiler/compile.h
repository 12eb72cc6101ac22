// A trained model in, a program out: import, passes in order, quantization, lowering, memory plan, bytes. This is the
// list of passes. Knows their order; refuses to know what they do, files of samples, and the command line.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit.h"
#include "compiler/graph.h"
#include "compiler/import_options.h"
#include "compiler/lower_cortex_m/lower.h"
#include "compiler/quantize/quantize.h"
#include "files/files.h"
#include "files/samples.h"

namespace wick::compiler {

struct PassLog {
  std::string pass;
  size_t nodes_before = 0, nodes_after = 0;
  uint64_t time_us = 0;  // microseconds of this machine
};

struct CompileOptions {
  ImportOptions import;
  std::string target = "cortex-m33";  // whose scratch sizes the program carries
  Release release = Release::kExecuTorch15;
  bool channels_last_inputs = false, channels_last_outputs = false;  // images as [N, H, W, C] in memory
  // Calibration samples for the model's inputs; null: no quantization.
  std::function<std::vector<std::vector<files::Array>>(std::span<const files::InputType>)> samples;
  QuantizeOptions quantize;
};

struct Compiled {
  files::Bytes program;
  bool int8 = false;         // quantized here, or before
  QuantizeReport quantized;  // when it was quantized here
  std::vector<PassLog> passes;
  Graph graph;  // as it was emitted
  MemoryPlan memory;
};

// Reads a model of any kind that is known, told by its content. Throws Failure naming the file.
Graph import_model(const std::filesystem::path& path, const ImportOptions& options);

// Throws Failure with all that cannot be compiled.
Compiled compile(const std::filesystem::path& model, const CompileOptions& options);

}  // namespace wick::compiler
