// What a program costs on a target and what it answers, over samples. Knows jobs; refuses to know how figures are shown
// and what answers mean.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/job.h"
#include "host/program_info.h"

namespace wick::host {

// A program with the facts that callers of its method ask for.
struct LoadedProgram {
  // Throws Failure when the file is no program or has no such method.
  explicit LoadedProgram(const std::filesystem::path& path, const std::string& method = "forward");

  std::string name;  // the path, for messages
  std::string method_name;
  Bytes bytes;
  ProgramInfo info;
  const MethodInfo& method() const { return info.method(method_name); }
};

// One sample: an array per input, in logical order.
using Sample = std::vector<Array>;

struct OperatorFigures {
  uint32_t index = 0;  // instruction in the program
  std::string name;
  uint64_t ticks = 0;  // of one call
  std::optional<uint64_t> macs;
};

struct ProgramCost {
  uint64_t program_bytes = 0;
  uint64_t arena_bytes = 0, persistent_bytes = 0, planned_bytes = 0, scratch_bytes = 0;
  std::optional<uint64_t> stack_bytes, load_ticks, prepare_ticks;
  std::string tick_unit;                   // "instructions", or "ns" on the host
  std::vector<uint64_t> latency_ticks;     // of each sample
  std::vector<OperatorFigures> operators;  // of the first sample
};

// [sample][output], in logical order. Throws Failure naming program and target.
std::vector<std::vector<Array>> outputs_of(const LoadedProgram& program, const std::string& target,
                                           std::span<const Sample> samples);

struct Measurement {
  ProgramCost cost;
  std::vector<std::vector<Array>> outputs;  // [sample][output], in logical order
};
// At least one sample. The profile is a run of its own, so that what it costs is in no other figure.
Measurement measure(const LoadedProgram& program, const std::string& target, std::span<const Sample> samples);

// Bytes that the runner image of an emulated target, with every operator, keeps in flash: code, constants and initial
// data. Nothing for the host.
std::optional<uint64_t> runner_flash_bytes(const std::string& target);

}  // namespace wick::host
