// `wick compare`: an FP32 and an INT8 program of one model on the same samples: latency, flash, RAM and accuracy side
// by side, and one line that says which to ship and why.
#pragma once

#include <cstdint>
#include <string>

namespace wick::host {

struct CompareOptions {
  std::string fp32, int8;    // programs
  std::string data, labels;  // samples, class numbers
  std::string target = "cortex-m33";
  std::string report, json;     // an HTML page, every figure
  uint32_t samples = 0;         // at most so many of the data; 0: all
  uint32_t target_samples = 3;  // how many run on the target as well
};

// Prints the comparison on stdout. Throws Failure for a bad input.
int compare_command(const CompareOptions& options);

}  // namespace wick::host
