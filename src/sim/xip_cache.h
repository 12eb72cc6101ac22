// The cache between the cores and the flash chip: which lines it holds and what a miss costs. Knows lines and serial
// clocks; refuses to know bytes: memory is memory. Replacement is taken to be least-recently-used.
#pragma once

#include <array>
#include <cstdint>

#include "sim/costs.h"

namespace wick::sim {

struct XipCounts {
  uint64_t hits = 0, misses = 0, sequential_misses = 0;
  uint64_t waited_cycles = 0;  // for the other core's read of the chip
};

class XipCache {
 public:
  // Cycles on top of a hit for the line that holds this flash address. Both cores share the cache and the chip behind
  // it: a miss waits while the other core's is being served.
  uint32_t access(uint32_t address, int core = 0, uint64_t cycle = 0) {
    const uint32_t line = address / costs::kCacheLineBytes;
    Set& set = sets_[line % kSets];
    for (uint32_t way = 0; way < costs::kCacheWays; ++way) {
      if (set.lines[way] != line) continue;
      set.oldest = 1 - way;
      ++counts_.hits;
      return 0;
    }
    set.lines[set.oldest] = line;
    set.oldest = 1 - set.oldest;
    const uint32_t wait = wait_for_other(core, cycle);
    const uint32_t cycles = miss(line);
    reads_[core][next_read_[core]++ % kReads] = {cycle + wait, cycle + wait + cycles};
    return wait + cycles;
  }
  // By the flash interface's registers: the timing's clock divider, and the format of a read.
  void set_timing(uint32_t timing, uint32_t format);
  uint32_t line_cycles() const { return line_cycles_; }
  uint32_t sequential_cycles() const { return sequential_cycles_; }
  const XipCounts& counts() const { return counts_; }

 private:
  static constexpr uint32_t kSets = costs::kCacheBytes / costs::kCacheWays / costs::kCacheLineBytes;
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  static_assert(costs::kCacheWays == 2);
  struct Set {
    uint32_t lines[costs::kCacheWays] = {kNone, kNone};
    uint32_t oldest = 0;
  };
  uint32_t miss(uint32_t line) {
    const bool follows = line == last_missed_ + 1;
    last_missed_ = line;
    ++(follows ? counts_.sequential_misses : counts_.misses);
    return follows ? sequential_cycles_ : line_cycles_;
  }
  // The other core may have run ahead: its last reads are remembered, not only the latest.
  uint32_t wait_for_other(int core, uint64_t cycle) {
    uint64_t at = cycle;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Read& read : reads_[1 - core]) {
        if (at < read.first || at >= read.end) continue;
        at = read.end;
        moved = true;
      }
    }
    counts_.waited_cycles += at - cycle;
    return static_cast<uint32_t>(at - cycle);
  }
  struct Read {
    uint64_t first = 0, end = 0;
  };
  static constexpr uint32_t kReads = 8;
  std::array<Read, kReads> reads_[2]{};
  uint32_t next_read_[2] = {};
  std::array<Set, kSets> sets_{};
  uint32_t last_missed_ = kNone - 1;
  uint32_t line_cycles_ = 0, sequential_cycles_ = 0;
  XipCounts counts_;
};

}  // namespace wick::sim
