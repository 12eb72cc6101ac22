// Memory at a chosen misalignment with guard bytes on both sides. Under AddressSanitizer the guards may not even be
// read; elsewhere intact() tells whether they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/random.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace wick::test {

template <typename T>
class Guarded {
 public:
  // `offset`: bytes past a 16-byte boundary.
  explicit Guarded(size_t count, size_t offset = 0) : count_(count), storage_(bytes() + 2 * kGuard + 32) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(storage_.data());
    first_ = static_cast<size_t>((at + kGuard + 15) / 16 * 16 - at) + offset;
    for (size_t i = 0; i < storage_.size(); ++i) storage_[i] = pattern(i);
    memset(storage_.data() + first_, 0, bytes());
    forbid(true);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { forbid(false); }

  T* data() { return reinterpret_cast<T*>(storage_.data() + first_); }
  const T* data() const { return reinterpret_cast<const T*>(storage_.data() + first_); }
  size_t size() const { return count_; }
  T& operator[](size_t i) { return data()[i]; }

  void fill_garbage(Random& random) {
    for (size_t i = 0; i < bytes(); ++i) storage_[first_ + i] = static_cast<uint8_t>(random.next());
  }
  bool intact() {
    forbid(false);
    bool same = true;
    for (size_t i = 0; i < storage_.size(); ++i) {
      if ((i < first_ || i >= first_ + bytes()) && storage_[i] != pattern(i)) same = false;
    }
    forbid(true);
    return same;
  }

 private:
  static constexpr size_t kGuard = 64;
  static uint8_t pattern(size_t i) { return static_cast<uint8_t>(0xA5 ^ (i * 29)); }
  size_t bytes() const { return count_ * sizeof(T); }
  void forbid([[maybe_unused]] bool yes) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(storage_.data(), storage_.size());
    if (!yes) return;
    ASAN_POISON_MEMORY_REGION(storage_.data(), first_);
    ASAN_POISON_MEMORY_REGION(storage_.data() + first_ + bytes(), storage_.size() - first_ - bytes());
#endif
  }

  size_t count_;
  std::vector<uint8_t> storage_;
  size_t first_ = 0;
};

// Index of the first element that differs, or -1.
template <typename T>
int32_t first_difference(const T* a, const T* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (memcmp(&a[i], &b[i], sizeof(T)) != 0) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace wick::test
