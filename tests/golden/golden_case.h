// One golden: a program, calls with inputs, and the outputs that PyTorch or ExecuTorch gave. Knows how the goldens'
// folders are laid out and how near an output must be; runs nothing by itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "files/array.h"
#include "host/job.h"

namespace wick::golden {

// How near every element of an output must be: relative to the largest magnitude expected, or absolute, whichever is
// more. Integers are exact unless `absolute` says otherwise.
struct Nearness {
  double relative = 0;
  double absolute = 0;
};

struct GoldenCall {
  std::string method = "forward";
  std::vector<host::Array> inputs, outputs;  // logical order
};

struct GoldenCase {
  std::string folder;  // "et-1.4.1"
  std::string kind;    // "model float", "int8_op int8", "special", ...
  std::string name;
  host::Bytes program, data;
  std::vector<GoldenCall> calls;
  Nearness nearness;
  std::string error_contains;  // the program must be refused with a message that has this in it
};

// What to take of the goldens below `root` (the folder with generated/ and external/).
struct Selection {
  std::string filter;        // part of "folder/name kind"; empty takes all
  uint32_t max_samples = 0;  // calls per case; 0 is all
};
// Calls `use` with each case in turn. Returns the folders that were not there.
std::vector<std::string> for_each_case(const std::filesystem::path& root, const Selection& selection,
                                       void (*use)(const GoldenCase&, void*), void* context);

}  // namespace wick::golden
