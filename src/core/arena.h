// Bytes that the caller owns, handed out from the bottom. A measuring arena has no memory and only counts: what it
// says afterwards is exactly what a real one must hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick {

class Arena {
 public:
  static constexpr uint32_t kAlignment = 16;

  // Measures: alloc() returns null and counts.
  constexpr Arena() = default;
  // Any base works; one that is not a multiple of kAlignment loses the bytes up to the next multiple.
  Arena(void* base, size_t bytes) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(base);
    const uintptr_t aligned = (at + kAlignment - 1) & ~static_cast<uintptr_t>(kAlignment - 1);
    lost_ = static_cast<uint32_t>(aligned - at);
    base_ = reinterpret_cast<uint8_t*>(aligned);
    capacity_ = bytes > lost_ ? bytes - lost_ : 0;
    measuring_ = false;
  }

  bool measuring() const { return measuring_; }
  // Null when measuring and when the bytes do not fit; `needed_bytes` counts on in both cases. `alignment` is a power
  // of two, at most kAlignment.
  void* alloc(size_t bytes, uint32_t alignment) {
    const size_t at = (needed_ + alignment - 1) & ~static_cast<size_t>(alignment - 1);
    if (at < needed_ || bytes > SIZE_MAX / 2 - at) {
      wrapped_ = true;
      return nullptr;
    }
    needed_ = at + bytes;
    return measuring_ || needed_ > capacity_ ? nullptr : base_ + at;
  }
  // Bytes asked for so far, padding included, from an aligned base.
  size_t needed_bytes() const { return needed_; }
  // What the caller must give for `needed_bytes` to fit: the same, plus what a misaligned base loses.
  size_t required_bytes() const { return needed_ + lost_; }
  size_t given_bytes() const { return capacity_ + lost_; }
  bool overflowed() const { return wrapped_ || (!measuring_ && needed_ > capacity_); }
  bool wrapped() const { return wrapped_; }
  // Takes back everything that was handed out after `mark` = needed_bytes() at that time.
  void rewind(size_t mark) { needed_ = mark; }
  uint8_t* base() const { return base_; }

 private:
  uint8_t* base_ = nullptr;
  size_t capacity_ = 0;
  size_t needed_ = 0;
  uint32_t lost_ = 0;
  bool measuring_ = true;
  bool wrapped_ = false;
};

}  // namespace wick
