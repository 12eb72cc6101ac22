// Ticks and the 64-bit microsecond timer. Knows that a timer counts ticks, and a tick is so many cycles of clk_ref;
// refuses to know how time passes.
#pragma once

#include <cstdint>

#include "sim/bus.h"
#include "sim/clocks.h"

namespace wick::sim {

class Ticks final : public Block {
 public:
  Ticks(Chip& chip, const Clocks& clocks) : Block("TICKS"), chip_(chip), clocks_(clocks) {}
  enum Source { kProc0, kProc1, kTimer0, kTimer1, kWatchdog, kRiscv, kSources };
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  // Ticks per second: 0 while not running.
  double hz(Source source) const;
  std::function<void()> on_change;

 private:
  Chip& chip_;
  const Clocks& clocks_;
  struct {
    bool enabled = false;
    uint32_t cycles = 0;
  } sources_[kSources];
};

class Timer final : public Block {
 public:
  Timer(const char* name, Chip& chip, const Clocks& clocks, const Ticks& ticks, Ticks::Source source,
        unsigned first_interrupt)
      : Block(name), chip_(chip), clocks_(clocks), ticks_(ticks), source_(source), first_interrupt_(first_interrupt) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  void reset() override;
  uint64_t next_event_ps() const override;
  void advance(uint64_t time_ps) override;
  // The rate may have changed: what was counted until now stays counted.
  void settle();

 private:
  double hz() const;
  uint64_t count() const;
  void set_count(uint64_t count);
  void update_interrupts();
  Chip& chip_;
  const Clocks& clocks_;
  const Ticks& ticks_;
  Ticks::Source source_;
  unsigned first_interrupt_;
  uint64_t base_ps_ = 0;
  double base_count_ = 0, rate_ = 0;
  uint32_t latched_high_ = 0, write_low_ = 0;
  uint32_t alarms_[4] = {};
  uint32_t armed_ = 0, pause_ = 0, debug_pause_ = 7, from_sys_ = 0;
  uint32_t raised_ = 0, enabled_ = 0, forced_ = 0;
};

}  // namespace wick::sim
