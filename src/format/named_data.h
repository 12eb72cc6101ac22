// The facts of a .ptd file: tensors filed under names, for programs whose weights lie beside them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/status.h"
#include "format/checked.h"

namespace wick::format {

struct TensorFacts;

class PtdFile {
 public:
  PtdFile() = default;
  PtdFile(const PtdFile&) = delete;  // tables point at the buffer inside
  PtdFile& operator=(const PtdFile&) = delete;

  // The bytes must lie at a multiple of 16 and stay.
  Status open(const void* bytes, size_t size, ErrorText& error);
  bool is_open() const { return root_.present(); }
  // The bytes of tensor `name`, whose layout must be that of `facts`.
  Status tensor(const char* name, const TensorFacts& facts, const uint8_t** data, ErrorText& error) const;

 private:
  const uint8_t* file_ = nullptr;
  size_t file_bytes_ = 0;
  Buffer buffer_;
  Table root_;
  uint64_t segment_base_ = 0;
};

}  // namespace wick::format
