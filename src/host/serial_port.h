// A board's serial port, as the system has it under a name. Knows terminals and their settings; refuses to know what is
// said.
#pragma once

#include <string>

#include "host/frame_session.h"

namespace wick::host {

// True for what names a port rather than a kind of target: a path.
bool is_serial_port(const std::string& target);

class SerialPort final : public ByteLine {
 public:
  // Raw bytes at 115200 baud, for this program alone. Throws Failure with what to do.
  explicit SerialPort(const std::string& path);
  ~SerialPort() override;
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  bool read(uint8_t* byte, uint32_t milliseconds) override;
  void write(const void* bytes, size_t count) override;
  void text(uint8_t byte) override { text_ += static_cast<char>(byte); }
  // What the board said to people: a fault, for one.
  const std::string& text() const { return text_; }

 private:
  int handle_ = -1;
  uint8_t buffer_[4096];
  size_t held_ = 0, at_ = 0;
  std::string text_;
};

}  // namespace wick::host
