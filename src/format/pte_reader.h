// The facts of a .pte file: header, segments, methods, values, tensors. Judges every byte that it reads; refuses to
// know what operators do with them. Nothing is copied: what it returns points into the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/status.h"
#include "core/tensor.h"
#include "format/checked.h"
#include "format/named_data.h"

namespace wick::format {

// A .pte must lie at a multiple of this, so that constants are aligned in place.
inline constexpr uint32_t kFileAlignment = 16;

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// A tensor of the file. Where its bytes are not in the program, the caller finds them.
struct TensorFacts {
  Tensor tensor;        // sizes are upper bounds when dynamic; data is null unless it is a constant of the program
  uint32_t bytes;       // of the whole tensor
  uint32_t memory_id;   // of a planned tensor, from 1
  uint32_t offset;      // in that memory
  uint32_t data_index;  // constant or initial value; 0: none
  const char* name;     // fully qualified name, or null
  bool external;        // bytes are in a named data file
  uint8_t element_bytes;
};

class PteFile {
 public:
  static constexpr uint32_t kTensorFields = 9;
  PteFile() = default;
  PteFile(const PteFile&) = delete;  // tables point at the buffer inside
  PteFile& operator=(const PteFile&) = delete;

  // Reads the header and the segment table. The bytes must stay.
  Status open(const void* bytes, size_t size, ErrorText& error);

  size_t file_bytes() const { return file_.size; }
  const Buffer& buffer() const { return buffer_; }
  uint32_t plan_count() const { return plans_.count; }
  Table plan(uint32_t index) const { return Table::element(buffer_, plans_, index); }
  const Table& root() const { return root_; }

  // `bytes` bytes of constant `index` (from 1).
  Status constant(uint32_t index, uint32_t bytes, const uint8_t** data, ErrorText& error) const;
  // `bytes` bytes of the initial value `index` of a mutable tensor.
  Status initial_value(uint32_t index, uint32_t bytes, const uint8_t** data, ErrorText& error) const;
  // The bytes filed under a name inside the program; kNotFound when there are none.
  Status named_data(const char* name, Bytes* bytes, ErrorText& error) const;
  // Reads the tensor table at a position. The caller puts the place in front of the message.
  Status tensor(uint32_t at, TensorFacts* facts, ErrorText& error) const;

  // The data of a constant of rank 1 with `count` elements of a dtype of 4 bytes; null when it is anything else, which
  // is for tensor() to judge.
  const uint8_t* plain_table(uint32_t at, DType dtype, uint32_t count) const;

 private:
  Status segment(uint32_t index, Bytes* bytes, ErrorText& error) const;
  bool tensor_rarities(uint32_t at, const uint16_t* offsets, TensorFacts* facts, Status* status,
                       ErrorText& error) const;
  Status subsegment(const Vector& offsets, const Bytes& segment_bytes, uint32_t index, uint32_t bytes, const char* what,
                    const uint8_t** data, ErrorText& error) const;

  Bytes file_;
  Buffer buffer_;
  Table root_;
  Vector plans_;
  Vector segments_;
  uint64_t segment_base_ = 0;
  // The constants' segment, looked up once.
  Vector constant_offsets_;
  Bytes constant_bytes_;
  mutable TableCache<kTensorFields> tensors_;
  mutable TableCache<3> allocations_;
};

}  // namespace wick::format
