// Two programs of one model side by side, FP32 and INT8: what each costs, how right the second is against the first
// and against labels, and which of the two to ship. Knows figures; refuses to know how they are shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/measure.h"

namespace wick::host {

// How far one output of the INT8 program is from the FP32 program's, over all samples.
struct OutputError {
  double largest = 0, mean = 0;
  double scale = 0;               // largest magnitude of the FP32 output
  std::optional<double> sqnr_db;  // 10 log10(sum fp32^2 / sum (fp32 - int8)^2); none when no element differs
};

// Throws Failure when the programs' outputs are not of the same number and sizes.
std::vector<OutputError> output_errors(const std::vector<std::vector<Array>>& fp32,
                                       const std::vector<std::vector<Array>>& int8);

// Classes by the largest element of output 0.
struct Classes {
  size_t same = 0;                               // both programs say the same
  std::optional<size_t> fp32_right, int8_right;  // with labels
};

// Nothing when output 0 is no list of scores: one row of at least two float elements.
std::optional<Classes> classes(const std::vector<std::vector<Array>>& fp32, const std::vector<std::vector<Array>>& int8,
                               std::span<const int64_t> labels);

struct Side {
  std::string path;
  ProgramCost cost;
  std::vector<uint64_t> live_bytes;  // of planned memory, at each instruction
  double latency() const;            // mean ticks of one inference
  uint64_t ram_bytes() const { return cost.arena_bytes + cost.stack_bytes.value_or(0); }
};

struct SideBySide {
  std::string target;
  Side fp32, int8;
  std::optional<uint64_t> runner_flash_bytes;  // on top of the program: runtime and all operators
  size_t samples = 0;
  std::vector<OutputError> errors;  // per output
  std::optional<Classes> classes;
  std::string unit() const { return fp32.cost.tick_unit; }
};

struct Verdict {
  bool ship_int8 = false;
  std::string sentence;  // "Ship INT8: 2.95 times as fast, ..."
};

// INT8 is right enough when it loses at most one percentage point of accuracy; without labels when at least 99 % of
// the samples keep their class; where outputs are no classes, at 20 dB of signal to quantization noise. It is worth it
// when it is faster, or not much slower and clearly smaller.
Verdict verdict(const SideBySide& figures);

}  // namespace wick::host
