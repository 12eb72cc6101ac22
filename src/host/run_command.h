// `wick run`: one program, some calls, what came out and what it cost. Knows files, reports and expectations; the
// machines behind run_job() know how to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/job.h"

namespace wick::host {

// The command line, taken apart.
struct RunOptions {
  std::string program;
  std::vector<std::string> inputs, expects;
  std::string output_dir, method = "forward", data, target = "host", json;
  // METHOD INPUTS [EXPECTED], each list separated by commas.
  std::vector<std::vector<std::string>> calls;
  std::optional<uint64_t> arena_bytes;
  uint32_t repeat = 1;
  bool profile = false, bundled = false, reset = false;
  Tolerance tolerance;
};

// Prints the report on stdout. Throws Failure for a bad input; returns the exit code: 1 when an expectation isn't met.
int run_command(const RunOptions& options);

}  // namespace wick::host
