#include "format/named_data.h"

#include "format/flat_tensor_generated.h"
#include "format/pte_reader.h"

namespace wick::format {

namespace {
constexpr uint32_t kHeaderAt = 8;
constexpr uint32_t kHeaderBytes = 40;  // magic, length, FlatBuffer offset and size, segment base and size
}  // namespace

Status PtdFile::open(const void* bytes, size_t size, ErrorText& error) {
  root_ = Table();
  const uint8_t* p = static_cast<const uint8_t*>(bytes);
  if (p == nullptr || size < kHeaderAt + kHeaderBytes) {
    error.add("data file: too short, ", static_cast<uint64_t>(size), " bytes");
    return Code::kInvalidProgram;
  }
  if (reinterpret_cast<uintptr_t>(p) % kFileAlignment != 0) {
    error.add("data file: must lie at a multiple of ", kFileAlignment, " bytes");
    return Code::kInvalidArgument;
  }
  if (!(p[4] == 'F' && p[5] == 'T' && p[6] == '0' && p[7] == '1' && p[8] == 'F' && p[9] == 'H' && p[10] == '0' &&
        p[11] == '1' && read32(p + 12) >= kHeaderBytes)) {
    error.add("data file: not a .ptd: no \"FT01\" and \"FH01\" at bytes 4 and 8");
    return Code::kInvalidProgram;
  }
  const uint64_t table_offset = read64(p + 16), table_bytes = read64(p + 24);
  segment_base_ = read64(p + 32);
  const uint64_t segment_bytes = read64(p + 40);
  if (table_offset > size || table_bytes > size - table_offset || segment_base_ > size ||
      segment_bytes > size - segment_base_ || size > INT32_MAX) {
    error.add("data file: truncated or inconsistent header");
    return Code::kInvalidProgram;
  }
  file_ = p;
  file_bytes_ = size;
  // Offsets inside count from byte 0, so the whole file is the buffer.
  buffer_ = Buffer(p, static_cast<uint32_t>(size));
  root_ = Table(buffer_, read32(p));
  if (buffer_.bad()) {
    root_ = Table();
    error.add("data file: malformed root table");
    return Code::kInvalidProgram;
  }
  return {};
}

Status PtdFile::tensor(const char* name, const TensorFacts& facts, const uint8_t** data, ErrorText& error) const {
  const Vector entries = root_.vector(fb::data::FlatTensor::VT_NAMED_DATA, 4);
  const Vector segments = root_.vector(fb::data::FlatTensor::VT_SEGMENTS, 4);
  for (uint32_t i = 0; i < entries.count && !buffer_.bad(); ++i) {
    const Table entry = Table::element(buffer_, entries, i);
    const char* key = entry.present() ? entry.string(fb::data::NamedData::VT_KEY) : nullptr;
    if (key == nullptr || !same_text(key, name)) continue;
    const Table layout = entry.table(fb::data::NamedData::VT_LAYOUT);
    if (layout.present()) {
      const Vector sizes = layout.vector(fb::data::Layout::VT_SIZES, 4);
      const Vector order = layout.vector(fb::data::Layout::VT_DIM_ORDER, 1);
      bool same = layout.u8(fb::data::Layout::VT_SCALAR_TYPE) == static_cast<uint8_t>(facts.tensor.dtype) &&
                  sizes.count == facts.tensor.rank && order.count == facts.tensor.rank;
      for (uint32_t d = 0; same && d < facts.tensor.rank; ++d) {
        same = sizes.i32(d) == facts.tensor.sizes[d] && order.data[d] == facts.tensor.dim_order[d];
      }
      if (!same) {
        error.add("data file: tensor \"", name, "\" has another dtype, shape or dim_order than the program wants");
        return Code::kInvalidProgram;
      }
    }
    const uint32_t index = entry.u32(fb::data::NamedData::VT_SEGMENT);
    if (index >= segments.count) {
      error.add("data file: tensor \"", name, "\" is in segment ", index, " of ", segments.count);
      return Code::kInvalidProgram;
    }
    const Table segment = Table::element(buffer_, segments, index);
    const uint64_t offset = segment.u64(fb::data::Segment::VT_OFFSET);
    const uint64_t bytes = segment.u64(fb::data::Segment::VT_SIZE);
    const uint64_t room = file_bytes_ - segment_base_;
    if (buffer_.bad() || offset > room || bytes > room - offset || facts.bytes > bytes) {
      error.add("data file: tensor \"", name, "\" needs ", facts.bytes, " bytes, its segment has ", bytes,
                " at offset ", offset, " of ", room);
      return Code::kInvalidProgram;
    }
    *data = file_ + segment_base_ + offset;
    return {};
  }
  if (buffer_.bad()) {
    error.add("data file: malformed table of named data");
    return Code::kInvalidProgram;
  }
  error.add("data file: has no tensor \"", name, "\"");
  return Code::kNotFound;
}

}  // namespace wick::format
