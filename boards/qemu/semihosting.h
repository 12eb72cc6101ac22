// What an emulated core asks of its host: files, text and the end of the run (Arm's semihosting). Knows nothing of what
// is in the files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::semihosting {

// How a run ends when it is not main() that ends it; the host tells them apart.
inline constexpr uint32_t kExitFault = 81;

// Opens a file of the host for reading or for writing from scratch; -1 when it cannot.
int32_t open_file(const char* path, bool write);
void close_file(int32_t file);
// Bytes moved, less than asked at the end of a file or of the host's disk.
size_t read_file(int32_t file, void* to, size_t bytes);
size_t write_file(int32_t file, const void* from, size_t bytes);

// Text on the emulator's console.
void write_text(const char* text);
// The command line that the emulator was given, cut at `bytes`.
void command_line(char* text, size_t bytes);
[[noreturn]] void exit(uint32_t code);

}  // namespace wick::semihosting
