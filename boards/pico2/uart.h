// UART0 on GPIO 0 (out) and 1 (in): 115200 baud, 8 data bits, no parity, 1 stop bit. Works without interrupts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::pico2 {

void start_uart();
// Waits until all bytes have a place in the FIFO.
void write_uart(const void* bytes, size_t count);
// Until the last bit has left.
void drain_uart();
// False when nothing has come in.
bool read_uart(uint8_t* byte);

}  // namespace wick::pico2
