// The lamp on the board, GPIO 25, mirrored on 22 and 23.
#pragma once

namespace wick::pico2 {

void start_led();
void set_led(bool on);
// What a program ends with: ten times half a second on for success, ten times a tenth for failure, and off between for
// as long. Returns when the last is over.
void blink_result(bool success);
// Says by light alone that the board did not start: fast, for ever, with whatever clock there is.
[[noreturn]] void blink_without_clocks();

}  // namespace wick::pico2
