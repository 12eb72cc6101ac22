// See elf_image.h.
#include "host/elf_image.h"

#include <sstream>

#include "files/failure.h"

namespace wick::host {
namespace {

using files::fail;

// Little-endian words of a file that may be cut short.
class Reader {
 public:
  Reader(files::Bytes bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}
  uint32_t word(uint64_t at) const { return half(at) | static_cast<uint32_t>(half(at + 2)) << 16; }
  uint16_t half(uint64_t at) const {
    check(at, 2);
    return static_cast<uint16_t>(bytes_[at] | bytes_[at + 1] << 8);
  }
  files::Bytes slice(uint64_t at, uint64_t bytes) const {
    check(at, bytes);
    const auto from = bytes_.begin() + static_cast<ptrdiff_t>(at);
    return {from, from + static_cast<ptrdiff_t>(bytes)};
  }
  std::string text(uint64_t at) const {
    std::string text;
    for (;; ++at) {
      check(at, 1);
      if (bytes_[at] == 0) return text;
      text += static_cast<char>(bytes_[at]);
    }
  }

 private:
  void check(uint64_t at, uint64_t bytes) const {
    if (at > bytes_.size() || bytes > bytes_.size() - at) fail(name_, ": is not a whole ELF file");
  }
  files::Bytes bytes_;
  std::string name_;
};

}  // namespace

uint64_t ElfImage::flash_bytes() const {
  uint64_t bytes = 0;
  for (const Placed& piece : load) bytes += piece.bytes.size();
  return bytes;
}

uint32_t ElfImage::symbol(const std::string& wanted) const {
  const auto found = symbols.find(wanted);
  if (found == symbols.end()) fail(name, ": has no symbol ", wanted);
  return found->second;
}

ElfImage read_elf(const std::filesystem::path& path) {
  ElfImage image;
  image.name = path.string();
  const Reader file(files::read_file(path), image.name);
  if (file.word(0) != 0x464C457F || (file.word(4) & 0xFF) != 1) fail(image.name, ": is not a 32-bit ELF file");
  const uint32_t headers = file.word(28), header_bytes = file.half(42), header_count = file.half(44);
  for (uint32_t i = 0; i < header_count; ++i) {
    const uint32_t at = headers + i * header_bytes;
    const uint32_t kind = file.word(at), offset = file.word(at + 4), load_address = file.word(at + 12),
                   bytes = file.word(at + 16);
    if (kind == 1 && bytes > 0) image.load.push_back({load_address, file.slice(offset, bytes)});
  }
  const uint32_t sections = file.word(32), section_bytes = file.half(46), section_count = file.half(48);
  for (uint32_t i = 0; i < section_count; ++i) {
    const uint32_t at = sections + i * section_bytes;
    constexpr uint32_t kSymbols = 2, kSymbolBytes = 16;
    if (file.word(at + 4) != kSymbols) continue;
    const uint32_t names = file.word(sections + file.word(at + 24) * section_bytes + 16);
    for (uint32_t k = 0; k < file.word(at + 20) / kSymbolBytes; ++k) {
      const uint32_t symbol = file.word(at + 16) + k * kSymbolBytes;
      if (file.word(symbol) != 0) image.symbols[file.text(names + file.word(symbol))] = file.word(symbol + 4);
    }
  }
  return image;
}

std::vector<MappedPiece> read_link_map(const std::filesystem::path& path) {
  const files::Bytes bytes = files::read_file(path);
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  std::vector<MappedPiece> pieces;
  std::string line, output, section;
  while (std::getline(lines, line) && line != "Linker script and memory map") {
  }
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (line[0] != ' ') {
      output = first;
      continue;
    }
    const bool named = line.size() > 1 && line[1] != ' ';
    if (named && first.rfind("*(", 0) == 0) continue;  // a pattern of the script
    std::string at, size, file;
    if (named) {
      section = first;
      if (!(words >> at)) continue;  // a long name: the rest is on the next line
    } else {
      at = first;
    }
    if (at.rfind("0x", 0) != 0 || !(words >> size) || size.rfind("0x", 0) != 0) continue;
    std::getline(words >> std::ws, file);
    const uint32_t count = static_cast<uint32_t>(std::stoull(size, nullptr, 16));
    if (count == 0 || section.empty() || (section[0] != '.' && section[0] != '*' && section != "COMMON")) continue;
    const bool fill = section == "*fill*";
    if (!fill && file.empty()) continue;
    pieces.push_back({section, output, fill ? "" : file, count});
    section.clear();
  }
  return pieces;
}

}  // namespace wick::host
