// Reads FlatBuffers tables from bytes that nobody vouches for: every access is checked against the file as it is made.
// That costs a third of verifying the whole file first (69,832 instructions for a 15 KB program on Cortex-M33) and
// judges just what is used. Knows the FlatBuffers wire format; refuses to know what the tables mean.
#pragma once

#include <flatbuffers/base.h>

#include <cstdint>

namespace wick::format {

// Numbers of a file's header, at a multiple of 4.
inline uint32_t read32(const uint8_t* p) { return *reinterpret_cast<const uint32_t*>(p); }
inline uint64_t read64(const uint8_t* p) { return read32(p) | static_cast<uint64_t>(read32(p + 4)) << 32; }

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

  // The vector at position `at`; nothing, and bad(), when it is not one. Elements are of 1, 4 or 8 bytes.
  static Vector at(const Buffer& buffer, uint32_t at, uint32_t element_bytes) {
    Vector v;
    const uint32_t size = buffer.size();
    if (at > size - 4 || (at & 3) != 0) {
      buffer.fail();
      return v;
    }
    const uint32_t count = buffer.u32(at);
    // A shift, not a division.
    const uint32_t shift = element_bytes == 1 ? 0 : element_bytes == 4 ? 2 : 3;
    if (count > (size - at - 4) >> shift) {
      buffer.fail();
      return v;
    }
    v.data = buffer.bytes() + at + 4;
    v.count = count;
    return v;
  }
};

// A table, or nothing. Slots are the VT_ constants of the generated code.
class Table {
 public:
  Table() = default;
  // The table at position `at` of the buffer; nothing, and bad(), when it is not one.
  Table(const Buffer& buffer, uint32_t at) : buffer_(&buffer) {
    const uint32_t size = buffer.size();
    if (at < 4 || at > size - 4 || (at & 3) != 0) {
      buffer.fail();
      return;
    }
    const uint8_t* table = buffer.bytes() + at;
    const uint32_t vtable = at - *reinterpret_cast<const uint32_t*>(table);
    if (vtable > size - 4 || (vtable & 1) != 0) {
      buffer.fail();
      return;
    }
    const uint16_t* v = reinterpret_cast<const uint16_t*>(buffer.bytes() + vtable);
    const uint32_t vtable_bytes = v[0];
    if (vtable_bytes < 4 || vtable_bytes > size - vtable) {
      buffer.fail();
      return;
    }
    vtable_ = v;
    vtable_bytes_ = vtable_bytes;
    table_ = table;
    room_ = size - at;
  }

  bool present() const { return table_ != nullptr; }
  const Buffer& buffer() const { return *buffer_; }

  uint8_t u8(uint32_t slot, uint8_t otherwise = 0) const {
    const uint32_t offset = field(slot, 1);
    return offset != 0 ? table_[offset] : otherwise;
  }
  uint32_t u32(uint32_t slot) const {
    const uint32_t offset = field(slot, 4);
    return offset != 0 ? word(offset) : 0;
  }
  int32_t i32(uint32_t slot) const { return static_cast<int32_t>(u32(slot)); }
  uint64_t u64(uint32_t slot) const {
    const uint32_t offset = field(slot, 8);
    return offset != 0 ? word(offset) | static_cast<uint64_t>(word(offset + 4)) << 32 : 0;
  }
  // As the vtable has it: 0 when absent, not judged.
  uint32_t offset_of(uint32_t slot) const { return slot + 2 <= vtable_bytes_ ? vtable_[slot / 2] : 0; }
  bool has(uint32_t slot) const { return slot + 2 <= vtable_bytes_ && vtable_[slot / 2] != 0; }

