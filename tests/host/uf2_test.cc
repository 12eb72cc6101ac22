// UF2 files, read back word by word as the format's definition has them.
#include "host/uf2.h"

#include <doctest.h>

namespace wick::host {
namespace {

uint32_t word(const files::Bytes& file, size_t at) {
  return file[at] | file[at + 1] << 8 | file[at + 2] << 16 | static_cast<uint32_t>(file[at + 3]) << 24;
}

TEST_CASE("Uf2 has a block of 512 bytes with all its fields for each page") {
  files::Bytes bytes(300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + 1);
  const files::Bytes file = format_uf2({{0x10000000, bytes}});
  REQUIRE(file.size() == 1024);
  for (uint32_t block = 0; block < 2; ++block) {
    const size_t at = block * 512;
    CHECK(word(file, at) == 0x0A324655);
    CHECK(word(file, at + 4) == 0x9E5D5157);
    CHECK(word(file, at + 8) == 0x2000);
    CHECK(word(file, at + 12) == 0x10000000 + 256 * block);
    CHECK(word(file, at + 16) == 256);
    CHECK(word(file, at + 20) == block);
    CHECK(word(file, at + 24) == 2);
    CHECK(word(file, at + 28) == 0xE48BFF59);
    CHECK(word(file, at + 508) == 0x0AB16F30);
  }
  for (size_t i = 0; i < bytes.size(); ++i) CHECK(file[i / 256 * 512 + 32 + i % 256] == bytes[i]);
  CHECK(file[512 + 32 + 44] == 0);  // after the last byte
  CHECK(file[32 + 256] == 0);       // a block's unused part
}

TEST_CASE("Uf2 joins pieces that share a page and leaves out pages between pieces") {
  const files::Bytes file = format_uf2({{0x10000410, {3, 4}}, {0x10000000, {1}}, {0x10000402, {2}}});
  REQUIRE(file.size() == 1024);
  CHECK(word(file, 12) == 0x10000000);
  CHECK(word(file, 512 + 12) == 0x10000400);
  CHECK(file[512 + 32 + 2] == 2);
  CHECK(file[512 + 32 + 0x10] == 3);
  CHECK(file[512 + 32 + 0x11] == 4);
}

TEST_CASE("Bin starts at the lowest address and fills gaps with zeros") {
  CHECK(format_bin({{0x104, {5}}, {0x100, {1, 2}}}) == files::Bytes{1, 2, 0, 0, 5});
  CHECK(format_bin({}).empty());
}

}  // namespace
}  // namespace wick::host
