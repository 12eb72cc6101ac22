// Four INT8 lanes in a word: the instructions of the DSP extension that the C++ kernels use, at any alignment (Armv7-M
// and Armv8-M Mainline load and store unaligned words).
#pragma once

#include <arm_acle.h>

#include <cstdint>
#include <cstring>

namespace wick::kernels::dsp {

inline uint32_t load4(const int8_t* p) {
  uint32_t word;
  memcpy(&word, p, sizeof(word));
  return word;
}
inline void store4(int8_t* p, uint32_t word) { memcpy(p, &word, sizeof(word)); }
inline uint32_t splat4(int32_t value) { return 0x01010101u * static_cast<uint8_t>(value); }

// Lanes 0 and 2 (even) or 1 and 3 (odd), sign-extended and added to two halves.
inline uint32_t add_even(uint32_t halves, uint32_t bytes) {
  uint32_t sum;
  __asm("sxtab16 %0, %1, %2" : "=r"(sum) : "r"(halves), "r"(bytes));
  return sum;
}
inline uint32_t add_odd(uint32_t halves, uint32_t bytes) {
  uint32_t sum;
  __asm("sxtab16 %0, %1, %2, ror #8" : "=r"(sum) : "r"(halves), "r"(bytes));
  return sum;
}

// SSUB8 leaves one flag a lane, SEL reads them: one statement, so that nothing comes between.
inline uint32_t max4(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}
inline uint32_t min4(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}

// Bounds in the INT8 range; for values that are saturated already this is what clamping before would have given.
inline void clamp_s8(int8_t* data, int32_t count, int32_t low, int32_t high) {
  if (low <= -128 && high >= 127) return;
  const uint32_t low4 = splat4(low), high4 = splat4(high);
  for (; count >= 4; count -= 4, data += 4) store4(data, min4(max4(load4(data), low4), high4));
  for (; count > 0; --count, ++data) {
    const int32_t raised = *data > low ? *data : low;
    *data = static_cast<int8_t>(raised < high ? raised : high);
  }
}

}  // namespace wick::kernels::dsp
