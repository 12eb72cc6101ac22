// The memory protection unit of one core (PMSAv8). Knows regions and what they forbid to privileged code; refuses to
// know who asks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wick::sim {

class Mpu {
 public:
  enum class Use { kRead, kWrite, kExecute };
  void reset() { *this = Mpu(); }

  bool on() const { return control_ & 1; }
  // At HardFault priority and above the unit is asked only with HFNMIENA.
  bool on_in_hard_fault() const { return (control_ & 3) == 3; }
  // `bytes` from `address` on.
  bool allows(Use use, uint32_t address, uint32_t bytes) const;

  // By offset in the system control space; false: not one of the MPU's.
  bool read(uint32_t offset, uint32_t& value) const;
  bool write(uint32_t offset, uint32_t value);

 private:
  struct Range {
    uint32_t first, last;
    bool writable, executable;
  };
  bool allows_at(Use use, uint32_t address) const;
  void rebuild();
  static constexpr uint32_t kRegions = 8;
  uint32_t control_ = 0, number_ = 0, attributes_[2] = {};
  std::array<uint32_t, kRegions> base_{}, limit_{};
  std::vector<Range> ranges_;
  bool overlaps_ = false, any_no_execute_ = false;
  uint32_t protected_first_ = ~0u, protected_last_ = 0;  // what cannot be written lies within
};

}  // namespace wick::sim
