// An image's bytes by who they belong to, from its ELF file and the linker's map: exact, every byte counted once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/firmware_build.h"

namespace wick::host {

struct ImageParts {
  std::vector<std::pair<std::string, uint64_t>> flash;  // programs, kernels, runtime, C library, board, alignment
  uint64_t flash_bytes = 0, flash_capacity = 0;
  uint64_t data_bytes = 0;          // initialised and zeroed data, without copies of programs
  uint64_t program_copy_bytes = 0;  // programs that start-up copies to SRAM
  uint64_t stack_bytes = 0;         // its guard included
  uint64_t free_bytes = 0;          // for arenas
  uint64_t sram_capacity = 0;
  uint64_t program_bytes() const { return flash.front().second; }
};

ImageParts image_parts(const FirmwareBuild& build);

}  // namespace wick::host
