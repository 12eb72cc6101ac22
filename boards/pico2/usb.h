// A serial port over USB (CDC-ACM): a device stack of exactly that. Enumerates from interrupts; reading and writing
// bytes never blocks for longer than a host that listens needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::pico2 {

void start_usb();
// A program on the host has the port open (it has raised DTR), and the bus is not asleep.
bool usb_has_listener();
// Gives the bytes to the port. When nobody listens, or a listener stops reading for a tenth of a second, they are
// dropped, and so is what follows until reading goes on.
void write_usb(const void* bytes, size_t count);
// Waits, at most a tenth of a second, until the host has taken everything.
void drain_usb();
// What the interrupt does, for code that keeps it from coming (a fault handler).
void serve_usb();
// False when nothing has come in.
bool read_usb(uint8_t* byte);

}  // namespace wick::pico2
