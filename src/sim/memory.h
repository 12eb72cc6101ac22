// The chip's memories as bytes of this process, shared by both cores: flash and SRAM. Knows the address map of
// what can be read and written plainly; refuses to know who does it and what it costs.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace wick::sim {

inline constexpr uint32_t kFlashBase = 0x10000000;
inline constexpr uint32_t kFlashUncachedBase = 0x14000000;
inline constexpr uint32_t kFlashBytes = 4 * 1024 * 1024;
inline constexpr uint32_t kSramBase = 0x20000000;
inline constexpr uint32_t kSramBytes = 520 * 1024;

class Memory {
 public:
  Memory() : flash_(kFlashBytes, 0xFF), sram_(kSramBytes), written_(kSramBytes / kPieceBytes) {}

  uint8_t* flash() { return flash_.data(); }
  uint8_t* sram() { return sram_.data(); }

  // Null when the bytes are not all in one of the memories.
  uint8_t* at(uint32_t address, uint32_t bytes = 1) {
    if (uint8_t* p = within(sram_, kSramBase, address, bytes)) return p;
    if (uint8_t* p = within(flash_, kFlashBase, address, bytes)) return p;
    return within(flash_, kFlashUncachedBase, address, bytes);
  }
  bool in_sram(uint32_t address, uint32_t bytes = 1) { return within(sram_, kSramBase, address, bytes) != nullptr; }

  // The caller has asked at() first.
  uint32_t word(uint32_t address) {
    uint32_t value = 0;
    if (const uint8_t* p = at(address, 4)) std::memcpy(&value, p, 4);
    return value;
  }
  bool store_word(uint32_t address, uint32_t value) {
    if (!in_sram(address, 4)) return false;
    std::memcpy(at(address, 4), &value, 4);
    return true;
  }

  // How much of SRAM the image has written to, in pieces of 64 bytes.
  void note_write(uint32_t address) {
    const uint32_t piece = (address - kSramBase) / kPieceBytes;
    if (piece < written_.size()) written_[piece] = 1;
  }
  uint32_t written_bytes() const {
    uint32_t pieces = 0;
    for (const uint8_t w : written_) pieces += w;
    return pieces * kPieceBytes;
  }

 private:
  static constexpr uint32_t kPieceBytes = 64;
  static uint8_t* within(std::vector<uint8_t>& bytes, uint32_t base, uint32_t address, uint32_t count) {
    const uint32_t offset = address - base;
    if (offset >= bytes.size() || count > bytes.size() - offset) return nullptr;
    return bytes.data() + offset;
  }
  std::vector<uint8_t> flash_, sram_, written_;
};

}  // namespace wick::sim
