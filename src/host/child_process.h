// Runs a program and waits for it, without a shell. Knows processes; refuses to know what they do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wick::host {

struct ChildResult {
  int status = 0;      // its exit code; 128 and the signal when a signal ended it
  std::string output;  // what it wrote to stdout and stderr
};

// `arguments[0]` is looked for in PATH unless it has a slash. Throws Failure when it cannot be started.
ChildResult run_child(const std::vector<std::string>& arguments, const std::filesystem::path& folder = ".");

// The program's path, when there is such an executable in PATH.
std::optional<std::filesystem::path> find_in_path(const std::string& name);

}  // namespace wick::host
