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

// Where a tensor's bytes come from.
struct TensorFacts {
  const int32_t* sizes;      // upper bounds when dynamic
  const uint8_t* dim_order;  // a permutation of 0..rank-1
  uint32_t rank;
  DType dtype;
  bool dynamic;
  bool external;        // bytes are in a named data file
  bool planned;         // has a place in planned memory
  uint32_t bytes;       // of the whole tensor
  uint32_t data_index;  // constant or initial value; 0: none
  uint32_t memory_id;   // from 1
  uint32_t offset;      // in that memory
  const char* name;     // fully qualified name, or null
};

class PteFile {
 public:
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

 private:
  Status segment(uint32_t index, Bytes* bytes, ErrorText& error) const;
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
  static constexpr uint32_t kTensorFields = 9;
  mutable TableCache<kTensorFields> tensors_;
  mutable TableCache<3> allocations_;
};

}  // namespace wick::format
