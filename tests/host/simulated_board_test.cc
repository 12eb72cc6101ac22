// A simulated board behind a pseudo-terminal, used as a program uses a board's serial port.
#include "host/simulated_board.h"

#include <doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "sim/image.h"

namespace wick::host {
namespace {

TEST_CASE("SimulatedBoard answers on its port like a board") {
  if (!sim::test::images_are_built()) return;
  SimulatedBoard board(sim::test::uf2_of(sim::test::code_of("usb_echo_0")));
  const int port = open(board.port().c_str(), O_RDWR | O_NOCTTY);
  REQUIRE(port >= 0);
  const std::string sent(5000, 'a');
  std::string received;
  size_t written = 0;
  while (received.size() < sent.size()) {
    pollfd waiting = {port, static_cast<short>(POLLIN | (written < sent.size() ? POLLOUT : 0)), 0};
    REQUIRE(poll(&waiting, 1, 20'000) > 0);
    if (waiting.revents & POLLOUT) {
      const ssize_t count = write(port, sent.data() + written, std::min<size_t>(sent.size() - written, 512));
      if (count > 0) written += static_cast<size_t>(count);
    }
    char bytes[512];
    if (waiting.revents & POLLIN) received.append(bytes, static_cast<size_t>(read(port, bytes, sizeof(bytes))));
  }
  close(port);
  board.finish();
  CHECK(received == std::string(5000, 'b'));
  CHECK(board.trouble().empty());
  CHECK(board.machine().counts(0).instructions > 5000);
}

}  // namespace
}  // namespace wick::host
