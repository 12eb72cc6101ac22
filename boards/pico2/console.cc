// Text goes to UART0 at once, and to USB when somebody listens there.
#include "console.h"

#include "pico2/led.h"
#include "pico2/time.h"
#include "pico2/uart.h"
#include "pico2/usb.h"

namespace wick::board {

void open_console() {
  constexpr uint32_t kSeconds = 10;
  say("waiting up to 10 s for a serial terminal on USB ...\n");
  const uint32_t start = pico2::microseconds();
  while (!pico2::usb_has_listener() && pico2::microseconds() - start < kSeconds * 1'000'000) {
  }
  // A terminal that has just opened the port throws away what comes while it sets it up.
  if (pico2::usb_has_listener()) pico2::wait_microseconds(50'000);
  say(pico2::usb_has_listener() ? "USB is connected\n" : "nobody on USB; this goes to UART0 only\n");
}

void say(const char* text) {
  const size_t bytes = __builtin_strlen(text);
  pico2::write_uart(text, bytes);
  pico2::write_usb(text, bytes);
}

void finish(bool success) {
  pico2::drain_uart();
  pico2::drain_usb();
  pico2::blink_result(success);
  for (;;) {
    __asm volatile("wfi");
    pico2::serve_usb();
  }
}

void end_after_fault(const char* line) {
  say(line);
  finish(false);
}

}  // namespace wick::board
