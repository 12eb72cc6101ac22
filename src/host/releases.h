// Which ExecuTorch releases write the operator calls that a program has. A program carries no release number, but the
// argument counts of cortex_m operators changed from one to the next.
#pragma once

#include <string>
#include <vector>

#include "host/program_info.h"

namespace wick::host {

struct ReleaseVerdict {
  std::vector<std::string> releases;  // "1.3", "1.4", "1.5": those in which every call is right
  std::vector<std::string> problems;  // calls that are right in none
};
ReleaseVerdict releases_of(const ProgramInfo& program);

}  // namespace wick::host
