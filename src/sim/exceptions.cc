// See exceptions.h.
#include "sim/exceptions.h"

#include <algorithm>

namespace wick::sim {
namespace {

constexpr uint8_t kPriorityBits = 0xF0;

}  // namespace

void Exceptions::reset() {
  pending_ = {};
  pending_count_ = 0;
  active_ = {};
  priority_ = {};
  enabled_ = {};
  line_ = {};
  fault_enables_ = 0;
  group_bits_ = 0;
}

void Exceptions::set_line(unsigned interrupt, bool raised) {
  if (raised && !line_[interrupt] && !active_[kFirstInterrupt + interrupt])
    set_pending(kFirstInterrupt + interrupt, true);
  line_[interrupt] = raised;
}

int Exceptions::priority(unsigned exception) const {
  if (exception == kNmi) return -2;
  if (exception == kHardFault) return -1;
  return priority_[exception];
}

bool Exceptions::fault_enabled(unsigned exception) const {
  return exception >= kMemManage && exception <= kUsageFault && (fault_enables_ >> (16 + exception - kMemManage) & 1);
}

bool Exceptions::enabled(unsigned exception) const {
  if (exception >= kFirstInterrupt) return enabled_[exception - kFirstInterrupt];
  if (exception >= kMemManage && exception <= kUsageFault) return fault_enabled(exception);
  return true;
}

bool Exceptions::any_pending() const {
  if (pending_count_ == 0) return false;
  for (unsigned e = kNmi; e < kExceptions; ++e) {
    if (pending_[e] && enabled(e)) return true;
  }
  return false;
}

int Exceptions::execution_priority(const Masks& masks) const {
  int now = kThreadPriority;
  for (unsigned e = kNmi; e < kExceptions; ++e) {
    if (active_[e]) now = std::min(now, priority(e));
  }
  if (masks.basepri != 0) now = std::min(now, static_cast<int>(masks.basepri & kPriorityBits));
  if (masks.primask) now = std::min(now, 0);
  if (masks.faultmask) now = std::min(now, -1);
  return now;
}

bool Exceptions::can_take(unsigned exception, const Masks& masks) const {
  // The low bits of a priority order what is pending, but do not preempt.
  const auto group = [this](int p) { return p < 0 ? p : p & ~((2 << group_bits_) - 1); };
  const int now = execution_priority(masks);
  return now == kThreadPriority || group(priority(exception)) < group(now);
}

unsigned Exceptions::next(const Masks& masks) const {
  if (pending_count_ == 0) return kNoException;
  unsigned best = kNoException;
  for (unsigned e = kNmi; e < kExceptions; ++e) {
    if (pending_[e] && enabled(e) && (best == kNoException || priority(e) < priority(best))) best = e;
  }
  return best != kNoException && can_take(best, masks) ? best : kNoException;
}

void Exceptions::enter(unsigned exception) {
  unpend(exception);
  active_[exception] = true;
}

void Exceptions::leave(unsigned exception) {
  active_[exception] = false;
  if (exception >= kFirstInterrupt && line_[exception - kFirstInterrupt]) pend(exception);
}

bool Exceptions::read(uint32_t offset, uint32_t& value) const {
  const auto bits = [&](uint32_t base, auto&& test) {
    value = 0;
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned interrupt = (offset - base) * 8 + i;
      if (interrupt < kInterrupts && test(interrupt)) value |= 1u << i;
    }
    return true;
  };
  const auto pending = [this](unsigned i) { return pending_[kFirstInterrupt + i]; };
  if (offset >= 0x100 && offset < 0x140) return bits(0x100, [this](unsigned i) { return enabled_[i]; });
  if (offset >= 0x180 && offset < 0x1C0) return bits(0x180, [this](unsigned i) { return enabled_[i]; });
  if (offset >= 0x200 && offset < 0x240) return bits(0x200, pending);
  if (offset >= 0x280 && offset < 0x2C0) return bits(0x280, pending);
  if (offset >= 0x300 && offset < 0x340)
    return bits(0x300, [this](unsigned i) { return active_[kFirstInterrupt + i]; });
  const bool interrupts = offset >= 0x400 && offset < 0x400 + kInterrupts;
  if (interrupts || (offset >= 0xD18 && offset <= 0xD20)) {
    const unsigned first = interrupts ? kFirstInterrupt + offset - 0x400 : kMemManage + offset - 0xD18;
    value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= static_cast<uint32_t>(priority_[first + i]) << (8 * i);
    return true;
  }
  if (offset == 0xD04) {  // ICSR: what is pending; VECTACTIVE is added by who knows it
    value = (pending_[kPendSv] ? 1u << 28 : 0) | (pending_[kSysTick] ? 1u << 26 : 0);
    for (unsigned e = kExceptions; e-- > kNmi;) {
      if (pending_[e]) value = (value & ~0x1FF000u) | e << 12 | (e >= kFirstInterrupt ? 1u << 22 : 0);
    }
    return true;
  }
  if (offset == 0xD24) {
    value = fault_enables_ | (active_[kMemManage] ? 1 : 0) | (active_[kBusFault] ? 2 : 0) |
            (active_[kHardFault] ? 4 : 0) | (active_[kUsageFault] ? 8 : 0) | (active_[kSvCall] ? 0x80 : 0) |
            (active_[kPendSv] ? 0x400 : 0) | (active_[kSysTick] ? 0x800 : 0);
    return true;
  }
  if (offset == 0xD0C) value = 0xFA050000 | group_bits_ << 8;
  return offset == 0xD0C;
}

bool Exceptions::write(uint32_t offset, uint32_t value, uint32_t bytes, uint32_t lane) {
  const auto each = [&](uint32_t base, auto&& act) {
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned interrupt = (offset - base) * 8 + i;
      if (interrupt < kInterrupts && (value >> i & 1)) act(interrupt);
    }
    return true;
  };
  const bool interrupts = offset >= 0x400 && offset < 0x400 + kInterrupts;
  if (interrupts || (offset >= 0xD18 && offset <= 0xD20)) {
    const unsigned first = interrupts ? kFirstInterrupt + offset - 0x400 : kMemManage + offset - 0xD18;
    for (unsigned i = 0; i < bytes; ++i) priority_[first + lane + i] = (value >> (8 * i)) & kPriorityBits;
    return true;
  }
  if (bytes != 4) return false;
  if (offset >= 0x100 && offset < 0x140) return each(0x100, [this](unsigned i) { enabled_[i] = true; });
  if (offset >= 0x180 && offset < 0x1C0) return each(0x180, [this](unsigned i) { enabled_[i] = false; });
  if (offset >= 0x200 && offset < 0x240) return each(0x200, [this](unsigned i) { pend(kFirstInterrupt + i); });
  if (offset >= 0x280 && offset < 0x2C0) {
    // A level that is still there stays pending.
    return each(0x280,
                [this](unsigned i) { set_pending(kFirstInterrupt + i, line_[i] && !active_[kFirstInterrupt + i]); });
  }
  if (offset == 0xD04) {
    if (value & 1u << 31) pend(kNmi);
    if (value & 1u << 28) pend(kPendSv);
    if (value & 1u << 27) unpend(kPendSv);
    if (value & 1u << 26) pend(kSysTick);
    if (value & 1u << 25) unpend(kSysTick);
    return true;
  }
  if (offset == 0xD24) {
    fault_enables_ = value & 0x70000;
    return true;
  }
  if (offset == 0xD0C) {
    if (value >> 16 == 0x05FA) group_bits_ = value >> 8 & 7;
    return true;
  }
  return false;
}

}  // namespace wick::sim
