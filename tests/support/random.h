// A small random source for tests that also run on bare metal: the same seed gives the same numbers everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::test {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 0x9E3779B9u) {
    if (state_ == 0) state_ = 1;
    for (int i = 0; i < 4; ++i) next();
  }
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  // A whole number in [low, high].
  int32_t in(int32_t low, int32_t high) {
    const uint64_t span = static_cast<uint64_t>(static_cast<int64_t>(high) - low) + 1;
    return static_cast<int32_t>(low + static_cast<int64_t>((static_cast<uint64_t>(next()) * span) >> 32));
  }
  bool one_in(uint32_t n) { return next() % n == 0; }
  template <typename T, size_t N>
  T of(const T (&choices)[N]) {
    return choices[next() % N];
  }

 private:
  uint32_t state_;
};

}  // namespace wick::test