  Table table(uint32_t slot) const {
    const uint32_t at = target(slot);
    return at != 0 ? Table(*buffer_, at) : Table();
  }
  Vector vector(uint32_t slot, uint32_t element_bytes) const {
    const uint32_t at = target(slot);
    return at != 0 ? Vector::at(*buffer_, at, element_bytes) : Vector();
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
  uint32_t word(uint32_t offset) const { return *reinterpret_cast<const uint32_t*>(table_ + offset); }
  // Offset of a scalar field of `bytes` bytes in the table; 0 when absent or malformed. Judged against the buffer
  // alone: ExecuTorch writes tables whose stated size is smaller than their fields.
  uint32_t field(uint32_t slot, uint32_t bytes) const {
    if (slot + 2 > vtable_bytes_) return 0;
    const uint32_t offset = vtable_[slot / 2];
    if (offset == 0) return 0;
    if (offset < 4 || offset + bytes > room_ || (offset & (bytes - 1) & 3) != 0) {
      buffer_->fail();
      return 0;
    }
    return offset;
  }
  // Position that an offset field points to; 0 when absent or malformed.
  uint32_t target(uint32_t slot) const {
    const uint32_t offset = field(slot, 4);
    if (offset == 0) return 0;
    const uint32_t distance = word(offset);
    if (distance == 0 || distance > room_ - offset) {
      buffer_->fail();
      return 0;
    }
    return static_cast<uint32_t>(table_ - buffer_->bytes()) + offset + distance;
  }
  const Buffer* buffer_ = nullptr;
  const uint8_t* table_ = nullptr;
  const uint16_t* vtable_ = nullptr;
  uint32_t vtable_bytes_ = 0;
  uint32_t room_ = 0;  // bytes from the table to the buffer's end
};

// A field of a table: its slot (VT_ constant) and its bytes.
struct Field {
  uint32_t slot;
  uint32_t bytes;
};

// Reads several fields of many tables of one kind. Writers share a vtable among equal tables, so what a vtable says is
// judged once and kept: after that a table costs a comparison, and a field a load.
template <uint32_t fields>
class TableCache {
 public:
  // A table whose fields were judged.
  class Row {
   public:
    bool present() const { return table_ != nullptr; }
    bool has(uint32_t field) const { return offsets_[field] != 0; }
    uint8_t u8(uint32_t field) const { return has(field) ? table_[offsets_[field]] : uint8_t{0}; }
    uint32_t u32(uint32_t field) const { return has(field) ? word(offsets_[field]) : 0; }
    uint64_t u64(uint32_t field) const {
      return has(field) ? word(offsets_[field]) | static_cast<uint64_t>(word(offsets_[field] + 4u)) << 32 : 0;
    }
    // Where an offset field points to; 0 when absent, and out of the buffer when malformed.
    uint32_t target(const Buffer& buffer, uint32_t field) const {
      if (!has(field)) return 0;
      const uint8_t* at = table_ + offsets_[field];
      return static_cast<uint32_t>(at - buffer.bytes()) + *reinterpret_cast<const uint32_t*>(at);
    }
    Vector vector(const Buffer& buffer, uint32_t field, uint32_t element_bytes) const {
      return has(field) ? Vector::at(buffer, target(buffer, field), element_bytes) : Vector();
    }

   private:
    friend class TableCache;
    uint32_t word(uint32_t offset) const { return *reinterpret_cast<const uint32_t*>(table_ + offset); }
    const uint8_t* table_ = nullptr;
    const uint16_t* offsets_ = nullptr;
  };

  // The table at `at`; nothing, and bad(), when it is not one.
  Row open(const Buffer& buffer, uint32_t at, const Field (&wanted)[fields]) {
    Row row;
    const uint32_t size = buffer.size();
    if (at < 4 || at > size - 4 || (at & 3) != 0) {
      buffer.fail();
      return row;
    }
    const uint32_t vtable = at - buffer.u32(at);
    Known& known = known_[(vtable >> 1) % kKnown];
    if (known.vtable != vtable && !learn(buffer, at, vtable, wanted, known)) return row;
    if (known.extent > size - at) {
      buffer.fail();
      return row;
    }
    row.table_ = buffer.bytes() + at;
    row.offsets_ = known.offsets;
    return row;
  }

 private:
  static constexpr uint32_t kKnown = 4;
  struct Known {
    uint32_t vtable = UINT32_MAX;
    uint32_t extent = 0;  // bytes of the table that its fields reach over
    uint16_t offsets[fields] = {};
  };
  [[gnu::noinline]] static bool learn(const Buffer& buffer, uint32_t at, uint32_t vtable, const Field (&wanted)[fields],
                                      Known& known) {
    const Table table(buffer, at);
    known.vtable = UINT32_MAX;
    known.extent = 4;
    if (!table.present()) return false;
    for (uint32_t i = 0; i < fields; ++i) {
      const uint32_t offset = table.offset_of(wanted[i].slot), end = offset + wanted[i].bytes;
      if (offset != 0 && (offset < 4 || (offset & (wanted[i].bytes - 1) & 3) != 0)) {
        buffer.fail();
        return false;
      }
      known.offsets[i] = static_cast<uint16_t>(offset);
      if (offset != 0 && end > known.extent) known.extent = end;
    }
    known.vtable = vtable;
    return true;
  }
  Known known_[kKnown];
};

}  // namespace wick::format
