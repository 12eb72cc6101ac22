// What the boot ROM takes and what it refuses, with the reason.
#include "sim/boot.h"

#include "sim/image.h"
#include "sim/refusal.h"
#include "sim/uf2.h"

namespace wick::sim {
namespace {

using test::Bytes;
using test::put_word;
using test::uf2_of;

// Vector table, image definition, and three blocks' worth of bytes.
Bytes small_code() {
  Bytes code(600, 0);
  put_word(code, 0, 0x20008000);
  put_word(code, 4, 0x10000201);
  const uint32_t definition[] = {0xFFFFDED3, 0x10210142, 0x000001FF, 0, 0xAB123579};
  std::memcpy(code.data() + 0x110, definition, sizeof(definition));
  return code;
}

std::string refusal_of(const Bytes& uf2) {
  try {
    Memory memory;
    const Uf2Image image = parse_uf2(uf2);
    load_image(image, memory);
    find_entry(image, memory);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

Entry entry_of(const Bytes& code, uint32_t base = kFlashBase) {
  Memory memory;
  const Uf2Image image = parse_uf2(uf2_of(code, base));
  load_image(image, memory);
  return find_entry(image, memory);
}

#define CHECK_REFUSED(uf2, words)                \
  do {                                           \
    const std::string why = refusal_of(uf2);     \
    INFO(why);                                   \
    CHECK(why.find(words) != std::string::npos); \
  } while (false)

TEST_CASE("Boot takes the vector table at the start of flash when nothing says otherwise") {
  CHECK(refusal_of(uf2_of(small_code())).empty());
  const Entry entry = entry_of(small_code());
  CHECK(entry.vector_table == 0x10000000);
  CHECK(entry.sp == 0x20008000);
  CHECK(entry.pc == 0x10000201);
}

TEST_CASE("Boot follows the vector table and entry point items") {
  Bytes code = small_code();
  const uint32_t definition[] = {0xFFFFDED3, 0x10210142, 0x00000203, 0x10000180, 0x00000444, 0x10000241,
                                 0x20004000, 0x20003000, 0x000007FF, 0,          0xAB123579};
  std::memcpy(code.data() + 0x110, definition, sizeof(definition));
  const Entry entry = entry_of(code);
  CHECK(entry.vector_table == 0x10000180);
  CHECK(entry.pc == 0x10000241);
  CHECK(entry.sp == 0x20004000);
  CHECK(entry.sp_limit == 0x20003000);
}

TEST_CASE("Boot starts an image for SRAM at its lowest address") {
  Bytes code = small_code();
  put_word(code, 4, 0x20001201);
  const Entry entry = entry_of(code, 0x20001000);
  CHECK(entry.vector_table == 0x20001000);
  CHECK(entry.pc == 0x20001201);
}

TEST_CASE("Boot follows a loop of blocks and takes the last image definition") {
  Bytes code = small_code();
  put_word(code, 0x110 + 12, 0x60);
  const uint32_t second[] = {0xFFFFDED3, 0x10210142, 0x00000344, 0x10000251, 0x20002000, 0x000004FF, 0, 0xAB123579};
  std::memcpy(code.data() + 0x170, second, sizeof(second));
  put_word(code, 0x170 + 24, static_cast<uint32_t>(-0x60));
  CHECK(entry_of(code).pc == 0x10000251);
  put_word(code, 0x170 + 24, 0x40);
  CHECK_REFUSED(uf2_of(code), "leads to 0x100001b0");
}

TEST_CASE("Uf2 is refused when a block breaks a rule") {
  const Bytes good = uf2_of(small_code());
  Bytes bad = good;
  bad.pop_back();
  CHECK_REFUSED(bad, "not a number of 512-byte blocks");
  CHECK_REFUSED(Bytes(), "not a UF2");
  for (const size_t magic : {0u, 4u, 508u}) {
    bad = good;
    bad[512 + magic] ^= 1;
    CHECK_REFUSED(bad, "UF2 block 1: wrong magic");
  }
  bad = good;
  put_word(bad, 8, 0);
  CHECK_REFUSED(bad, "names no family");
  CHECK_REFUSED(uf2_of(small_code(), kFlashBase, 0xE48BFF56), "(RP2040)");
  CHECK_REFUSED(uf2_of(small_code(), kFlashBase, 0xE48BFF5A), "RISC-V");
  bad = good;
  put_word(bad, 512 + 16, 128);
  CHECK_REFUSED(bad, "carries 128 bytes");
}

TEST_CASE("Uf2 is refused when block numbers or targets are out of order") {
  const Bytes good = uf2_of(small_code());
  Bytes bad = good;
  put_word(bad, 512 + 20, 2);
  put_word(bad, 1024 + 20, 1);
  CHECK_REFUSED(bad, "UF2 block 1: has number 2 where 1 is due");
  bad = good;
  put_word(bad, 1024 + 24, 4);
  CHECK_REFUSED(bad, "announces 4 blocks, those before it 3");
  bad = good;
  bad.resize(1024);
  CHECK_REFUSED(bad, "3 blocks are announced and 2 are there");
  bad = good;
  put_word(bad, 12, 0x10000010);
  CHECK_REFUSED(bad, "not a multiple of 256");
  CHECK_REFUSED(uf2_of(small_code(), 0x10400000 - 256), "neither in 4 MB of flash nor in 520 KB of SRAM");
  bad = good;
  put_word(bad, 512 + 12, 0x10000000);
  CHECK_REFUSED(bad, "written twice");
  bad = good;
  put_word(bad, 1024 + 12, 0x20000000);
  CHECK_REFUSED(bad, "flash and SRAM in one file");
}

TEST_CASE("Uf2 skips what is not for main flash and the block against a fault of the first chips") {
  const Bytes good = uf2_of(small_code());
  Bytes with = uf2_of(Bytes(256, 0xEF), 0x10FFFF00, 0xE48BFF57);
  put_word(with, 24, 2);
  put_word(with, 8, 0xA000);
  with.insert(with.end(), good.begin(), good.end());
  CHECK(refusal_of(with).empty());
  Bytes other = uf2_of(Bytes(256, 1), 0x30000000, 0x12345678);
  put_word(other, 8, 1);
  other.insert(other.end(), good.begin(), good.end());
  CHECK(refusal_of(other).empty());
}

TEST_CASE("Boot refuses an image without a valid definition") {
  Bytes code = small_code();
  put_word(code, 0x110, 0);
  CHECK_REFUSED(uf2_of(code), "no image definition");
  Bytes late(5000, 0);
  const Bytes start = small_code();
  std::memcpy(late.data() + 4096, start.data() + 0x110, 20);
  CHECK_REFUSED(uf2_of(late), "first 4096 bytes");

  const auto with_word = [](size_t at, uint32_t word) {
    Bytes changed = small_code();
    put_word(changed, 0x110 + at, word);
    return uf2_of(changed);
  };
  CHECK_REFUSED(with_word(4, 0x10220142), "not of an executable");
  CHECK_REFUSED(with_word(4, 0x11210142), "RISC-V");
  CHECK_REFUSED(with_word(4, 0x00210142), "not of an image for the RP2350");
  CHECK_REFUSED(with_word(4, 0x10110142), "not of a Secure image");
  CHECK_REFUSED(with_word(4, 0x10210148), "no block says what the image is");
  CHECK_REFUSED(with_word(8, 0x000002FF), "counts 2 words");
  CHECK_REFUSED(with_word(8, 0x00000042), "an item of no words");
  CHECK_REFUSED(with_word(16, 0), "end marker is missing");
}

TEST_CASE("Boot refuses to start into nowhere") {
  Bytes code = small_code();
  put_word(code, 4, 0x10000200);
  CHECK_REFUSED(uf2_of(code), "starts at 0x10000200");
  put_word(code, 4, 0x30000001);
  CHECK_REFUSED(uf2_of(code), "starts at 0x30000001");
  code = small_code();
  put_word(code, 0, 0x30000000);
  CHECK_REFUSED(uf2_of(code), "stack pointer 0x30000000");
}

}  // namespace
}  // namespace wick::sim
