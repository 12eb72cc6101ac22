// What is known of a program's operators as a whole.
#pragma once

#include <string>
#include <vector>

#include "host/program_info.h"

namespace wick::host {

// Operators that the program calls and this build has not, each once.
std::vector<std::string> missing_operators(const ProgramInfo& program);
// Backends that the program delegates to; wick has none.
std::vector<std::string> delegated_backends(const ProgramInfo& program);

}  // namespace wick::host
