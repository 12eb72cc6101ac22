// Exceptions of one core as state: what is pending, enabled and active, and with which priority; the registers of NVIC
// and of the System Control Block that hold it. Knows the architecture's rules of who goes first; refuses to know
// stacks and CPUs.
#pragma once

#include <array>
#include <cstdint>

namespace wick::sim {

enum Exception : unsigned {
  kNoException = 0,
  kNmi = 2,
  kHardFault = 3,
  kMemManage = 4,
  kBusFault = 5,
  kUsageFault = 6,
  kSvCall = 11,
  kPendSv = 14,
  kSysTick = 15,
  kFirstInterrupt = 16,
};
inline constexpr unsigned kInterrupts = 52;
inline constexpr unsigned kExceptions = kFirstInterrupt + kInterrupts;
inline constexpr int kThreadPriority = 256;

struct Masks {
  bool primask = false, faultmask = false;
  uint32_t basepri = 0;
};

class Exceptions {
 public:
  Exceptions() { reset(); }
  void reset();

  void set_line(unsigned interrupt, bool raised);
  void pend(unsigned exception) { set_pending(exception, true); }
  void unpend(unsigned exception) { set_pending(exception, false); }
  bool pending(unsigned exception) const { return pending_[exception]; }
  bool active(unsigned exception) const { return active_[exception]; }
  // One is waiting that is enabled, whatever the masks say: what wakes from WFI.
  bool any_pending() const;
  // The exception to take now, or kNoException.
  unsigned next(const Masks& masks) const;
  bool can_take(unsigned exception, const Masks& masks) const;
  int execution_priority(const Masks& masks) const;
  void enter(unsigned exception);
  void leave(unsigned exception);

  // Registers by their offset in the system control space (e000e000); false: not one of these.
  bool read(uint32_t offset, uint32_t& value) const;
  bool write(uint32_t offset, uint32_t value, uint32_t bytes, uint32_t lane);
  bool fault_enabled(unsigned exception) const;  // by SHCSR

 private:
  void set_pending(unsigned exception, bool pending) {
    pending_count_ += static_cast<int>(pending) - static_cast<int>(pending_[exception]);
    pending_[exception] = pending;
  }
  int priority(unsigned exception) const;
  bool enabled(unsigned exception) const;
  std::array<bool, kExceptions> pending_, active_;
  int pending_count_ = 0;
  std::array<uint8_t, kExceptions> priority_;
  std::array<bool, kInterrupts> enabled_, line_;
  uint32_t fault_enables_ = 0;  // SHCSR 18:16
  unsigned group_bits_ = 0;     // AIRCR PRIGROUP
};

}  // namespace wick::sim
