// See mpu.h.
#include "sim/mpu.h"

#include <algorithm>

namespace wick::sim {

void Mpu::rebuild() {
  ranges_.clear();
  overlaps_ = any_no_execute_ = false;
  protected_first_ = ~0u;
  protected_last_ = 0;
  for (uint32_t i = 0; i < kRegions; ++i) {
    if (!(limit_[i] & 1)) continue;
    const Range range = {base_[i] & ~31u, limit_[i] | 31u, (base_[i] & 4) == 0, (base_[i] & 1) == 0};
    for (const Range& other : ranges_)
      overlaps_ = overlaps_ || (range.first <= other.last && other.first <= range.last);
    any_no_execute_ = any_no_execute_ || !range.executable;
    if (!range.writable) {
      protected_first_ = std::min(protected_first_, range.first);
      protected_last_ = std::max(protected_last_, range.last);
    }
    ranges_.push_back(range);
  }
}

bool Mpu::allows_at(Use use, uint32_t address) const {
  const Range* hit = nullptr;
  for (const Range& range : ranges_) {
    if (address < range.first || address > range.last) continue;
    if (hit != nullptr) return false;  // regions must not overlap
    hit = &range;
  }
  if (address >= 0xE0000000) return true;  // the private bus is never judged
  if (hit == nullptr) {
    if (!(control_ & 4)) return false;
    return use != Use::kExecute || address < 0x40000000 || (address >= 0x60000000 && address < 0xA0000000);
  }
  return use == Use::kRead || (use == Use::kWrite ? hit->writable : hit->executable);
}

bool Mpu::allows(Use use, uint32_t address, uint32_t bytes) const {
  // Most of what is asked: with the background map on, reading is free, and so is executing what no region forbids.
  if ((control_ & 4) && !overlaps_) {
    if (use == Use::kRead) return true;
    if (use == Use::kWrite && (address + bytes <= protected_first_ || address > protected_last_)) return true;
    if (use == Use::kExecute && !any_no_execute_ && address < 0x40000000) return true;
  }
  return allows_at(use, address) && (bytes <= 1 || allows_at(use, address + bytes - 1));
}

bool Mpu::read(uint32_t offset, uint32_t& value) const {
  if (offset == 0xD90) value = kRegions << 8;
  if (offset == 0xD94) value = control_;
  if (offset == 0xD98) value = number_;
  // Aliases 1 to 3 are the other regions of the same group of four.
  if (offset >= 0xD9C && offset <= 0xDB8) {
    const uint32_t alias = (offset - 0xD9C) / 8;
    const uint32_t region = alias == 0 ? number_ : (number_ & ~3u) + alias;
    value = (offset - 0xD9C) % 8 == 0 ? base_[region] : limit_[region];
  }
  if (offset == 0xDC0 || offset == 0xDC4) value = attributes_[(offset - 0xDC0) / 4];
  return offset >= 0xD90 && offset <= 0xDC4 && offset != 0xDBC;
}

bool Mpu::write(uint32_t offset, uint32_t value) {
  if (offset == 0xD94) {
    control_ = value & 7;
  } else if (offset == 0xD98) {
    number_ = value & (kRegions - 1);
  } else if (offset >= 0xD9C && offset <= 0xDB8) {
    const uint32_t alias = (offset - 0xD9C) / 8;
    const uint32_t region = alias == 0 ? number_ : (number_ & ~3u) + alias;
    ((offset - 0xD9C) % 8 == 0 ? base_ : limit_)[region] = value;
    rebuild();
  } else if (offset == 0xDC0 || offset == 0xDC4) {
    attributes_[(offset - 0xDC0) / 4] = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace wick::sim
