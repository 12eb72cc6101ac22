// What happens when the core stops on a fault or on any exception that nobody asked for.
#pragma once

// The handler of every exception: prints what the fault registers say, in words, and ends the run with kExitFault.
extern "C" void fault_handler();
