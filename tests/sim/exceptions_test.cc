// Who goes first: the architecture's rules of pending, enabled and active exceptions.
#include "sim/exceptions.h"

#include <doctest.h>

namespace wick::sim {
namespace {

constexpr uint32_t kEnable = 0x100, kPriorities = 0x400, kSystemPriorities = 0xD18, kSystemHandlers = 0xD24,
                   kInterruptControl = 0xD0C, kClearPending = 0x280;

unsigned interrupt(unsigned n) { return kFirstInterrupt + n; }

struct Fixture {
  Exceptions e;
  Fixture() { e.write(kEnable, 0xFFFFFFFF, 4, 0); }
  void set_priority(unsigned n, uint8_t priority) { e.write(kPriorities + (n & ~3u), priority, 1, n & 3); }
};

TEST_CASE("Exceptions take the most urgent first, and among equals the lowest number") {
  Fixture f;
  f.set_priority(5, 0x40);
  f.set_priority(6, 0x20);
  f.set_priority(7, 0x20);
  for (unsigned n : {5u, 7u, 6u}) f.e.set_line(n, true);
  CHECK(f.e.next({}) == interrupt(6));
  f.e.enter(interrupt(6));
  CHECK(f.e.next({}) == kNoException);  // as urgent does not preempt
  f.e.set_line(6, false);
  f.e.leave(interrupt(6));
  CHECK(f.e.next({}) == interrupt(7));
}

TEST_CASE("Exceptions are held back by masks") {
  Fixture f;
  f.set_priority(3, 0x40);
  f.e.set_line(3, true);
  CHECK(f.e.next({.basepri = 0x40}) == kNoException);
  CHECK(f.e.next({.basepri = 0x50}) == interrupt(3));
  CHECK(f.e.next({.primask = true}) == kNoException);
  CHECK(f.e.any_pending());
  f.e.pend(kNmi);
  CHECK(f.e.next({.primask = true, .faultmask = true}) == kNmi);
}

TEST_CASE("Exceptions of a level come again while it stays, and a clear does not help") {
  Fixture f;
  f.e.set_line(1, true);
  f.e.write(kClearPending, 2, 4, 0);
  CHECK(f.e.next({}) == interrupt(1));
  f.e.enter(interrupt(1));
  f.e.leave(interrupt(1));
  CHECK(f.e.next({}) == interrupt(1));
  f.e.enter(interrupt(1));
  f.e.set_line(1, false);
  f.e.leave(interrupt(1));
  CHECK(f.e.next({}) == kNoException);
}

TEST_CASE("Exceptions in one priority group do not preempt each other") {
  Fixture f;
  f.set_priority(1, 0x40);
  f.set_priority(2, 0x60);
  f.e.set_line(2, true);
  f.e.enter(interrupt(2));
  f.e.set_line(1, true);
  CHECK(f.e.next({}) == interrupt(1));
  f.e.write(kInterruptControl, 0x05FA0000 | 6 << 8, 4, 0);  // one bit of groups
  CHECK(f.e.next({}) == kNoException);
}

TEST_CASE("Exceptions that are faults are taken when enabled, else a HardFault is") {
  Fixture f;
  CHECK(!f.e.fault_enabled(kUsageFault));
  f.e.write(kSystemHandlers, 1u << 18, 4, 0);
  CHECK(f.e.fault_enabled(kUsageFault));
  CHECK(f.e.can_take(kUsageFault, {}));
  f.e.write(kSystemPriorities, 0x80 << 16, 4, 0);
  f.set_priority(0, 0x40);
  f.e.set_line(0, true);
  f.e.enter(interrupt(0));
  CHECK(!f.e.can_take(kUsageFault, {}));
  CHECK(f.e.can_take(kHardFault, {}));
  f.e.enter(kHardFault);
  CHECK(!f.e.can_take(kHardFault, {}));
}

}  // namespace
}  // namespace wick::sim
