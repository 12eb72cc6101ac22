// UF2 files as the RP2350's boot ROM takes them by drag and drop. Knows the blocks; refuses to know what is in them.
#pragma once

#include <cstdint>
#include <vector>

#include "files/files.h"

namespace wick::host {

// Bytes that belong at an address of the chip.
struct Placed {
  uint32_t address = 0;
  files::Bytes bytes;
};

inline constexpr uint32_t kUf2FamilyRp2350Arm = 0xE48BFF59;
inline constexpr uint32_t kUf2PageBytes = 256;

// One block of 512 bytes for each 256-byte page that any of the pieces touches, in order of address; what a page has
// beside them is zero. Pieces must not overlap.
files::Bytes format_uf2(const std::vector<Placed>& pieces, uint32_t family = kUf2FamilyRp2350Arm);

// The same bytes as they lie in memory, from the first piece's address to the end of the last; gaps are zero.
files::Bytes format_bin(const std::vector<Placed>& pieces);

}  // namespace wick::host
