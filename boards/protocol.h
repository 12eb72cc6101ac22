// What a host and a board that runs programs say to each other, over any stream of bytes: files under emulation, a
// serial line on a board. Both sides include this header. Words are little-endian.
//
// Each message is a Header and `bytes` bytes of payload. The host sends, in this order:
//   kUse? kProgram? kData? kLoad  then any number of  kPrepare kCall*  and  kEnd
// kUse asks whether the board's image holds the program already, so that kProgram isn't needed.
// The board opens with kHello and answers each request: kFound; kLoaded; kPrepared; kCalled, then kOutput for each
// output, then kProfile if asked; kBye. kActivity may come before any answer and says what is about to happen, so that
// the host can name it when no answer comes. kFailed says why a request was refused, and nothing follows it.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace wick::protocol {

inline constexpr uint32_t kVersion = 1;

enum class Kind : uint32_t {
  kProgram = 1,  // the bytes of a .pte
  kData = 2,     // the bytes of a .ptd
  kLoad = 3,
  kPrepare = 4,  // PrepareRequest, then the methods' names, each ended by NUL
  kCall = 5,     // CallRequest, then for each input a ValueHeader and its data, padded to kAlignment
  kEnd = 6,
  kUse = 7,  // UseRequest

  kHello = 32,     // HelloReply
  kActivity = 33,  // text
  kLoaded = 34,    // Cost
  kPrepared = 35,  // PreparedReply
  kCalled = 36,    // CalledReply
  kOutput = 37,    // ValueHeader and its data
  kProfile = 38,   // ProfileReply, then StepSpans, then for each step the name of its operator in kNameBytes
  kFailed = 39,    // a Code (a word), text
  kBye = 40,
  kFound = 41,  // a word: 1 when the image holds the program, which kLoad then loads
};

// Which program is meant; the CRC is frames.h's.
struct UseRequest {
  uint32_t bytes;
  uint32_t crc;
};

// Payloads are read to memory at this alignment, and tensors in them start at a multiple of it.
inline constexpr uint32_t kAlignment = 16;

// Names of operators in a profile: ended by NUL, filled with NUL.
inline constexpr uint32_t kNameBytes = 96;

struct Header {
  Kind kind;
  uint32_t bytes;
};

// What ticks are. A marker is an ordinal: the emulator's plugin has noted how many instructions had been executed.
enum class TickKind : uint32_t { kMarkers = 0, kCycles = 1 };

struct HelloReply {
  uint32_t version;
  TickKind ticks;
  uint32_t ticks_per_second;  // 0 when they have nothing to do with time
};

struct Cost {
  uint32_t start;
  uint32_t stop;
  uint32_t stack_bytes;  // high-water mark, from the frame of the runner on
};

struct PrepareRequest {
  static constexpr uint32_t kExact = 0xFFFFFFFF;
  uint32_t arena_bytes;  // or kExact: what measuring says
  uint32_t method_count;
};

struct PreparedReply {
  Cost cost;
  uint32_t arena_bytes;  // needed
  uint32_t persistent_bytes, planned_bytes, scratch_bytes;
};

struct CallRequest {
  enum Flags : uint32_t {
    kReset = 1,    // mutable state back to its initial values first
    kProfile = 2,  // a span for each step of the last repetition
    kTrace = 4,    // kActivity before each step
  };
  uint32_t method;  // index in PrepareRequest's names
  uint32_t repeat;  // at least 1
  uint32_t flags;
  uint32_t input_count;
};

struct CalledReply {
  Cost cost;  // of the last repetition
  uint32_t output_count;
};

enum class ValueKind : uint32_t { kTensor = 0, kInteger = 1, kDouble = 2, kBool = 3, kString = 4, kNone = 5 };

struct alignas(kAlignment) ValueHeader {
  ValueKind kind;
  uint32_t dtype;
  uint32_t rank;
  int32_t sizes[kMaxRank];
  uint32_t bytes;  // of the data that follows: a tensor in memory order, or a string with its NUL
  int64_t integer;
  double number;
};

struct ProfileReply {
  uint32_t span_count;
  uint32_t step_count;
  uint32_t empty_start, empty_stop;  // the span of a step that does nothing: what the hook itself costs
  uint32_t truncated;                // 1 when there were more spans than the board has memory for
};

struct StepSpan {
  uint32_t step;  // the instruction in the program
  uint32_t start, stop;
};

static_assert(sizeof(CallRequest) % kAlignment == 0 && sizeof(ValueHeader) % kAlignment == 0);

// Bytes that the data of a value takes in a kCall.
constexpr uint32_t padded(uint32_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace wick::protocol
