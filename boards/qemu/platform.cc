// The runner's platform on QEMU: requests and replies are files in the directory that the emulator was started in.
#include "platform.h"

#include "qemu/semihosting.h"

extern "C" {
extern uint8_t __bulk_start, __bulk_end;
extern uint32_t __stack_limit;
}

namespace wick::platform {
namespace {
int32_t requests = -1;
int32_t replies = -1;
}  // namespace

bool open_link() {
  requests = semihosting::open_file("requests", false);
  replies = semihosting::open_file("replies", true);
  return requests >= 0 && replies >= 0;
}

bool read(void* to, size_t bytes) { return semihosting::read_file(requests, to, bytes) == bytes; }
void write(const void* from, size_t bytes) { semihosting::write_file(replies, from, bytes); }
void flush() {}
void finish() { semihosting::exit(0); }

Bulk bulk_memory() { return {&__bulk_start, static_cast<size_t>(&__bulk_end - &__bulk_start)}; }
uint32_t* stack_limit() { return &__stack_limit; }

protocol::HelloReply hello() { return {protocol::kVersion, protocol::TickKind::kMarkers, 0}; }

}  // namespace wick::platform
