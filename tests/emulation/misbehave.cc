// An image in place of the runner that does what the first byte of its "program" says, to see what the host makes of
// it: faults, loops, locks up, ends early, or executes a known number of instructions.
#include <cstring>

#include "platform.h"
#include "ticks.h"

namespace {

using namespace wick;
using protocol::Kind;

void send(Kind kind, const void* payload, uint32_t bytes) {
  const protocol::Header header = {kind, bytes};
  platform::write(&header, sizeof(header));
  platform::write(payload, bytes);
}

void store_where_nothing_is() { *reinterpret_cast<volatile uint32_t*>(0xE8000000u) = 1; }

// Without vectors no fault can be handled: the core locks up.
void lock_up() {
  *reinterpret_cast<volatile uint32_t*>(0xE000ED08u) = 0xE8000000u;  // VTOR
  __asm volatile("dsb\n isb" ::: "memory");
  store_where_nothing_is();
}

// Two instructions each time.
protocol::Cost count_down(uint32_t times) {
  protocol::Cost cost = {};
  platform::start_ticks(&cost.start);
  __asm volatile(".syntax unified\n1: subs %0, %0, #1\n bne 1b" : "+l"(times)::"cc");
  platform::stop_ticks(&cost.stop);
  return cost;
}

}  // namespace

int main(int, char**) {
  if (!platform::open_link()) return 1;
  const protocol::HelloReply hello = platform::hello();
  send(Kind::kHello, &hello, sizeof(hello));
  protocol::Header header = {};
  uint8_t program[8] = {};
  if (!platform::read(&header, sizeof(header)) || header.bytes != sizeof(program) ||
      !platform::read(program, sizeof(program)))
    return 1;
  send(Kind::kActivity, "misbehaving", 11);
  uint32_t times = 0;
  std::memcpy(&times, program + 4, sizeof(times));
  switch (program[0]) {
    case 'f':
      store_where_nothing_is();
      break;
    case 'l':
      for (;;) __asm volatile("");
    case 'k':
      lock_up();
      break;
    case 's':
      return 3;
    case 'c': {
      const protocol::Cost cost = count_down(times);
      send(Kind::kLoaded, &cost, sizeof(cost));
      send(Kind::kBye, nullptr, 0);
      break;
    }
    case 'v': {
      const protocol::HelloReply other = {protocol::kVersion + 1, hello.ticks, 0};
      send(Kind::kHello, &other, sizeof(other));
      break;
    }
    default:
      break;  // ends well, but says nothing
  }
  platform::finish();
}
