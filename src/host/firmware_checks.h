// What can be known to go wrong with an image, most of it before anything is built. Throws Failure with the figures.
#pragma once

#include <cstdint>
#include <vector>

#include "host/firmware_build.h"
#include "host/firmware_parts.h"
#include "host/program_info.h"

namespace wick::host {

struct FirmwareNeeds {
  uint64_t arena_bytes = 0;     // of all programs that are ready at a time
  bool arena_is_exact = false;  // measured on the emulated core; else what the programs plan, a lower bound
};

// Refuses what no image can run: missing operators and backends.
void check_operators(const ProgramInfo& program);

// `programs` are spec.programs, read. Refuses missing operators and backends, signatures that the app cannot use, and
// what cannot fit into the board's memory whatever the code takes.
FirmwareNeeds check_programs(const FirmwareSpec& spec, const std::vector<ProgramInfo>& programs);

// The same with the image's real sizes.
void check_fit(const ImageParts& parts, const FirmwareNeeds& needs, const FirmwareSpec& spec);

}  // namespace wick::host
