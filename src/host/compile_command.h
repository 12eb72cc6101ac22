// `wick compile`: a trained model to a program, FP32 or INT8. Knows the command line's words and files; the compiler
// knows the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wick::host {

struct CompileCommandOptions {
  std::string model, output;
  std::string int8_data;  // calibration samples; empty: FP32
  std::string quantizer = "wick", calibrator, granularity = "channel";
  std::vector<std::string> keep_float;
  std::optional<double> max_error;
  std::string report, json;
  std::string target = "cortex-m33", executorch = "1.5";
  std::vector<std::string> input_shapes;  // NAME=1,28,28
  bool channels_last = false;
  uint32_t samples = 0;  // at most so many of the data; 0: all
  bool verbose = false;
};

// Prints what it made on stdout. Throws Failure for a bad input, and writes nothing then.
int compile_command(const CompileCommandOptions& options);

}  // namespace wick::host
