// A simulated Pico 2 whose serial port another program, or another thread of this one, can open by name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/pseudo_terminal.h"
#include "sim/machine.h"

namespace wick::host {

// Moves bytes between a machine's serial port (over USB, or UART0) and a pseudo-terminal while the machine runs.
class TerminalBridge {
 public:
  TerminalBridge(PseudoTerminal& terminal, bool over_usb) : terminal_(terminal), over_usb_(over_usb) {}
  // For MachineOptions::on_usb or on_uart.
  void take(uint8_t byte) { outgoing_.push_back(byte); }
  // Until the machine stops, a program that had the terminal open closes it, or `*stop` is set.
  sim::StopKind run(sim::Machine& machine, const std::atomic<bool>* stop = nullptr);

 private:
  PseudoTerminal& terminal_;
  bool over_usb_;
  std::vector<uint8_t> outgoing_;
};

// Runs an image in a thread of its own from construction to finish().
class SimulatedBoard {
 public:
  // Throws sim::Refusal for an image that the chip would not start.
  explicit SimulatedBoard(const std::vector<uint8_t>& uf2);
  ~SimulatedBoard() { finish(); }
  SimulatedBoard(const SimulatedBoard&) = delete;
  SimulatedBoard& operator=(const SimulatedBoard&) = delete;

  // The serial port over USB; opens like a board's.
  const std::string& port() const { return terminal_.name(); }
  // Ends the run. From then on the machine can be asked.
  void finish();
  const sim::Machine& machine() const { return *machine_; }
  // Why the machine stopped by itself, or "".
  std::string trouble() const;

 private:
  PseudoTerminal terminal_;
  TerminalBridge bridge_{terminal_, true};
  std::vector<std::string> remarks_;
  std::unique_ptr<sim::Machine> machine_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace wick::host
