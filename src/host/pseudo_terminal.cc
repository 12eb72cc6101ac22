// See pseudo_terminal.h.
#include "host/pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "files/failure.h"

namespace wick::host {

PseudoTerminal::PseudoTerminal() {
  handle_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  char name[128];
  if (handle_ < 0 || grantpt(handle_) != 0 || unlockpt(handle_) != 0 || ptsname_r(handle_, name, sizeof(name)) != 0) {
    const int why = errno;
    if (handle_ >= 0) close(handle_);
    files::fail("no pseudo-terminal: ", std::strerror(why));
  }
  name_ = name;
  termios settings;
  if (tcgetattr(handle_, &settings) == 0) {
    cfmakeraw(&settings);  // bytes as they are, no echo
    tcsetattr(handle_, TCSANOW, &settings);
  }
}

PseudoTerminal::~PseudoTerminal() { close(handle_); }

std::vector<uint8_t> PseudoTerminal::read(int wait_ms) {
  pollfd waiting = {handle_, POLLIN, 0};
  poll(&waiting, 1, wait_ms);
  // A hang-up is also reported before anybody has opened the other end; then poll returns at once.
  const bool hung_up = waiting.revents & POLLHUP;
  if (!hung_up) opened_ = true;
  if (hung_up && !(waiting.revents & POLLIN)) {
    closed_ = true;
    if (!opened_) usleep(static_cast<useconds_t>(wait_ms) * 1000);
    return {};
  }
  std::vector<uint8_t> bytes(4096);
  const ssize_t count = ::read(handle_, bytes.data(), bytes.size());
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return bytes;
}

void PseudoTerminal::write(std::vector<uint8_t>* bytes) {
  while (!bytes->empty()) {
    const ssize_t count = ::write(handle_, bytes->data(), bytes->size());
    if (count <= 0) return;
    bytes->erase(bytes->begin(), bytes->begin() + count);
  }
}

}  // namespace wick::host
