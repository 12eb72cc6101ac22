// Text for people, and how a program on a board ends. One implementation per family of boards.
#pragma once

namespace wick::board {

// Waits, for a limited time, until somebody can read.
void open_console();
void say(const char* text);
// Says how it went in the board's own way (a lamp, an exit code) and stays there.
[[noreturn]] void finish(bool success);
// Called on the fault handler's stack, with the line about the fault.
[[noreturn]] void end_after_fault(const char* line);

}  // namespace wick::board
