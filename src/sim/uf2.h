// UF2 files as the boot ROM's drive takes them. Knows the blocks and their rules; refuses to know what the bytes mean.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wick::sim {

struct Uf2Page {
  uint32_t address = 0;
  std::array<uint8_t, 256> bytes{};
};

struct Uf2Image {
  std::vector<Uf2Page> pages;  // in order of the file
  bool in_ram = false;         // all pages lie in SRAM: run from there, flash is not looked at
  uint32_t lowest_address = 0;
};

// Throws Refusal, naming the block and the rule, for what the drive would not take or would take wrongly.
Uf2Image parse_uf2(const std::vector<uint8_t>& file);

}  // namespace wick::sim
