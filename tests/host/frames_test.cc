// Both ends of the framed serial protocol in two threads, over a line that loses, spoils and doubles bytes.
#include "boards/frames.h"

#include <doctest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "support/random.h"

namespace wick::frames {
namespace {

// One direction of the line. Every `period`th byte is spoiled in some way; 0 for a good line.
class Pipe {
 public:
  void write(uint8_t byte) {
    const std::lock_guard lock(mutex_);
    if (period != 0 && ++count_ % period == 0) {
      const int32_t harm = random_.in(0, 2);
      if (harm == 0) return;                                    // lost
      if (harm == 1) byte = static_cast<uint8_t>(byte ^ 0x10);  // spoiled
      if (harm == 2) bytes_.push_back(0xF5);                    // noise that looks like a frame's start
    }
    bytes_.push_back(byte);
    arrived_.notify_one();
  }
  bool read(uint8_t* byte, uint32_t milliseconds) {
    std::unique_lock lock(mutex_);
    // Time runs fast here: what waits half a second waits 20 ms.
    const auto wait = std::chrono::milliseconds(milliseconds == Link<int>::kForever ? 60'000 : milliseconds / 25 + 1);
    if (!arrived_.wait_for(lock, wait, [this] { return !bytes_.empty(); })) return false;
    *byte = bytes_.front();
    bytes_.pop_front();
    return true;
  }
  uint32_t period = 0;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<uint8_t> bytes_;
  uint32_t count_ = 0;
  test::Random random_{7};
};

struct Wire {
  Pipe* in = nullptr;
  Pipe* out = nullptr;
  std::vector<uint8_t> others = {};
  bool read(uint8_t* byte, uint32_t milliseconds) { return in->read(byte, milliseconds); }
  void write(const void* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) out->write(static_cast<const uint8_t*>(bytes)[i]);
  }
  void other(uint8_t byte) { others.push_back(byte); }
};

struct Line {
  Pipe to_board, to_host;
  Link<Wire> host, board;
  Line() {
    host.wire() = {&to_host, &to_board};
    board.wire() = {&to_board, &to_host};
  }
};

std::vector<uint8_t> pattern(size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(i * 131 + i / 7);
  return out;
}

// The board sends back what it is sent, in pieces of its own.
void echo(Link<Wire>& board, size_t bytes) {
  board.wait_for_host();
  std::vector<uint8_t> data(bytes);
  if (!board.read(data.data(), bytes)) return;
  board.write(data.data(), bytes / 3);
  board.write(data.data() + bytes / 3, bytes - bytes / 3);
  board.flush();
}

void check_echo(Line& line, size_t bytes) {
  std::thread board([&] { echo(line.board, bytes); });
  const std::vector<uint8_t> sent = pattern(bytes);
  std::vector<uint8_t> got(bytes);
  CHECK(line.host.open(1, 20));
  CHECK(line.host.write(sent.data(), sent.size()));
  CHECK(line.host.read(got.data(), got.size()));
  board.join();
  CHECK(got == sent);
}

TEST_CASE("Crc32 of the check text is the one that everybody has") {
  CHECK(crc32(0, "123456789", 9) == 0xCBF43926);
  CHECK(crc32(crc32(0, "1234", 4), "56789", 5) == 0xCBF43926);
}

TEST_CASE("Frames carry bytes both ways over a good line") {
  for (const size_t bytes : {size_t{1}, size_t{511}, size_t{512}, size_t{513}, size_t{5000}}) {
    Line line;
    check_echo(line, bytes);
    CHECK(line.host.wire().others.empty());
  }
}

TEST_CASE("Frames carry bytes over a line that loses, spoils and adds some") {
  for (const uint32_t period : {1501u, 2999u}) {
    Line line;
    line.to_board.period = period;
    line.to_host.period = period - 200;
    check_echo(line, 6000);
  }
}

TEST_CASE("Frames hand on the text between them") {
  Line line;
  for (const char c : std::string("hello\n")) line.to_host.write(static_cast<uint8_t>(c));
  check_echo(line, 10);
  CHECK(std::string(line.host.wire().others.begin(), line.host.wire().others.end()) == "hello\n");
}

TEST_CASE("Frame with a wrong CRC is asked for again") {
  Pipe to_board, to_host;
  Link<Wire> board;
  board.wire() = {&to_board, &to_host};
  const auto send = [&](std::vector<uint8_t> frame, bool spoil) {
    const uint32_t crc = crc32(0, frame.data() + 2, frame.size() - 2) ^ (spoil ? 1u : 0u);
    for (int i = 0; i < 4; ++i) frame.push_back(static_cast<uint8_t>(crc >> (8 * i)));
    for (const uint8_t byte : frame) to_board.write(byte);
  };
  send({0xF5, 0x57, 1, 9, 0, 0}, false);
  send({0xF5, 0x57, 2, 0, 1, 0, 'x'}, true);
  send({0xF5, 0x57, 2, 0, 1, 0, 'x'}, false);
  board.wait_for_host();
  char got = 0;
  CHECK(board.read(&got, 1));
  CHECK(got == 'x');
  std::vector<uint8_t> answers;
  uint8_t byte;
  while (to_host.read(&byte, 0)) answers.push_back(byte);
  REQUIRE(answers.size() == 30);
  CHECK(answers[2] == 3);   // kAck of the opening,
  CHECK(answers[3] == 9);   // with its number
  CHECK(answers[12] == 4);  // kNak: frame 0, please
  CHECK(answers[13] == 0);
  CHECK(answers[22] == 3);  // kAck
  CHECK(answers[23] == 0);
}

TEST_CASE("Host that opens again ends the board's session and starts a new one") {
  Line line;
  bool first_ended = false, second_read = false;
  std::thread board([&] {
    char c;
    line.board.wait_for_host();
    first_ended = !line.board.read(&c, 1);
    line.board.close();
    line.board.wait_for_host();
    second_read = line.board.read(&c, 1) && c == 'b';
  });
  CHECK(line.host.open(1, 20));
  Link<Wire> again;
  again.wire() = {&line.to_host, &line.to_board};
  CHECK(again.open(2, 20));
  CHECK(again.write("b", 1));
  CHECK(again.flush());
  board.join();
  CHECK(first_ended);
  CHECK(second_read);
}

TEST_CASE("Host gives up on a board that does not answer") {
  Line line;
  CHECK_FALSE(line.host.open(1, 2));
  char c;
  CHECK_FALSE(line.host.read(&c, 1, 50));
}

}  // namespace
}  // namespace wick::frames
