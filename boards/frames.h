// Bytes over a serial line that may lose or spoil some: numbered frames with a length and a CRC, each acknowledged
// before the next. Both ends use this class; what the bytes mean is protocol.h's matter.
//
// A frame: 0xF5 0x57, kind, sequence, length (2 bytes), payload, CRC-32 of kind to payload (4 bytes); little-endian.
// The host opens a session with kOpen, at any time, whose sequence is a number that tells sessions apart; both ends
// then count their kData frames from 0. The receiver answers each whole frame with kAck and its sequence, a spoiled one
// with kNak and the sequence that it waits for.
// A frame without an answer is sent again. What is between frames is text for people.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::frames {

inline constexpr uint8_t kMark0 = 0xF5, kMark1 = 0x57;
inline constexpr uint32_t kHeadBytes = 6, kCrcBytes = 4, kMaxPayload = 512;
inline constexpr uint32_t kAnswerMilliseconds = 500, kMaxTries = 10;

enum class Kind : uint8_t { kOpen = 1, kData = 2, kAck = 3, kNak = 4 };

// CRC-32 as in Ethernet and zlib (reflected 0xEDB88320, all ones before and after), of `bytes` appended to what gave
// `crc`; 0 for the start.
inline uint32_t crc32(uint32_t crc, const void* data, size_t bytes) {
  static constexpr uint32_t kNibble[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                           0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                           0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  const uint8_t* p = static_cast<const uint8_t*>(data);
  crc = ~crc;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= p[i];
    crc = crc >> 4 ^ kNibble[crc & 15];
    crc = crc >> 4 ^ kNibble[crc & 15];
  }
  return ~crc;
}

// Wire: `bool read(uint8_t* byte, uint32_t milliseconds)` waits so long for a byte; `void write(const void*, size_t)`;
// `void other(uint8_t byte)` gets what is no frame.
template <typename Wire>
class Link {
 public:
  // The wire is part of the link: all of it starts as zeros.
  constexpr Link() = default;
  Wire& wire() { return wire_; }

  // The host's side: false when nobody answers within `tries` times kAnswerMilliseconds. `session` differs from the
  // last one's.
  bool open(uint8_t session, uint32_t tries) {
    restart();
    for (uint32_t i = 0; i < tries; ++i) {
      send_frame(Kind::kOpen, session, nullptr, 0);
      Event event;
      while ((event = next_frame(kAnswerMilliseconds)) != Event::kNothing) {
        if (event != Event::kWhole || kind() != Kind::kAck || sequence() != session) continue;
        open_ = true;
        return true;
      }
    }
    return false;
  }
  // Ends the session, unless the host has opened the next one already: what the other end still sends is acknowledged
  // and dropped.
  void close() {
    if (opened_again_) return;
    open_ = false;
    held_ = at_ = gathered_ = 0;
  }
  // The board's side: waits for a host, for ever.
  void wait_for_host() {
    while (!open_) next_event(kForever);
    opened_again_ = false;
  }

  // Everything or nothing. False when the line is dead (nothing came for `milliseconds`) or the host has opened a new
  // session: this one is over.
  static constexpr uint32_t kForever = 0xFFFFFFFF;
  bool read(void* to, size_t bytes, uint32_t milliseconds = kForever) {
    // What has come is there even if the line has died since: it may say why.
    if (!flush() && at_ == held_) return false;
    uint8_t* out = static_cast<uint8_t*>(to);
    while (bytes > 0) {
      if (at_ == held_) {
        held_ = at_ = 0;
        while (held_ == 0) {
          if (!open_ || opened_again_ || next_event(milliseconds) == Event::kNothing) return false;
        }
      }
      for (; bytes > 0 && at_ < held_; --bytes) *out++ = held_payload_[at_++];
    }
    return true;
  }
  // Gathers until a frame is full or somebody reads or flushes.
  bool write(const void* from, size_t bytes) {
    const uint8_t* in = static_cast<const uint8_t*>(from);
    for (size_t i = 0; i < bytes; ++i) {
      if (gathered_ == kMaxPayload && !flush()) return false;
      gathered_payload_[gathered_++] = in[i];
    }
    return open_ && !opened_again_;
  }
  bool flush() {
    if (gathered_ > 0 && open_ && !opened_again_ && !deliver() && !opened_again_) open_ = false;
    gathered_ = 0;
    return open_ && !opened_again_;
  }

 private:
  enum class Event { kNothing, kWhole, kSpoiled };

  Kind kind() const { return static_cast<Kind>(head_[2]); }
  uint8_t sequence() const { return head_[3]; }
  uint32_t length() const { return head_[4] | static_cast<uint32_t>(head_[5]) << 8; }

  void restart() {
    sent_ = expected_ = 0;
    held_ = at_ = gathered_ = 0;
    opened_again_ = open_;
  }

