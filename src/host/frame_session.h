// A whole job's conversation with a board over a line of bytes: requests one at a time, each with its answers, in
// frames (boards/frames.h). Knows which answers a request has; refuses to know what line it is and what the values
// mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick::host {

// One end of a serial line.
class ByteLine {
 public:
  virtual ~ByteLine() = default;
  // Waits so long for a byte.
  virtual bool read(uint8_t* byte, uint32_t milliseconds) = 0;
  virtual void write(const void* bytes, size_t count) = 0;
  // What comes between frames: text for people.
  virtual void text(uint8_t byte) = 0;
};

struct FrameSession {
  std::vector<uint8_t> replies;  // as far as they came, for decode_replies()
  std::string error;             // what went wrong with the line; empty when the conversation came to its end
};

// `requests` as of encode_requests(). Waits `answer_milliseconds` for each answer.
FrameSession talk_in_frames(ByteLine& line, const std::vector<uint8_t>& requests, uint32_t answer_milliseconds);

}  // namespace wick::host
