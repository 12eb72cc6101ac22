// What the runner needs from the board that it runs on. One implementation per family of boards.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol.h"

namespace wick::platform {

// The link to the host. `write` cannot fail in a way that anyone could be told of.
bool open_link();
bool read(void* to, size_t bytes);
void write(const void* from, size_t bytes);
// What was written is on its way. Reading does that, too.
void flush();
// The session is over. A board on a serial line goes back to main() and the next one.
[[noreturn]] void finish();

// Memory for programs, arenas and messages: kAlignment-aligned.
struct Bulk {
  uint8_t* base;
  size_t bytes;
};
Bulk bulk_memory();

// The stack, from its lowest address.
uint32_t* stack_limit();

protocol::HelloReply hello();

}  // namespace wick::platform
