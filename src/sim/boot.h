// What the boot ROM finds out before it starts an image. Knows image definition blocks; refuses to know the cores.
#pragma once

#include <cstdint>

#include "sim/memory.h"
#include "sim/uf2.h"

namespace wick::sim {

struct Entry {
  uint32_t vector_table = 0;
  uint32_t pc = 0;  // with bit 0 set
  uint32_t sp = 0;
  uint32_t sp_limit = 0;
};

// Places the image in memory, as programming it would.
void load_image(const Uf2Image& image, Memory& memory);

// Finds the image definition and reads what to start from it. Throws Refusal with the address and the rule when the
// boot ROM would not start it, or when it would start into nowhere.
Entry find_entry(const Uf2Image& image, Memory& memory);

}  // namespace wick::sim
