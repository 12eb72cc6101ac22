// The runner's platform on the Pico 2: messages travel in frames over whichever of USB and UART the host uses.
#include "platform.h"

#include "console.h"
#include "frames.h"
#include "pico2/registers.h"
#include "pico2/time.h"
#include "pico2/uart.h"
#include "pico2/usb.h"

extern "C" {
extern uint8_t __bulk_start, __bulk_end;
extern uint32_t __stack_limit, __stack_top;
void run_main();
}

namespace wick::platform {
namespace {

struct Wire {
  bool read(uint8_t* byte, uint32_t milliseconds) {
    const uint32_t start = pico2::microseconds();
    for (;;) {
      if (pico2::read_usb(byte)) {
        on_usb = true;
        return true;
      }
      if (pico2::read_uart(byte)) {
        on_usb = false;
        return true;
      }
      if (milliseconds != frames::Link<Wire>::kForever && pico2::microseconds() - start > milliseconds * 1000)
        return false;
    }
  }
  void write(const void* bytes, size_t count) const {
    if (on_usb) {
      pico2::write_usb(bytes, count);
    } else {
      pico2::write_uart(bytes, count);
    }
  }
  void other(uint8_t) {}

  bool on_usb = false;  // where the last byte came from
};

constinit frames::Link<Wire> link;

}  // namespace

bool open_link() {
  link.wait_for_host();
  return true;
}

bool read(void* to, size_t bytes) { return link.read(to, bytes); }
void write(const void* from, size_t bytes) { link.write(from, bytes); }
void flush() { link.flush(); }

void finish() {
  link.flush();
  link.close();
  // From the top of the stack, as after reset.
  __asm volatile("mov sp, %0\n bx %1" ::"r"(&__stack_top), "r"(run_main));
  __builtin_unreachable();
}

Bulk bulk_memory() { return {&__bulk_start, static_cast<size_t>(&__bulk_end - &__bulk_start)}; }
uint32_t* stack_limit() { return &__stack_limit; }

protocol::HelloReply hello() { return {protocol::kVersion, protocol::TickKind::kCycles, pico2::kClockHz}; }

}  // namespace wick::platform