  void send_frame(Kind kind, uint8_t sequence, const uint8_t* payload, uint32_t bytes) {
    const uint8_t head[kHeadBytes] = {kMark0,
                                      kMark1,
                                      static_cast<uint8_t>(kind),
                                      sequence,
                                      static_cast<uint8_t>(bytes),
                                      static_cast<uint8_t>(bytes >> 8)};
    const uint32_t crc = crc32(crc32(0, head + 2, kHeadBytes - 2), payload, bytes);
    const uint8_t tail[kCrcBytes] = {static_cast<uint8_t>(crc), static_cast<uint8_t>(crc >> 8),
                                     static_cast<uint8_t>(crc >> 16), static_cast<uint8_t>(crc >> 24)};
    wire_.write(head, sizeof(head));
    wire_.write(payload, bytes);
    wire_.write(tail, sizeof(tail));
  }

  bool deliver() {
    for (uint32_t i = 0; i < kMaxTries; ++i) {
      send_frame(Kind::kData, sent_, gathered_payload_, gathered_);
      Event event;
      while ((event = next_event(kAnswerMilliseconds)) != Event::kNothing) {
        if (opened_again_) return false;
        if (event != Event::kWhole) continue;
        if (kind() == Kind::kAck && sequence() == sent_) {
          ++sent_;
          return true;
        }
        if (kind() == Kind::kNak && sequence() == sent_) break;
      }
    }
    return false;
  }

  // A frame, with what its arrival asks for done.
  Event next_event(uint32_t milliseconds) {
    const Event event = next_frame(milliseconds);
    if (event == Event::kSpoiled) send_frame(Kind::kNak, expected_, nullptr, 0);
    if (event != Event::kWhole) return event;
    if (kind() == Kind::kOpen) {
      // One that was sent again, as it had to wait for its answer, opens nothing new.
      if (!open_ || sequence() != session_) restart();
      session_ = sequence();
      open_ = true;
      send_frame(Kind::kAck, session_, nullptr, 0);
    } else if (kind() == Kind::kData) {
      take_data();
    }
    return event;
  }

  void take_data() {
    const uint8_t before = static_cast<uint8_t>(expected_ - 1);
    if (!open_) {
      send_frame(Kind::kAck, sequence(), nullptr, 0);
    } else if (sequence() == expected_ && at_ == held_) {  // all of the last one has been read
      at_ = 0;
      held_ = length();
      for (uint32_t i = 0; i < held_; ++i) held_payload_[i] = payload_[i];
      ++expected_;
      send_frame(Kind::kAck, sequence(), nullptr, 0);
    } else if (sequence() == before) {
      send_frame(Kind::kAck, sequence(), nullptr, 0);  // our first answer was lost
    }
  }

  Event next_frame(uint32_t milliseconds) {
    uint32_t got = 0;
    for (;;) {
      uint8_t byte;
      if (!wire_.read(&byte, got == 0 ? milliseconds : kAnswerMilliseconds)) {
        return got == 0 ? Event::kNothing : Event::kSpoiled;
      }
      if (got == 0 && byte != kMark0) {
        wire_.other(byte);
        continue;
      }
      if (got == 1 && byte != kMark1) {
        got = byte == kMark0 ? 1 : 0;
        continue;
      }
      if (got < kHeadBytes) {
        head_[got++] = byte;
        if (got == kHeadBytes && length() > kMaxPayload) return Event::kSpoiled;
        continue;
      }
      if (got < kHeadBytes + length()) {
        payload_[got++ - kHeadBytes] = byte;
        continue;
      }
      crc_[got++ - kHeadBytes - length()] = byte;
      if (got == kHeadBytes + length() + kCrcBytes) return is_whole() ? Event::kWhole : Event::kSpoiled;
    }
  }

  bool is_whole() const {
    const uint32_t crc = crc32(crc32(0, head_ + 2, kHeadBytes - 2), payload_, length());
    for (uint32_t i = 0; i < kCrcBytes; ++i) {
      if (crc_[i] != static_cast<uint8_t>(crc >> (8 * i))) return false;
    }
    return true;
  }

  Wire wire_ = {};
  bool open_ = false, opened_again_ = false;
  uint8_t session_ = 0, sent_ = 0, expected_ = 0;
  uint8_t head_[kHeadBytes] = {}, payload_[kMaxPayload] = {}, crc_[kCrcBytes] = {};  // the frame that comes in
  uint8_t held_payload_[kMaxPayload] = {};                                           // data that nobody has read yet
  uint32_t held_ = 0, at_ = 0;
  uint8_t gathered_payload_[kMaxPayload] = {};  // data that is to go out
  uint32_t gathered_ = 0;
};

}  // namespace wick::frames
