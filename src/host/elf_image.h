// What an image for a 32-bit Arm board holds, as its ELF file and the linker's map tell: what must lie in flash, the
// linker's symbols, and which part of the project each byte came from. Throws Failure naming the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "files/files.h"
#include "host/uf2.h"

namespace wick::host {

struct ElfImage {
  std::vector<Placed> load;                 // what must be programmed, where it lies until start-up copies it
  std::map<std::string, uint32_t> symbols;  // of the linker script and of code with C names
  uint64_t flash_bytes() const;
  // Throws when there is no such symbol.
  uint32_t symbol(const std::string& name) const;
  std::string name;
};

ElfImage read_elf(const std::filesystem::path& path);

// One piece of an object file in the image.
struct MappedPiece {
  std::string section;  // ".text.main"
  std::string output;   // the output section it went to: ".text"
  std::string file;     // "lib/libx.a(main.o)"
  uint32_t bytes = 0;
};

// Everything that takes memory, as ld's map file (-Map) lists it. What the linker adds for alignment is in a piece
// whose file is empty.
std::vector<MappedPiece> read_link_map(const std::filesystem::path& path);

}  // namespace wick::host
