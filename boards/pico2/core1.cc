// See core1.h. Both cores see the same SRAM without caches between, so a flag and a barrier are enough; events only
// save power.
#include "pico2/core1.h"

#include <cstdint>

#include "fault.h"
#include "pico2/registers.h"
#include "pico2/time.h"

extern "C" const uint32_t vectors[];

namespace wick::pico2 {
namespace {

constexpr uint32_t kFifoStatus = kSio + 0x50, kFifoWrite = kSio + 0x54, kFifoRead = kSio + 0x58;
constexpr uint32_t kFifoHasWord = 1, kFifoHasRoom = 2;

struct Mailbox {
  Work work;
  const void* what;
};
Mailbox mailbox;
volatile uint32_t given, done;  // counts of pieces
enum class State { kAsleep, kRunning, kAbsent } state;

alignas(32) uint32_t stack[2048];

void barrier() { __asm volatile("dmb" ::: "memory"); }

[[noreturn]] void serve_core1() {
  reg(0xE000ED88) |= 0xFu << 20;  // this core's own FPU
  reg(0xE000ED24) |= 7u << 16;    // and its own fault handlers
  __asm volatile("dsb\n isb\n msr msplim, %0" ::"r"(stack) : "memory");
  for (uint32_t seen = 0;;) {
    while (given == seen) __asm volatile("wfe");
    seen = given;
    barrier();
    mailbox.work(mailbox.what);
    barrier();
    done = seen;
    __asm volatile("sev");
  }
}

// The boot ROM on the other core echoes each word; a wrong echo starts the sequence again.
bool launch() {
  const uint32_t words[] = {0,
                            0,
                            1,
                            reinterpret_cast<uintptr_t>(vectors),
                            reinterpret_cast<uintptr_t>(stack + sizeof(stack) / sizeof(*stack)),
                            reinterpret_cast<uintptr_t>(serve_core1)};
  constexpr uint32_t kPatienceMicroseconds = 100'000;
  const uint32_t start = microseconds();
  for (uint32_t i = 0; i < 6;) {
    if (words[i] == 0) {
      while ((reg(kFifoStatus) & kFifoHasWord) != 0) [[maybe_unused]] const uint32_t dropped = reg(kFifoRead);
      __asm volatile("sev");
    }
    while ((reg(kFifoStatus) & kFifoHasRoom) == 0) {
    }
    reg(kFifoWrite) = words[i];
    __asm volatile("sev");
    while ((reg(kFifoStatus) & kFifoHasWord) == 0) {
      if (microseconds() - start > kPatienceMicroseconds) return false;
    }
    i = reg(kFifoRead) == words[i] ? i + 1 : 0;
  }
  return true;
}

}  // namespace

void run_on_both_cores(Work work, const void* a, const void* b) {
  if (state == State::kAsleep) state = launch() ? State::kRunning : State::kAbsent;
  if (state == State::kAbsent) {
    work(a);
    work(b);
    return;
  }
  mailbox = {work, b};
  barrier();
  given = given + 1;
  __asm volatile("sev");
  work(a);
  while (done != given) __asm volatile("wfe");
  barrier();
}

}  // namespace wick::pico2
