// What happens when the core stops on a fault or on any exception that nobody asked for.
#pragma once

// The handler of every exception: has the board say what the fault registers mean, in words, and end (console.h).
extern "C" void fault_handler();
