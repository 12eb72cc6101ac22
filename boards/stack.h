// How deep a call went: the free part of the stack is painted before it, and looked through after it.
#pragma once

#include <cstdint>

#include "platform.h"

namespace wick::runner {

inline constexpr uint32_t kPaint = 0x5ac3a53c;

// In the caller's frame, so that what is painted starts right under it.
[[gnu::always_inline]] inline uint32_t* stack_pointer() {
  uint32_t* sp;
  __asm volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

[[gnu::always_inline]] inline uint32_t* paint_stack() {
  uint32_t* const top = stack_pointer();
  for (volatile uint32_t* word = platform::stack_limit(); word < top; ++word) *word = kPaint;
  return top;
}

// Bytes under `top` that no longer have their paint.
inline uint32_t stack_used(const uint32_t* top) {
  const volatile uint32_t* word = platform::stack_limit();
  while (word < top && *word == kPaint) ++word;
  return static_cast<uint32_t>((top - word) * sizeof(uint32_t));
}

}  // namespace wick::runner
