// See serial_port.h.
#include "host/serial_port.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "files/failure.h"

namespace wick::host {

bool is_serial_port(const std::string& target) { return target.find('/') != std::string::npos; }

SerialPort::SerialPort(const std::string& path) {
  handle_ = open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (handle_ < 0) {
    const int why = errno;
    files::fail(path, ": cannot be opened: ", std::strerror(why),
                why == EACCES
                    ? "; add yourself to the group dialout (sudo usermod -a -G dialout $USER) and log in again"
                : why == ENOENT ? "; is the board plugged in, and running an image with USB?"
                                : "");
  }
  termios settings = {};
  if (tcgetattr(handle_, &settings) != 0) {
    close(handle_);
    files::fail(path, ": is not a serial port");
  }
  cfmakeraw(&settings);
  cfsetspeed(&settings, B115200);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  tcsetattr(handle_, TCSANOW, &settings);
  if (ioctl(handle_, TIOCEXCL) != 0) {
    close(handle_);
    files::fail(path, ": is in use by another program");
  }
}

SerialPort::~SerialPort() {
  if (handle_ >= 0) close(handle_);
}

bool SerialPort::read(uint8_t* byte, uint32_t milliseconds) {
  if (at_ == held_) {
    pollfd waiting = {handle_, POLLIN, 0};
    constexpr uint32_t kMost = 0x7FFFFFFF;
    const int ready = poll(&waiting, 1, static_cast<int>(milliseconds < kMost ? milliseconds : kMost));
    const ssize_t got = ready > 0 ? ::read(handle_, buffer_, sizeof(buffer_)) : 0;
    if (got <= 0) {
      // An unplugged board makes poll() return at once, for ever: waiting is then waiting for nothing.
      if (ready > 0 && milliseconds > 0) usleep(10'000);
      return false;
    }
    held_ = static_cast<size_t>(got);
    at_ = 0;
  }
  *byte = buffer_[at_++];
  return true;
}

void SerialPort::write(const void* bytes, size_t count) {
  const uint8_t* from = static_cast<const uint8_t*>(bytes);
  constexpr int kPatienceMilliseconds = 2000;
  while (count > 0) {
    const ssize_t done = ::write(handle_, from, count);
    if (done > 0) {
      from += done;
      count -= static_cast<size_t>(done);
      continue;
    }
    pollfd waiting = {handle_, POLLOUT, 0};
    // Bytes that a board does not take are lost; the frames around them notice.
    if ((done < 0 && errno != EAGAIN && errno != EINTR) || poll(&waiting, 1, kPatienceMilliseconds) <= 0) return;
  }
}

}  // namespace wick::host
