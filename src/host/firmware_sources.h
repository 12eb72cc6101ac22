// The sources that are generated for an image: the table of operators that its programs need, and the programs
// themselves as a table. Knows names and rows; refuses to know how they are compiled.
#pragma once

#include <string>
#include <vector>

#include "host/program_info.h"

namespace wick::host {

// The operators that some programs call, each once, sorted: all methods count.
std::vector<std::string> operators_of(const std::vector<const ProgramInfo*>& programs);

// C++ that defines wick::kAllOps with just these rows. Every name must be an operator of wick.
std::string operator_table_source(const std::vector<std::string>& operators);

struct EmbeddedFile {
  std::string name;  // shown on the board
  std::string kind;  // "FP32" or "INT8"
  std::string path;
};

// Assembler that defines the table of boards/embedded.h; programs are read from their files. `in_sram` copies them
// there at start.
std::string embedded_programs_source(const std::vector<EmbeddedFile>& programs, bool in_sram);

}  // namespace wick::host
