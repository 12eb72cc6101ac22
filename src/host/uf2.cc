// See uf2.h.
#include "host/uf2.h"

#include <algorithm>
#include <array>
#include <map>

namespace wick::host {
namespace {

constexpr uint32_t kFamilyPresent = 0x2000;

void append_word(files::Bytes& to, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<uint8_t>(word >> shift));
}

}  // namespace

files::Bytes format_uf2(const std::vector<Placed>& pieces, uint32_t family) {
  std::map<uint32_t, std::array<uint8_t, kUf2PageBytes>> pages;
  for (const Placed& piece : pieces) {
    for (size_t i = 0; i < piece.bytes.size(); ++i) {
      const uint32_t address = piece.address + static_cast<uint32_t>(i);
      auto [page, added] = pages.try_emplace(address / kUf2PageBytes * kUf2PageBytes);
      if (added) page->second.fill(0);
      page->second[address % kUf2PageBytes] = piece.bytes[i];
    }
  }
  files::Bytes file;
  uint32_t number = 0;
  for (const auto& [address, bytes] : pages) {
    const size_t start = file.size();
    for (const uint32_t word : {0x0A324655u, 0x9E5D5157u, kFamilyPresent, address, kUf2PageBytes, number++,
                                static_cast<uint32_t>(pages.size()), family}) {
      append_word(file, word);
    }
    file.insert(file.end(), bytes.begin(), bytes.end());
    file.resize(start + 508);
    append_word(file, 0x0AB16F30);
  }
  return file;
}

files::Bytes format_bin(const std::vector<Placed>& pieces) {
  files::Bytes image;
  if (pieces.empty()) return image;
  const auto by_address = [](const Placed& a, const Placed& b) { return a.address < b.address; };
  const uint32_t first = std::min_element(pieces.begin(), pieces.end(), by_address)->address;
  for (const Placed& piece : pieces) {
    const size_t at = piece.address - first;
    image.resize(std::max(image.size(), at + piece.bytes.size()));
    std::copy(piece.bytes.begin(), piece.bytes.end(), image.begin() + static_cast<ptrdiff_t>(at));
  }
  return image;
}

}  // namespace wick::host
