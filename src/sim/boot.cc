// See boot.h. Blocks form a loop from the first one back to it; the last image definition in it counts.
#include "sim/boot.h"

#include <optional>

#include "sim/refusal.h"

namespace wick::sim {
namespace {

constexpr uint32_t kBlockStart = 0xFFFFDED3, kBlockEnd = 0xAB123579;
constexpr uint32_t kSearchBytes = 4096, kMaxBlockBytes = 384;
enum Item : uint32_t { kVectorTable = 0x03, kLoadMap = 0x06, kImageType = 0x42, kEntryPoint = 0x44, kLast = 0xFF };

struct Definition {
  std::optional<uint32_t> image_type;
  std::optional<uint32_t> vector_table;
  std::optional<Entry> entry;
  uint32_t link = 0;
};

[[noreturn]] void refuse(uint32_t at, const std::string& why) {
  throw Refusal("image block at " + hex(at) + ": " + why);
}

uint32_t word_of_block(Memory& memory, uint32_t block, uint32_t at) {
  if (memory.at(at, 4) == nullptr) refuse(block, "runs out of memory");
  return memory.word(at);
}

// `at` is the address of the start marker.
Definition read_block(Memory& memory, uint32_t at) {
  Definition found;
  uint32_t item_at = at + 4;
  for (;;) {
    if (item_at - at > kMaxBlockBytes) refuse(at, "no last item within 384 bytes");
    const uint32_t head = word_of_block(memory, at, item_at);
    const uint32_t type = head & 0xFF;
    const uint32_t words = type & 0x80 ? (head >> 8) & 0xFFFF : (head >> 8) & 0xFF;
    if (type == kLast) {
      if (words != (item_at - at) / 4 - 1)
        refuse(at, "its last item counts " + std::to_string(words) + " words, there are " +
                       std::to_string((item_at - at) / 4 - 1));
      break;
    }
    if (words == 0) refuse(at, "an item of no words at " + hex(item_at));
    const auto argument = [&](uint32_t i) { return word_of_block(memory, at, item_at + 4 * i); };
    if (type == kImageType) found.image_type = head >> 16;
    if (type == kVectorTable && words == 2) found.vector_table = argument(1);
    if (type == kLoadMap) refuse(at, "has a load map, which the simulator does not know");
    if (type == kEntryPoint && (words == 3 || words == 4))
      found.entry = Entry{0, argument(1), argument(2), words == 4 ? argument(3) : 0};
    item_at += 4 * words;
  }
  found.link = word_of_block(memory, at, item_at + 4);
  if (word_of_block(memory, at, item_at + 8) != kBlockEnd) refuse(at, "its end marker is missing");
  return found;
}

void judge_image_type(uint32_t at, uint32_t type) {
  if ((type & 0xF) != 1) refuse(at, "is not of an executable image");
  if (((type >> 8) & 7) != 0) refuse(at, "is of an image for RISC-V");
  if (((type >> 12) & 7) != 1) refuse(at, "is not of an image for the RP2350");
  if (((type >> 4) & 3) != 2) refuse(at, "is not of a Secure image");
}

uint32_t find_first_block(const Uf2Image& image, Memory& memory) {
  const uint32_t from = image.in_ram ? image.lowest_address : kFlashBase;
  const uint32_t bytes = image.in_ram ? kSramBase + kSramBytes - from : kSearchBytes;
  for (uint32_t at = from; at < from + bytes; at += 4) {
    if (memory.word(at) == kBlockStart) return at;
  }
  throw Refusal("no image definition (a block that starts with 0xffffded3) " +
                std::string(image.in_ram ? "in the image" : "in the first 4096 bytes of flash") +
                ": the boot ROM would not start it");
}

}  // namespace

void load_image(const Uf2Image& image, Memory& memory) {
  for (const Uf2Page& page : image.pages) std::memcpy(memory.at(page.address, 256), page.bytes.data(), 256);
}

Entry find_entry(const Uf2Image& image, Memory& memory) {
  const uint32_t first = find_first_block(image, memory);
  std::optional<Definition> definition;
  uint32_t at = first;
  for (int blocks = 0;; ++blocks) {
    if (blocks == 64) refuse(first, "its chain of blocks does not lead back to it");
    if (memory.at(at, 4) == nullptr || memory.word(at) != kBlockStart)
      refuse(first, "its chain of blocks leads to " + hex(at) + ", where there is none");
    const Definition block = read_block(memory, at);
    if (block.image_type) {
      judge_image_type(at, *block.image_type);
      definition = block;
    }
    at += block.link;
    if (block.link == 0 || at == first) break;
  }
  if (!definition) refuse(first, "no block says what the image is");

  Entry entry = definition->entry.value_or(Entry{});
  entry.vector_table = definition->vector_table.value_or(image.in_ram ? image.lowest_address : kFlashBase);
  if (entry.vector_table % 128 != 0 || memory.at(entry.vector_table, 8) == nullptr)
    refuse(first, "vector table at " + hex(entry.vector_table) + ", which is no multiple of 128 in memory");
  if (!definition->entry) {
    entry.sp = memory.word(entry.vector_table);
    entry.pc = memory.word(entry.vector_table + 4);
  }
  if ((entry.pc & 1) == 0 || memory.at(entry.pc & ~1u, 2) == nullptr)
    refuse(first, "starts at " + hex(entry.pc) + ", which is no Thumb code in memory");
  if (entry.sp % 4 != 0 || entry.sp == kSramBase || !memory.in_sram(entry.sp - 4, 4))
    refuse(first, "starts with the stack pointer " + hex(entry.sp) + ", which is not in SRAM");
  return entry;
}

}  // namespace wick::sim
