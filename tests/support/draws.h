// What the kernel tests draw at random: data, quantization parameters, and how often. Plain random data hides most
// rounding mistakes, so a third of all draws is made of small sums that land on ties.
#pragma once

#include <cstdint>

#include "support/guarded.h"
#include "support/random.h"

namespace wick::test {

// Draws of every random sweep are multiples of this: the one place to trade time for coverage.
inline constexpr uint32_t kDraws = 200;

enum class Mood : uint8_t { kOrdinary, kTies, kExtremes };

inline Mood draw_mood(Random& random) { return static_cast<Mood>(random.next() % 3); }

// Bytes for activations or weights; `center` is the value that counts as zero.
inline void draw_bytes(Random& random, Mood mood, int32_t center, Guarded<int8_t>& bytes) {
  const bool ends_only = mood == Mood::kExtremes && random.one_in(2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    int32_t value = random.in(-128, 127);
    if (mood == Mood::kTies) value = center + (random.one_in(2) ? 0 : random.in(-2, 2));
    if (ends_only) value = random.one_in(2) ? -128 : 127;
    bytes[i] = static_cast<int8_t>(value < -128 ? -128 : value > 127 ? 127 : value);
  }
}

// A zero point; the extremes are its ends.
inline int32_t draw_zero_point(Random& random, Mood mood) {
  static constexpr int32_t kEnds[] = {-128, 127, 0, -127};
  return mood == Mood::kExtremes ? random.of(kEnds) : random.in(-128, 127);
}

// A factor for sums of about `magnitude`.
inline void draw_factor(Random& random, Mood mood, int32_t magnitude, int32_t* multiplier, int32_t* shift) {
  static constexpr int32_t kMultipliers[] = {0, 1, 1 << 30, (1 << 30) + 1, INT32_MAX - 1, INT32_MAX};
  switch (mood) {
    case Mood::kOrdinary: {
      int32_t bits = 0;
      while ((magnitude >> bits) > 0) ++bits;
      const int32_t middle = 7 - bits;
      *multiplier = random.in(1 << 30, INT32_MAX);
      *shift = random.in(middle - 2 < -31 ? -31 : middle - 2, middle + 1);
      break;
    }
    case Mood::kTies:
      *multiplier = random.one_in(4) ? random.in(1 << 30, INT32_MAX) : 1 << 30;
      *shift = -random.in(0, 3);
      break;
    case Mood::kExtremes:
      *multiplier = random.one_in(3) ? random.of(kMultipliers) : random.in(0, INT32_MAX);
      *shift = random.in(-31, 30);
      break;
  }
}

// Output range: usually all of int8, sometimes narrow, down to a single value.
inline void draw_activation(Random& random, int32_t* low, int32_t* high) {
  *low = -128;
  *high = 127;
  if (random.one_in(3)) {
    *low = random.in(-128, 127);
    *high = random.in(*low, 127);
  }
}

inline int32_t draw_bias(Random& random, Mood mood) {
  if (mood == Mood::kTies) return random.in(-4, 4);
  if (mood == Mood::kExtremes && random.one_in(4)) return random.one_in(2) ? INT32_MIN : INT32_MAX;
  return random.in(-20000, 20000);
}

// A misalignment for bytes.
inline size_t draw_offset(Random& random) { return random.next() % 16; }

}  // namespace wick::test
