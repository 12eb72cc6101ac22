// See embed_program.h.
#include "host/embed_program.h"

#include <cstring>

#include "files/failure.h"

namespace wick::host {
namespace {

constexpr uint32_t kFlashStart = 0x10000000;
constexpr uint32_t kProgramAlignment = 256;  // more than a program asks for: it starts a page
// Names as the compiler writes them: wick::board::embedded and embedded_count.
constexpr const char* kTable = "_ZN4wick5board8embeddedE";
constexpr const char* kCount = "_ZN4wick5board14embedded_countE";

void append_word(files::Bytes& to, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<uint8_t>(word >> shift));
}

void patch_word(ElfImage* image, const char* symbol, uint32_t word) {
  const uint32_t address = image->symbol(symbol);
  for (Placed& piece : image->load) {
    if (address < piece.address || address - piece.address + 4 > piece.bytes.size()) continue;
    std::memcpy(piece.bytes.data() + (address - piece.address), &word, 4);
    return;
  }
  files::fail(image->name, ": ", symbol, " is not in flash");
}

}  // namespace

bool embed_program(const std::vector<uint8_t>& program, ElfImage* image) {
  const uint32_t used = image->symbol("__flash_used"), flash_bytes = image->symbol("__flash_bytes");
  Placed piece;
  piece.address = kFlashStart + (used + kProgramAlignment - 1) / kProgramAlignment * kProgramAlignment;
  if (piece.address - kFlashStart + program.size() + kProgramAlignment > flash_bytes) return false;
  piece.bytes = program;
  while (piece.bytes.size() % 4 != 0) piece.bytes.push_back(0);
  // The table's only row, and the word that stands for both of its names.
  const uint32_t row = piece.address + static_cast<uint32_t>(piece.bytes.size()), name = row + 16;
  for (const uint32_t word : {name, name, piece.address, static_cast<uint32_t>(program.size())})
    append_word(piece.bytes, word);
  append_word(piece.bytes, 0);
  image->load.push_back(std::move(piece));
  patch_word(image, kTable, row);
  patch_word(image, kCount, 1);
  return true;
}

}  // namespace wick::host
