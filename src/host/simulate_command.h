// `wick simulate`: a UF2 on the simulated Pico 2, its serial output live, and what it did and cost at the end.
#pragma once

#include <cstdint>
#include <string>

namespace wick::host {

struct SimulateOptions {
  std::string image, json;
  uint64_t timeout_ms = 60000, idle_ms = 1000;  // of simulated time
  bool trace = false, break_on_fault = false;
  std::string console = "uart";  // whose output is shown and which gets the input: uart or usb
  std::string input;             // file whose bytes are typed
  bool unplugged = false;        // no computer at the USB port
  bool pty = false;              // the console is a pseudo-terminal instead
};

// Returns 1 when the image faulted, locked up or did what the simulator has no answer for. Throws Failure for a file
// that the chip would not start.
int simulate_command(const SimulateOptions& options);

}  // namespace wick::host
