// Walks several arrays at once over the same index space, one run at a time: the outer loops of every portable kernel.
// Knows sizes and byte steps; refuses to know what the arrays hold.
#pragma once

#include <cstdint>

namespace wick::kernels {

inline constexpr uint32_t kMaxWalkRank = 16;
inline constexpr uint32_t kMaxOperands = 4;

// The outer dimensions, outermost first; the innermost is the caller's run.
struct Walk {
  const int32_t* dims = nullptr;  // [rank][1 + operands]: the size (at least 1), then each operand's step in bytes
  uint32_t rank = 0;
  uint32_t operands = 0;
};

struct Cursor {
  uint8_t* at[kMaxOperands];
  int32_t index[kMaxWalkRank] = {};
};

// Moves every operand to its next run. After the last it goes back to the first and returns false.
bool advance(const Walk& walk, Cursor& cursor);

}  // namespace wick::kernels
