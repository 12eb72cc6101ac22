// The Pico 2's own image in the simulator: its port as a host sees it, and that neither a pulled cable, nor a closed
// port, nor a program that does not read keeps it from serving the next one.
#include <doctest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>

#include "boards/frames.h"
#include "boards/protocol.h"
#include "host/elf_image.h"
#include "host/uf2.h"
#include "sim/machine.h"

namespace wick::host {
namespace {

constexpr uint64_t kMillisecondPs = 1'000'000'000;

// WICK_TEST_RUNNERS is the folder beside that of the images.
std::filesystem::path image_path() { return std::filesystem::path(WICK_TEST_RUNNERS) / "../wick/pico2.elf"; }

class Board {
 public:
  Board() {
    sim::MachineOptions options;
    options.idle_limit_ps = options.time_limit_ps = sim::kNever / 4;
    options.on_usb = [this](uint8_t byte) { received.push_back(byte); };
    options.on_uart = [this](uint8_t byte) { uart += static_cast<char>(byte); };
    machine = std::make_unique<sim::Machine>(format_uf2(read_elf(image_path()).load), options);
  }
  void run_ms(uint32_t milliseconds) { machine->run(milliseconds * kMillisecondPs); }
  bool run_until_open() {
    for (int i = 0; i < 2000 && !machine->usb_host().is_open(); ++i) run_ms(1);
    return machine->usb_host().is_open();
  }

  std::deque<uint8_t> received;
  std::string uart;
  std::unique_ptr<sim::Machine> machine;
};

// A wire on either of the board's ports.
struct Wire {
  Board* board = nullptr;
  bool on_uart = false;
  size_t uart_at = 0;
  bool read(uint8_t* byte, uint32_t milliseconds) {
    for (uint32_t i = 0; i <= milliseconds; ++i) {
      if (on_uart && uart_at < board->uart.size()) {
        *byte = static_cast<uint8_t>(board->uart[uart_at++]);
        return true;
      }
      if (!on_uart && !board->received.empty()) {
        *byte = board->received.front();
        board->received.pop_front();
        return true;
      }
      board->run_ms(1);
    }
    return false;
  }
  void write(const void* bytes, size_t count) {
    const uint8_t* first = static_cast<const uint8_t*>(bytes);
    if (on_uart) {
      board->machine->type_uart({first, first + count});
    } else {
      board->machine->type_usb({first, first + count});
    }
  }
  void other(uint8_t) {}
};

// Opens a session and hears the board say hello.
bool says_hello(Board& board, uint8_t session, bool on_uart = false) {
  frames::Link<Wire> link;
  link.wire() = {&board, on_uart, board.uart.size()};
  protocol::Header header = {};
  protocol::HelloReply hello = {};
  return link.open(session, 4) && link.read(&header, sizeof(header), 1000) && header.kind == protocol::Kind::kHello &&
         link.read(&hello, sizeof(hello), 1000) && hello.ticks_per_second == 150'000'000;
}

TEST_CASE("Pico 2 image is a serial port that enumerates without a complaint") {
  if (!std::filesystem::exists(image_path())) return;
  Board board;
  REQUIRE(board.run_until_open());
  CHECK(board.machine->usb_host().vendor() == 0x2E8A);
  CHECK(board.machine->usb_host().strings().manufacturer == "wick");
  CHECK(board.machine->warnings().empty());
  CHECK(board.machine->sys_hz() == 150'000'000);
}

TEST_CASE("Pico 2 image serves over USB and over UART0") {
  if (!std::filesystem::exists(image_path())) return;
  Board board;
  REQUIRE(board.run_until_open());
  CHECK(says_hello(board, 1));
  CHECK(says_hello(board, 2, true));
  CHECK(says_hello(board, 3));
}

TEST_CASE("Pico 2 image serves again after the cable was pulled and the port closed") {
  if (!std::filesystem::exists(image_path())) return;
  Board board;
  REQUIRE(board.run_until_open());
  CHECK(says_hello(board, 1));
  for (uint8_t round = 2; round < 5; ++round) {
    board.machine->plug(false);
    board.run_ms(300);
    board.received.clear();
    board.machine->usb_host().open(true);
    board.machine->plug(true);
    REQUIRE(board.run_until_open());
    CHECK(says_hello(board, round));
  }
  board.machine->usb_host().open(false);
  board.run_ms(50);
  board.machine->usb_host().open(true);
  board.run_ms(50);
  CHECK(says_hello(board, 9));
  CHECK(board.machine->warnings().empty());
}

TEST_CASE("Pico 2 image gives up on a program that does not read, and serves the next one") {
  if (!std::filesystem::exists(image_path())) return;
  Board board;
  REQUIRE(board.run_until_open());
  frames::Link<Wire> link;
  link.wire() = {&board, false, 0};
  board.machine->usb_host().set_reading(false);
  CHECK_FALSE(link.open(1, 2));
  // Whoever does not read cannot block the other port.
  CHECK(says_hello(board, 2, true));
  board.machine->usb_host().set_reading(true);
  board.run_ms(10);
  board.received.clear();
  CHECK(says_hello(board, 3));
}

}  // namespace
}  // namespace wick::host
