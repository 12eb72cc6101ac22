// A serial port that another program can open by name. Knows the system's pseudo-terminals; refuses to know who is at
// either end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick::host {

class PseudoTerminal {
 public:
  PseudoTerminal();  // throws Failure
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& name() const { return name_; }  // of the end for the other program
  // What has come in; waits at most so long when nothing has.
  std::vector<uint8_t> read(int wait_ms);
  // Takes what the other end has room for out of `bytes`, from the front.
  void write(std::vector<uint8_t>* bytes);
  // Somebody has opened the other end, and has closed it since.
  bool was_closed() const { return opened_ && closed_; }

 private:
  int handle_ = -1;
  bool opened_ = false, closed_ = false;
  std::string name_;
};

}  // namespace wick::host
