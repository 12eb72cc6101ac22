// What a block of the chip may ask of the rest: the time, its interrupt line, and a way to end or remark on the run.
// Blocks know this and one another as far as hardware does; they refuse to know cores and how time passes.
#pragma once

#include <cstdint>
#include <string>

namespace wick::sim {

inline constexpr uint64_t kNever = ~uint64_t{0};
inline constexpr uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

enum class StopKind {
  kRunning,
  kIdle,        // nothing more happened, and nothing was on its way
  kTimeLimit,   // the caller's limit on simulated time
  kCaller,      // the caller asked for it
  kUnmodelled,  // the image did what the simulator has no answer for, or what would leave the chip undefined
  kFault,       // with break_on_fault: the fault that the core was about to take
  kLockup,      // a fault where no handler could run
  kProtocol,    // the image broke a rule of a bus outside the chip
};

class Chip {
 public:
  // Time of the instruction that is being executed, or of the event that is being handled.
  virtual uint64_t time_ps() const = 0;
  // Interrupt lines are levels.
  virtual void set_interrupt(unsigned line, bool raised) = 0;
  // The run ends at the next instruction; the first reason counts. The place is added by whoever knows it.
  virtual void stop(StopKind kind, const std::string& why) = 0;
  // Said once, however often it happens.
  virtual void warn(const std::string& what) = 0;
  // A block's next_event_ps() has changed.
  virtual void reschedule() = 0;

 protected:
  ~Chip() = default;
};

}  // namespace wick::sim
