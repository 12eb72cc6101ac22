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

// A position in words; what is no multiple of 4 becomes larger than any position.
inline uint32_t rotated(uint32_t at) { return at >> 2 | at << 30; }

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

// The zero-terminated text that a field `offset` bytes into the table at `at` points to; null when that is 0, or bad.
inline const char* string_at(const Buffer& buffer, uint32_t at, uint32_t offset) {
  if (offset == 0) return nullptr;
  const Vector v = Vector::at(buffer, at + offset + buffer.u32(at + offset), 1);
  if (!v.present()) return nullptr;
  // The terminator lies just behind the counted bytes.
  if (v.data + v.count >= buffer.bytes() + buffer.size() || v.data[v.count] != 0) {
    buffer.fail();
    return nullptr;
  }
  return reinterpret_cast<const char*>(v.data);
}

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

// Offsets of `count` fields of the table at `at`, 0 for those that are absent, a bit for each that is there, and the
// bytes that they reach over. False, and bad(), when it is no table.
bool judge_layout(const Buffer& buffer, uint32_t at, const Field* wanted, uint32_t count, uint16_t* offsets,
                  uint32_t* present, uint32_t* extent);

// Tables of one kind. Writers share a vtable among equal tables, so what a vtable says is judged once and kept: after
// that a table costs a few comparisons, and a field a load.
template <uint32_t fields>
class TableCache {
 public:
  // What the tables of one vtable have in common: where their fields lie, 0 for what is absent.
  struct Layout {
    uint32_t vtable = UINT32_MAX;
    uint32_t present = 0;  // a bit for each field that is there
    uint16_t offsets[fields] = {};
  };

  // How the table at `at` is laid out; null, and bad(), when it is not one. All of its fields lie inside the buffer.
  [[gnu::always_inline]] const Layout* open(const Buffer& buffer, uint32_t at, const Field (&wanted)[fields]) {
    if (rotated(at) <= last_) {
      const uint32_t vtable = at - buffer.u32(at);
      const Layout& known = known_[(vtable >> 1) % kKnown];
      if (known.vtable == vtable) return &known;
    }
    return learn(buffer, at, wanted);
  }
  // The last position, in words, where a table as large as any known one may lie.
  uint32_t last() const { return last_; }

 private:
  static constexpr uint32_t kKnown = 4;
  [[gnu::noinline]] const Layout* learn(const Buffer& buffer, uint32_t at, const Field (&wanted)[fields]) {
    const bool aligned = (at & 3) == 0 && at <= buffer.size() - 4;
    const uint32_t vtable = aligned ? at - buffer.u32(at) : 0;
    Layout& known = known_[(vtable >> 1) % kKnown];
    known.vtable = UINT32_MAX;
    uint32_t extent;
    if (!judge_layout(buffer, at, wanted, fields, known.offsets, &known.present, &extent)) return nullptr;
    known.vtable = vtable;
    if (extent > extent_) {
      extent_ = extent;
      last_ = (buffer.size() - extent) >> 2;
    }
    return &known;
  }

  Layout known_[kKnown];
  uint32_t extent_ = 0;  // the most bytes that any known table reaches over
  uint32_t last_ = 0;    // the last position, in words, where that many follow
};

}  // namespace wick::format
