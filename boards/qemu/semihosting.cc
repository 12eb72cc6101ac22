// Semihosting calls for M-profile cores: operation in r0, argument block in r1, `bkpt 0xab`.
#include "qemu/semihosting.h"

#include <cstring>

namespace wick::semihosting {
namespace {

enum Operation : uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteText = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kCommandLine = 0x15,
  kExitExtended = 0x20,
};

uint32_t call(Operation operation, const void* argument) {
  register uint32_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = argument;
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

uint32_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

}  // namespace

int32_t open_file(const char* path, bool write) {
  const uint32_t mode = write ? 5 : 1;  // "wb", "rb"
  const uint32_t block[3] = {address_of(path), mode, std::strlen(path)};
  return static_cast<int32_t>(call(kOpen, block));
}

void close_file(int32_t file) {
  const uint32_t block[1] = {static_cast<uint32_t>(file)};
  call(kClose, block);
}

// Both calls answer with the number of bytes not moved.
size_t read_file(int32_t file, void* to, size_t bytes) {
  const uint32_t block[3] = {static_cast<uint32_t>(file), address_of(to), bytes};
  return bytes - call(kRead, block);
}

size_t write_file(int32_t file, const void* from, size_t bytes) {
  const uint32_t block[3] = {static_cast<uint32_t>(file), address_of(from), bytes};
  return bytes - call(kWrite, block);
}

void write_text(const char* text) { call(kWriteText, text); }

void command_line(char* text, size_t bytes) {
  const uint32_t block[2] = {address_of(text), bytes - 1};
  text[0] = '\0';
  call(kCommandLine, block);
  text[bytes - 1] = '\0';
}

void exit(uint32_t code) {
  const uint32_t block[2] = {0x20026, code};  // the application ended by itself
  call(kExitExtended, block);
  for (;;) {
  }
}

}  // namespace wick::semihosting
