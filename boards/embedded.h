// The programs that an image carries. The table is generated with the image; an image that is given its programs later
// has an empty one.
#pragma once

#include <cstdint>

namespace wick::board {

struct EmbeddedProgram {
  const char* name;
  const char* kind;  // "FP32" or "INT8"
  const void* data;  // 16-byte aligned
  uint32_t bytes;
};

extern const EmbeddedProgram* const embedded;
extern const uint32_t embedded_count;

}  // namespace wick::board
