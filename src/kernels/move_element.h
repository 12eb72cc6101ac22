// Moves single elements by their width. Knows bytes; refuses to know numbers.
#pragma once

#include <cstdint>

namespace wick::kernels {

// One element of kBytes, aligned to its width (8-byte elements to 4).
template <uint32_t kBytes>
inline void move_element(uint8_t* to, const uint8_t* from) {
  constexpr uint32_t kAlignment = kBytes < 4 ? kBytes : 4;
  __builtin_memcpy(__builtin_assume_aligned(to, kAlignment), __builtin_assume_aligned(from, kAlignment), kBytes);
}

inline void move_element(uint8_t* to, const uint8_t* from, uint32_t bytes) {
  switch (bytes) {
    case 1:
      return move_element<1>(to, from);
    case 2:
      return move_element<2>(to, from);
    case 4:
      return move_element<4>(to, from);
    default:
      return move_element<8>(to, from);
  }
}

// `count` elements, with steps in bytes.
inline void move_elements(uint8_t* to, int32_t to_step, const uint8_t* from, int32_t from_step, int32_t count,
                          uint32_t bytes) {
  if (bytes == 4) {
    for (; count > 0; --count, to += to_step, from += from_step) move_element<4>(to, from);
  } else {
    for (; count > 0; --count, to += to_step, from += from_step) move_element(to, from, bytes);
  }
}

}  // namespace wick::kernels
