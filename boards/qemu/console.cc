// The console of an emulated board is its host's, and a run ends with an exit code.
#include "console.h"

#include "qemu/semihosting.h"

namespace wick::board {

void open_console() {}
void say(const char* text) { semihosting::write_text(text); }
void finish(bool success) { semihosting::exit(success ? 0 : 1); }
void end_after_fault(const char* line) {
  say(line);
  semihosting::exit(semihosting::kExitFault);
}

}  // namespace wick::board
