// The second core: sleeps until it is given a piece of work, does it, and sleeps again.
#pragma once

namespace wick::pico2 {

using Work = void (*)(const void* what);

// Runs work(a) on this core and work(b) on the other one at the same time; returns when both are done. Memory that one
// writes, the other must not touch. Starts the second core when it is first called; on this core alone when that core
// does not answer.
void run_on_both_cores(Work work, const void* a, const void* b);

}  // namespace wick::pico2
