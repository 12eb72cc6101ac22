// See uf2.h. Block numbers have to run in order: the chip itself also takes them shuffled, but a file in disorder is a
// mistake of whoever wrote it.
#include "sim/uf2.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "sim/memory.h"
#include "sim/refusal.h"

namespace wick::sim {
namespace {

constexpr size_t kBlockBytes = 512;
constexpr uint32_t kMagic0 = 0x0A324655, kMagic1 = 0x9E5D5157, kMagicEnd = 0x0AB16F30;
constexpr uint32_t kNotMainFlash = 1, kFamilyPresent = 0x2000;
constexpr uint32_t kArmSecure = 0xE48BFF59;
constexpr uint32_t kAbsolute = 0xE48BFF57;
constexpr uint32_t kErrataTarget = 0x10FFFF00;  // the leading block that works around a fault of the first chips

struct Block {
  uint32_t magic0, magic1, flags, target, bytes, number, count, family;
};

const char* family_name(uint32_t family) {
  switch (family) {
    case 0xE48BFF56:
      return " (RP2040)";
    case kAbsolute:
      return " (absolute)";
    case 0xE48BFF58:
      return " (data)";
    case 0xE48BFF5A:
      return " (RP2350, RISC-V)";
    case 0xE48BFF5B:
      return " (RP2350, Arm Non-secure)";
    default:
      return "";
  }
}

class Parser {
 public:
  explicit Parser(const std::vector<uint8_t>& file) : file_(file) {}

  Uf2Image run() {
    if (file_.empty() || file_.size() % kBlockBytes != 0)
      throw Refusal("is not a UF2: " + std::to_string(file_.size()) + " bytes are not a number of 512-byte blocks");
    for (at_ = 0; at_ < file_.size() / kBlockBytes; ++at_) take();
    if (image_.pages.empty()) throw Refusal("no block of it is for the RP2350's flash or RAM");
    if (image_.pages.size() != count_)
      refuse("the file ends here, but " + std::to_string(count_) + " blocks are announced and " +
             std::to_string(image_.pages.size()) + " are there");
    image_.lowest_address =
        std::min_element(image_.pages.begin(), image_.pages.end(), [](const Uf2Page& a, const Uf2Page& b) {
          return a.address < b.address;
        })->address;
    return std::move(image_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Refusal("UF2 block " + std::to_string(at_) + ": " + why);
  }

  void take() {
    const uint8_t* raw = file_.data() + at_ * kBlockBytes;
    Block b;
    std::memcpy(&b, raw, sizeof(b));
    uint32_t end;
    std::memcpy(&end, raw + kBlockBytes - 4, 4);
    if (b.magic0 != kMagic0 || b.magic1 != kMagic1 || end != kMagicEnd) refuse("wrong magic numbers: not a UF2 block");
    if (b.flags & kNotMainFlash) return;
    if (!(b.flags & kFamilyPresent)) refuse("names no family; the RP2350 takes " + hex(kArmSecure));
    if (b.family == kAbsolute && b.target == kErrataTarget && image_.pages.empty()) return;
    if (b.family != kArmSecure)
      refuse("family " + hex(b.family) + family_name(b.family) + ", the RP2350 as Arm Secure takes " + hex(kArmSecure));
    if (b.bytes != 256) refuse("carries " + std::to_string(b.bytes) + " bytes, must be 256");
    judge_number(b);
    judge_target(b);
    Uf2Page& page = image_.pages.emplace_back();
    page.address = b.target;
    std::memcpy(page.bytes.data(), raw + sizeof(b), page.bytes.size());
  }

  void judge_number(const Block& b) {
    if (image_.pages.empty()) count_ = b.count;
    if (b.count != count_)
      refuse("announces " + std::to_string(b.count) + " blocks, those before it " + std::to_string(count_));
    if (b.number != image_.pages.size())
      refuse("has number " + std::to_string(b.number) + " where " + std::to_string(image_.pages.size()) +
             " is due: block numbers must run from 0 in order");
    if (b.number >= b.count) refuse("number " + std::to_string(b.number) + " of only " + std::to_string(b.count));
  }

  void judge_target(const Block& b) {
    const bool ram = b.target - kSramBase <= kSramBytes - 256 && b.target >= kSramBase;
    const bool flash = b.target >= kFlashBase && b.target - kFlashBase <= kFlashBytes - 256;
    if (!ram && !flash) refuse("target " + hex(b.target) + " is neither in 4 MB of flash nor in 520 KB of SRAM");
    if (b.target % 256 != 0) refuse("target " + hex(b.target) + " is not a multiple of 256");
    if (image_.pages.empty()) image_.in_ram = ram;
    if (ram != image_.in_ram) refuse("target " + hex(b.target) + ": flash and SRAM in one file");
    if (!targets_.insert(b.target).second) refuse("target " + hex(b.target) + " is written twice");
  }

  const std::vector<uint8_t>& file_;
  size_t at_ = 0;
  uint32_t count_ = 0;
  std::set<uint32_t> targets_;
  Uf2Image image_;
};

}  // namespace

Uf2Image parse_uf2(const std::vector<uint8_t>& file) { return Parser(file).run(); }

}  // namespace wick::sim
