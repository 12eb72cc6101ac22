// See frame_session.h.
#include "host/frame_session.h"

#include <chrono>
#include <cstring>

#include "boards/frames.h"
#include "boards/protocol.h"

namespace wick::host {
namespace {

using protocol::Kind;

constexpr uint32_t kOpenTries = 10;
constexpr uint32_t kMaxAnswerBytes = 64 * 1024 * 1024;

// What frames::Link wants of a wire.
struct Wire {
  ByteLine* line = nullptr;
  bool read(uint8_t* byte, uint32_t milliseconds) { return line->read(byte, milliseconds); }
  void write(const void* bytes, size_t count) { line->write(bytes, count); }
  void other(uint8_t byte) { line->text(byte); }
};

class Conversation {
 public:
  Conversation(ByteLine& line, uint32_t answer_milliseconds) : answer_milliseconds_(answer_milliseconds) {
    link_.wire().line = &line;
  }

  FrameSession run(const std::vector<uint8_t>& requests) {
    // Any number will do that the board has not just seen.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    if (!link_.open(static_cast<uint8_t>(now ^ now >> 20), kOpenTries)) {
      session_.error = "the board does not answer: does it run an image of the app `run`?";
      return std::move(session_);
    }
    if (receive(Kind::kHello)) send_all(requests);
    return std::move(session_);
  }

 private:
  void send_all(const std::vector<uint8_t>& requests) {
    protocol::Header header;
    for (size_t at = 0; at + sizeof(header) <= requests.size(); at += sizeof(header) + header.bytes) {
      std::memcpy(&header, requests.data() + at, sizeof(header));
      const uint8_t* payload = requests.data() + at + sizeof(header);
      if (header.kind == Kind::kProgram && board_has(payload, header.bytes)) continue;
      if (!session_.error.empty()) return;
      if (!link_.write(requests.data() + at, sizeof(header) + header.bytes) || !link_.flush()) {
        // It may have said why before it stopped to listen.
        if (!receive(Kind::kFailed)) session_.error = "the line to the board broke while a request was sent";
        return;
      }
      if (!answered(header, payload)) return;
    }
  }

  // A program that the image holds already need not be sent.
  bool board_has(const uint8_t* program, uint32_t bytes) {
    const protocol::Header header = {Kind::kUse, sizeof(protocol::UseRequest)};
    const protocol::UseRequest wanted = {bytes, frames::crc32(0, program, bytes)};
    if (!link_.write(&header, sizeof(header)) || !link_.write(&wanted, sizeof(wanted)) || !receive(Kind::kFound))
      return false;
    uint32_t found = 0;
    if (last_.size() >= sizeof(found)) std::memcpy(&found, last_.data(), sizeof(found));
    return found != 0;
  }

  bool answered(const protocol::Header& header, const uint8_t* payload) {
    switch (header.kind) {
      case Kind::kLoad:
        return receive(Kind::kLoaded);
      case Kind::kPrepare:
        return receive(Kind::kPrepared);
      case Kind::kEnd:
        return receive(Kind::kBye);
      case Kind::kCall:
        return called(payload);
      default:
        return true;
    }
  }

  bool called(const uint8_t* payload) {
    protocol::CallRequest request;
    std::memcpy(&request, payload, sizeof(request));
    if (!receive(Kind::kCalled)) return false;
    protocol::CalledReply reply = {};
    if (last_.size() >= sizeof(reply)) std::memcpy(&reply, last_.data(), sizeof(reply));
    for (uint32_t i = 0; i < reply.output_count; ++i) {
      if (!receive(Kind::kOutput)) return false;
    }
    return !(request.flags & protocol::CallRequest::kProfile) || receive(Kind::kProfile);
  }

  // Answers up to one of this kind. False: the board refused (its words are among the replies), or the line is dead.
  bool receive(Kind kind) {
    for (;;) {
      protocol::Header header;
      if (!take(&header, sizeof(header))) return false;
      if (header.bytes > kMaxAnswerBytes) {
        session_.error = "an answer of " + std::to_string(header.bytes) + " bytes: this is no board of wick's";
        return false;
      }
      last_.resize(header.bytes);
      if (!take(last_.data(), last_.size())) return false;
      if (header.kind != Kind::kFound) {  // between the two ends alone
        append(&header, sizeof(header));
        append(last_.data(), last_.size());
      }
      if (header.kind == kind) return true;
      if (header.kind == Kind::kFailed) return false;
    }
  }

  bool take(void* to, size_t bytes) {
    if (link_.read(to, bytes, answer_milliseconds_)) return true;
    session_.error = "no answer from the board";
    return false;
  }

  void append(const void* from, size_t bytes) {
    const uint8_t* first = static_cast<const uint8_t*>(from);
    session_.replies.insert(session_.replies.end(), first, first + bytes);
  }

  frames::Link<Wire> link_;
  uint32_t answer_milliseconds_;
  std::vector<uint8_t> last_;
  FrameSession session_;
};

}  // namespace

FrameSession talk_in_frames(ByteLine& line, const std::vector<uint8_t>& requests, uint32_t answer_milliseconds) {
  return Conversation(line, answer_milliseconds).run(requests);
}

}  // namespace wick::host
