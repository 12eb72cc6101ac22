// Spoils what lies inside a zip archive, such as a .pt2: checksums would catch changes of the archive itself. Numbers
// and strings of JSON texts are exchanged, other entries have bytes changed; then the archive is written anew, stored.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/zip.h"
#include "fuzz/spoil.h"

namespace wick::fuzz {

inline uint32_t crc32_of(const std::string& bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

inline void put_number(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// A zip archive with nothing compressed.
inline Bytes write_archive(const Entries& entries) {
  std::string out, directory;
  for (const auto& [name, content] : entries) {
    std::string header;
    put_number(header, 20, 2);  // version
    put_number(header, 0, 8);   // flags, method, time and date
    put_number(header, crc32_of(content), 4);
    put_number(header, content.size(), 4);
    put_number(header, content.size(), 4);
    put_number(header, name.size(), 2);
    put_number(header, 0, 2);  // extra field
    put_number(directory, 0x02014b50, 4);
    put_number(directory, 20, 2);
    directory += header;
    put_number(directory, 0, 10);  // comment, disk, attributes
    put_number(directory, out.size(), 4);
    directory += name;
    put_number(out, 0x04034b50, 4);
    out += header + name + content;
  }
  const size_t start = out.size();
  out += directory;
  put_number(out, 0x06054b50, 4);
  put_number(out, 0, 4);
  put_number(out, entries.size(), 2);
  put_number(out, entries.size(), 2);
  put_number(out, directory.size(), 4);
  put_number(out, start, 4);
  put_number(out, 0, 2);
  return {out.begin(), out.end()};
}

// A number becomes another one, or a quoted string becomes one that stands elsewhere in the text.
inline void spoil_json(std::string& text, Random& random) {
  std::vector<std::pair<size_t, size_t>> numbers, strings;  // position, length
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const size_t end = std::min(text.find('"', i + 1), text.size() - 1);
      strings.emplace_back(i, end - i + 1);
      i = end;
    } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      size_t end = i;
      while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0)) ++end;
      numbers.emplace_back(i, end - i);
      i = end;
    }
  }
  static const char* const kNumbers[] = {"0",  "-1", "1",  "2",          "3",          "5",
                                         "7",  "8",  "16", "255",        "65536",      "2147483647",
                                         "-5", "4",  "12", "4294967296", "1000000000", "9223372036854775807"};
  if (random.below(2) == 0 && !numbers.empty()) {
    const auto [at, length] = numbers[random.below(numbers.size())];
    text.replace(at, length, kNumbers[random.below(std::size(kNumbers))]);
  } else if (!strings.empty()) {
    const auto [from, from_length] = strings[random.below(strings.size())];
    const std::string other = text.substr(from, from_length);
    const auto [at, length] = strings[random.below(strings.size())];
    text.replace(at, length, other);
  }
}

inline Bytes spoil_archive(const Bytes& archive, Random& random) {
  const files::ZipReader reader(archive, "archive");
  Entries entries;
  std::vector<size_t> texts;
  for (const std::string& name : reader.entries()) {
    const files::Bytes content = reader.read(name);
    if (name.ends_with(".json")) texts.push_back(entries.size());
    entries.emplace_back(name, std::string(content.begin(), content.end()));
  }
  if (!texts.empty() && random.below(8) != 0) {
    std::string& text = entries[texts[random.below(texts.size())]].second;
    for (uint64_t i = random.below(3) + 1; i > 0; --i) spoil_json(text, random);
  } else {
    std::string& content = entries[random.below(entries.size())].second;
    Bytes bytes(content.begin(), content.end());
    if (!bytes.empty()) spoil(bytes, random, bytes.size());
    content.assign(bytes.begin(), bytes.end());
  }
  return write_archive(entries);
}

}  // namespace wick::fuzz
