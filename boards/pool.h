// The runner's only memory: handed out from the bottom, given back from the top.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform.h"

namespace wick::runner {

class Pool {
 public:
  explicit constexpr Pool(platform::Bulk bulk) : base_(bulk.base), bytes_(bulk.bytes) {}
  // Null when it does not fit.
  void* alloc(size_t bytes) {
    if (bytes > free_bytes()) return nullptr;
    void* at = base_ + used_;
    used_ += (bytes + protocol::kAlignment - 1) / protocol::kAlignment * protocol::kAlignment;
    return at;
  }
  size_t free_bytes() const { return used_ < bytes_ ? bytes_ - used_ : 0; }
  size_t mark() const { return used_; }
  void rewind(size_t mark) { used_ = mark; }

 private:
  uint8_t* base_;
  size_t bytes_;
  size_t used_ = 0;
};

}  // namespace wick::runner
