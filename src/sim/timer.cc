// See timer.h.
#include "sim/timer.h"

#include <algorithm>
#include <cmath>

namespace wick::sim {

std::span<const RegisterName> Ticks::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x00, "PROC0_CTRL"},    {0x04, "PROC0_CYCLES"},    {0x08, "PROC0_COUNT"},    {0x0C, "PROC1_CTRL"},
      {0x10, "PROC1_CYCLES"},  {0x14, "PROC1_COUNT"},     {0x18, "TIMER0_CTRL"},    {0x1C, "TIMER0_CYCLES"},
      {0x20, "TIMER0_COUNT"},  {0x24, "TIMER1_CTRL"},     {0x28, "TIMER1_CYCLES"},  {0x2C, "TIMER1_COUNT"},
      {0x30, "WATCHDOG_CTRL"}, {0x34, "WATCHDOG_CYCLES"}, {0x38, "WATCHDOG_COUNT"}, {0x3C, "RISCV_CTRL"}};
  return kNames;
}

bool Ticks::read(const Access&, uint32_t offset, uint32_t& value) {
  const uint32_t index = offset / 12;
  if (index >= kSources || offset % 12 == 8) return false;
  value = offset % 12 == 0 ? (sources_[index].enabled ? 3 : 0) : sources_[index].cycles;
  return true;
}

bool Ticks::write(const Access&, uint32_t offset, const Write& write) {
  const uint32_t index = offset / 12;
  if (index >= kSources || offset % 12 == 8) return false;
  if (offset % 12 == 0) {
    sources_[index].enabled = write.value & 1;
  } else {
    sources_[index].cycles = write.value & 0x1FF;
  }
  if (on_change) on_change();
  return true;
}

double Ticks::hz(Source source) const {
  const auto& s = sources_[source];
  return s.enabled && s.cycles > 0 ? static_cast<double>(clocks_.ref_hz()) / s.cycles : 0;
}

std::span<const RegisterName> Timer::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x00, "TIMEHW"},   {0x04, "TIMELW"},   {0x08, "TIMEHR"}, {0x0C, "TIMELR"}, {0x10, "ALARM0"},
      {0x14, "ALARM1"},   {0x18, "ALARM2"},   {0x1C, "ALARM3"}, {0x20, "ARMED"},  {0x24, "TIMERAWH"},
      {0x28, "TIMERAWL"}, {0x2C, "DBGPAUSE"}, {0x30, "PAUSE"},  {0x34, "LOCKED"}, {0x38, "SOURCE"},
      {0x3C, "INTR"},     {0x40, "INTE"},     {0x44, "INTF"},   {0x48, "INTS"}};
  return kNames;
}

double Timer::hz() const {
  if (pause_ & 1) return 0;
  return from_sys_ & 1 ? static_cast<double>(clocks_.sys_hz()) : ticks_.hz(source_);
}

uint64_t Timer::count() const {
  const double elapsed = static_cast<double>(chip_.time_ps() - base_ps_) * 1e-12;
  return static_cast<uint64_t>(base_count_ + elapsed * rate_);
}

void Timer::settle() {
  const uint64_t now = chip_.time_ps();
  base_count_ += static_cast<double>(now - base_ps_) * 1e-12 * rate_;
  base_ps_ = now;
  rate_ = hz();
  chip_.reschedule();
}

void Timer::set_count(uint64_t count) {
  settle();
  base_count_ = static_cast<double>(count);
}

void Timer::reset() {
  settle();
  base_count_ = 0;
  armed_ = raised_ = enabled_ = forced_ = pause_ = from_sys_ = 0;
  debug_pause_ = 7;
  settle();
  update_interrupts();
}

void Timer::update_interrupts() {
  for (unsigned i = 0; i < 4; ++i) chip_.set_interrupt(first_interrupt_ + i, ((raised_ & enabled_) | forced_) >> i & 1);
}

bool Timer::read(const Access&, uint32_t offset, uint32_t& value) {
  if ((offset == 0x28 || offset == 0xC) && rate_ == 0)
    chip_.warn(std::string(name()) + " is read but does not count: its tick is not enabled (TICKS), or it is paused");
  const uint64_t now = count();
  switch (offset) {
    case 0x08:
      value = latched_high_;
      return true;
    case 0x0C:
      latched_high_ = static_cast<uint32_t>(now >> 32);
      value = static_cast<uint32_t>(now);
      return true;
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1C:
      value = alarms_[(offset - 0x10) / 4];
      return true;
    case 0x20:
      value = armed_;
      return true;
    case 0x24:
      value = static_cast<uint32_t>(now >> 32);
      return true;
    case 0x28:
      value = static_cast<uint32_t>(now);
      return true;
    case 0x2C:
      value = debug_pause_;
      return true;
    case 0x30:
      value = pause_;
      return true;
    case 0x38:
      value = from_sys_;
      return true;
    case 0x3C:
      value = raised_;
      return true;
    case 0x40:
      value = enabled_;
      return true;
    case 0x44:
      value = forced_;
      return true;
    case 0x48:
      value = (raised_ & enabled_) | forced_;
      return true;
    default:
      return false;
  }
}

bool Timer::write(const Access&, uint32_t offset, const Write& write) {
  switch (offset) {
    case 0x00:
      set_count(uint64_t{write.value} << 32 | write_low_);
      return true;
    case 0x04:
      write_low_ = write.value;
      return true;
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1C:
      alarms_[(offset - 0x10) / 4] = write.value;
      armed_ |= 1u << ((offset - 0x10) / 4);
      break;
    case 0x20:
      armed_ &= ~write.raw;
      break;
    case 0x2C:
      debug_pause_ = write.value;
      return true;
    case 0x30:
      pause_ = write.value & 1;
      settle();
      return true;
    case 0x38:
      from_sys_ = write.value & 1;
      settle();
      return true;
    case 0x3C:
      raised_ &= ~write.raw;
      break;
    case 0x40:
      enabled_ = write.value & 0xF;
      break;
    case 0x44:
      forced_ = write.value & 0xF;
      break;
    default:
      return false;
  }
  update_interrupts();
  chip_.reschedule();
  return true;
}

uint64_t Timer::next_event_ps() const {
  if (armed_ == 0 || rate_ == 0) return kNever;
  const double now = base_count_ + static_cast<double>(chip_.time_ps() - base_ps_) * 1e-12 * rate_;
  double next = INFINITY;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(armed_ >> i & 1)) continue;
    // The alarm compares the low word: one that has just gone by is due in a whole round.
    const uint32_t ahead = alarms_[i] - static_cast<uint32_t>(static_cast<uint64_t>(now));
    next = std::min(next, std::floor(now) + ahead);
  }
  return base_ps_ + static_cast<uint64_t>(std::ceil((next - base_count_) / rate_ * 1e12)) + 1;
}

void Timer::advance(uint64_t) {
  if (armed_ == 0 || rate_ == 0) return;
  const uint32_t now = static_cast<uint32_t>(count());
  for (unsigned i = 0; i < 4; ++i) {
    // A little late is on time: events are handled between instructions.
    if ((armed_ >> i & 1) && now - alarms_[i] < 1000) {
      armed_ &= ~(1u << i);
      raised_ |= 1u << i;
    }
  }
  update_interrupts();
}

}  // namespace wick::sim
