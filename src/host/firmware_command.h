// `wick firmware`: programs in, an image for a board out, with what it takes and how to put it there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick::host {

struct FirmwareOptions {
  std::vector<std::string> programs;
  std::string board = "pico2", app = "mnist", weights = "flash", operators = "selected", kernels = "wick", cmsis_nn,
              kernel_code = "flash", errors, output, build_folder, json;
  uint32_t stack_bytes = 0, jobs = 0, cores = 1;
  bool clean = false;
};

// Prints the report on stdout. Throws Failure for a bad input; nothing is written then.
int firmware_command(const FirmwareOptions& options);

struct OperatorTableOptions {
  std::vector<std::string> programs;
  std::string output;
};

// `wick operators`: writes the table that an image of these programs needs, for builds that are not `wick firmware`'s.
int operator_table_command(const OperatorTableOptions& options);

}  // namespace wick::host
