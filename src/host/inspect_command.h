// `wick inspect`: what is in a program and what it needs, without running it.
#pragma once

#include <string>

namespace wick::host {

struct InspectOptions {
  std::string program, method, data, target = "host", json;
};

// Prints the report on stdout. Throws Failure for a bad input.
int inspect_command(const InspectOptions& options);

}  // namespace wick::host
