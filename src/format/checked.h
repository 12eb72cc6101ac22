// Reads FlatBuffers tables from bytes that nobody vouches for: every access is checked against the file as it is made.
// That costs a third of verifying the whole file first (69,832 instructions for a 15 KB program on Cortex-M33) and
// judges just what is used. Knows the FlatBuffers wire format; refuses to know what the tables mean.
#pragma once

#include <flatbuffers/base.h>

#include <cstdint>

namespace wick::format {

// The bytes of a FlatBuffer, at a 4-byte aligned address. A malformed access sets bad() and yields a harmless value,
// so that callers check once after reading what they need.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const uint8_t* bytes, uint32_t size) : bytes_(bytes), size_(size) {}

  const uint8_t* bytes() const { return bytes_; }
  uint32_t size() const { return size_; }
  bool bad() const { return bad_; }
  void fail() const { bad_ = true; }
  void clear() const { bad_ = false; }

  uint32_t u32(uint32_t at) const { return *reinterpret_cast<const uint32_t*>(bytes_ + at); }

 private:
  const uint8_t* bytes_ = nullptr;
  uint32_t size_ = 0;
  mutable bool bad_ = false;
};

// A vector of `count` elements of a fixed size starting at `data`. Elements of 8 bytes lie at multiples of 4.
struct Vector {
  const uint8_t* data = nullptr;
  uint32_t count = 0;

  uint32_t u32(uint32_t i) const { return reinterpret_cast<const uint32_t*>(data)[i]; }
  int32_t i32(uint32_t i) const { return static_cast<int32_t>(u32(i)); }
  uint64_t u64(uint32_t i) const { return u32(2 * i) | static_cast<uint64_t>(u32(2 * i + 1)) << 32; }
  bool present() const { return data != nullptr; }
};

// A table, or nothing (at == 0). Slots are the VT_ constants of the generated code.
class Table {
 public:
  Table() = default;
  // The table at position `at` of the buffer; nothing, and bad(), when it is not one.
  Table(const Buffer& buffer, uint32_t at) : buffer_(&buffer) {
    if (at < 4 || at > buffer.size() - 4 || (at & 3) != 0) {
      buffer.fail();
      return;
    }
    const uint32_t vtable = at - buffer.u32(at);
    if (vtable > buffer.size() - 4 || (vtable & 1) != 0) {
      buffer.fail();
      return;
    }
    const uint16_t* v = reinterpret_cast<const uint16_t*>(buffer.bytes() + vtable);
    const uint32_t vtable_bytes = v[0], table_bytes = v[1];
    if (vtable_bytes < 4 || vtable_bytes > buffer.size() - vtable || table_bytes > buffer.size() - at) {
      buffer.fail();
      return;
    }
    vtable_ = v;
    vtable_bytes_ = vtable_bytes;
    at_ = at;
  }

  bool present() const { return at_ != 0; }
  uint32_t position() const { return at_; }
  const Buffer& buffer() const { return *buffer_; }

  uint8_t u8(uint32_t slot, uint8_t otherwise = 0) const {
    const uint32_t at = field(slot, 1);
    return at != 0 ? buffer_->bytes()[at] : otherwise;
  }
  uint32_t u32(uint32_t slot) const {
    const uint32_t at = field(slot, 4);
    return at != 0 ? buffer_->u32(at) : 0;
  }
  int32_t i32(uint32_t slot) const { return static_cast<int32_t>(u32(slot)); }
  uint64_t u64(uint32_t slot) const {
    const uint32_t at = field(slot, 8);
    return at != 0 ? buffer_->u32(at) | static_cast<uint64_t>(buffer_->u32(at + 4)) << 32 : 0;
  }
  bool has(uint32_t slot) const { return slot < vtable_bytes_ && vtable_[slot / 2] != 0; }

  Table table(uint32_t slot) const {
    const uint32_t at = target(slot);
    return at != 0 ? Table(*buffer_, at) : Table();
  }
  Vector vector(uint32_t slot, uint32_t element_bytes) const {
    const uint32_t at = target(slot);
    return at != 0 ? vector_at(*buffer_, at, element_bytes) : Vector();
  }
  // Zero-terminated, or null when absent.
  const char* string(uint32_t slot) const {
    const Vector v = vector(slot, 1);
    if (!v.present()) return nullptr;
    // The terminator lies just behind the counted bytes.
    if (v.data + v.count >= buffer_->bytes() + buffer_->size() || v.data[v.count] != 0) {
      buffer_->fail();
      return nullptr;
    }
    return reinterpret_cast<const char*>(v.data);
  }
  // Element `i` of a vector of tables.
  static Table element(const Buffer& buffer, const Vector& v, uint32_t i) {
    const uint32_t at = static_cast<uint32_t>(v.data - buffer.bytes()) + 4 * i;
    const uint32_t distance = buffer.u32(at);
    if (distance > buffer.size() - at) {
      buffer.fail();
      return Table();
    }
    return Table(buffer, at + distance);
  }

 private:
  // Position of a scalar field of `bytes` bytes; 0 when absent or malformed. Judged against the buffer alone:
  // ExecuTorch writes tables whose stated size is smaller than their fields.
  uint32_t field(uint32_t slot, uint32_t bytes) const {
    if (slot + 2 > vtable_bytes_) return 0;
    const uint32_t offset = vtable_[slot / 2];
    if (offset == 0) return 0;
    const uint32_t at = at_ + offset;
    if (offset < 4 || at > buffer_->size() - bytes || (at & (bytes - 1) & 3) != 0) {
      buffer_->fail();
      return 0;
    }
    return at;
  }
  // Position that an offset field points to; 0 when absent or malformed.
  uint32_t target(uint32_t slot) const {
    const uint32_t at = field(slot, 4);
    if (at == 0) return 0;
    const uint32_t distance = buffer_->u32(at);
    if (distance == 0 || distance > buffer_->size() - at) {
      buffer_->fail();
      return 0;
    }
    return at + distance;
  }
  static Vector vector_at(const Buffer& buffer, uint32_t at, uint32_t element_bytes) {
    Vector v;
    if (at > buffer.size() - 4 || (at & 3) != 0) {
      buffer.fail();
      return v;
    }
    const uint32_t count = buffer.u32(at);
    if (count > (buffer.size() - at - 4) / element_bytes) {
      buffer.fail();
      return v;
    }
    v.data = buffer.bytes() + at + 4;
    v.count = count;
    return v;
  }

  const Buffer* buffer_ = nullptr;
  const uint16_t* vtable_ = nullptr;
  uint32_t at_ = 0;
  uint32_t vtable_bytes_ = 0;
};

}  // namespace wick::format
