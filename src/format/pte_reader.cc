#include "format/pte_reader.h"

#include "format/program_generated.h"

namespace wick::format {

namespace {

constexpr uint32_t kHeaderAt = 8;         // behind the root offset and the file identifier
constexpr uint32_t kHeaderMinimum = 24;   // bytes: magic, length, program size, segment base
constexpr uint32_t kHeaderWithSize = 32;  // the same with the size of all segments
constexpr uint32_t kSmallestFile = 16;

Status judge_identifier(const uint8_t* p, ErrorText& error) {
  if (p[4] == 'E' && p[5] == 'T' && p[6] == '1' && p[7] == '2') return {};
  if (p[4] == 'E' && p[5] == 'T') {
    const char version[3] = {static_cast<char>(p[6]), static_cast<char>(p[7]), '\0'};
    error.add("incompatible program version \"ET", version, "\", expected \"ET12\"");
  } else if (p[4] == 'B' && p[5] == 'P') {
    error.add("this is a bundled program; the .pte inside it is what can be loaded");
  } else {
    error.add("not an ExecuTorch program: no \"ET12\" at byte 4");
  }
  return Code::kInvalidProgram;
}

}  // namespace

Status PteFile::open(const void* bytes, size_t size, ErrorText& error) {
  root_ = Table();
  plans_ = segments_ = constant_offsets_ = Vector();
  constant_bytes_ = Bytes();
  segment_base_ = 0;
  tensors_ = {};
  allocations_ = {};
  const uint8_t* p = static_cast<const uint8_t*>(bytes);
  if (p == nullptr || size < kSmallestFile) {
    error.add("too short to be a program: ", static_cast<uint64_t>(size), " bytes");
    return Code::kInvalidProgram;
  }
  if (reinterpret_cast<uintptr_t>(p) % kFileAlignment != 0) {
    error.add("the program must lie at a multiple of ", kFileAlignment, " bytes");
    return Code::kInvalidArgument;
  }
  WICK_TRY(judge_identifier(p, error));

  uint64_t program_bytes = size;
  uint64_t data_bytes = 0;
  if (size >= kHeaderAt + kHeaderMinimum && p[8] == 'e' && p[9] == 'h' && p[10] == '0' && p[11] == '0') {
    const uint32_t length = read32(p + 12);
    if (length < kHeaderMinimum) {
      error.add("extended header of ", length, " bytes, expected at least ", kHeaderMinimum);
      return Code::kInvalidProgram;
    }
    program_bytes = read64(p + 16);
    segment_base_ = read64(p + 24);
    const bool sized = length >= kHeaderWithSize && size >= kHeaderAt + kHeaderWithSize;
    data_bytes = sized ? read64(p + 32) : 0;
    if (program_bytes < kSmallestFile || program_bytes > size || segment_base_ > size ||
        data_bytes > size - segment_base_ || (segment_base_ != 0 && segment_base_ < program_bytes)) {
      error.add("truncated or inconsistent: the header says ", program_bytes, " program bytes and ", data_bytes,
                " data bytes from byte ", segment_base_, ", the file has ", static_cast<uint64_t>(size));
      return Code::kInvalidProgram;
    }
  }
  if (program_bytes > INT32_MAX) {
    error.add("program of more than 2 GiB");
    return Code::kUnsupported;
  }

  file_ = {p, size};
  buffer_ = Buffer(p, static_cast<uint32_t>(program_bytes));
  root_ = Table(buffer_, read32(p));
  plans_ = root_.vector(fb::Program::VT_PLANS, 4);
  segments_ = root_.vector(fb::Program::VT_SEGMENTS, 4);
  if (buffer_.bad()) {
    error.add("malformed: the root table or its lists lie outside of the file");
    return Code::kInvalidProgram;
  }
  if (plans_.count == 0) {
    error.add("the program has no methods");
    return Code::kInvalidProgram;
  }
  const Table constants = root_.table(fb::Program::VT_CONSTANT_SEGMENT);
  if (constants.present()) constant_offsets_ = constants.vector(fb::Subsegments::VT_OFFSETS, 8);
  if (buffer_.bad()) {
    error.add("malformed table of constants");
    return Code::kInvalidProgram;
  }
  // Entry 0 is reserved: a program without constants has it alone, and perhaps no segment.
  if (constant_offsets_.count <= 1) return {};
  return segment(constants.u32(fb::Subsegments::VT_SEGMENT), &constant_bytes_, error);
}

Status PteFile::segment(uint32_t index, Bytes* bytes, ErrorText& error) const {
  if (index >= segments_.count) {
    error.add("segment ", index, " of ", segments_.count);
    return Code::kInvalidProgram;
  }
  if (segment_base_ == 0) {
    error.add("the program uses a segment but has no extended header that says where they start");
    return Code::kInvalidProgram;
  }
  const Table table = Table::element(buffer_, segments_, index);
  const uint64_t offset = table.u64(fb::Segment::VT_OFFSET);
  const uint64_t size = table.u64(fb::Segment::VT_SIZE);
  const uint64_t room = file_.size - segment_base_;
  if (buffer_.bad() || offset > room || size > room - offset) {
    error.add("segment ", index, " (offset ", offset, ", ", size, " bytes) lies outside of the file's ", room,
              " data bytes");
    return Code::kInvalidProgram;
  }
  *bytes = {file_.data + segment_base_ + offset, static_cast<size_t>(size)};
  return {};
}

Status PteFile::subsegment(const Vector& offsets, const Bytes& segment_bytes, uint32_t index, uint32_t bytes,
                           const char* what, const uint8_t** data, ErrorText& error) const {
  if (index >= offsets.count) {
    error.add(what, " ", index, " of ", offsets.count);
    return Code::kInvalidProgram;
  }
  const uint64_t offset = offsets.u64(index);
  if (offset > segment_bytes.size || bytes > segment_bytes.size - offset) {
    error.add(what, " ", index, " (offset ", offset, ", ", bytes, " bytes) lies outside of its segment of ",
              static_cast<uint64_t>(segment_bytes.size), " bytes");
    return Code::kInvalidProgram;
  }
  *data = segment_bytes.data + offset;
  return {};
}

Status PteFile::constant(uint32_t index, uint32_t bytes, const uint8_t** data, ErrorText& error) const {
  if (constant_offsets_.count > 0) {
    return subsegment(constant_offsets_, constant_bytes_, index, bytes, "constant", data, error);
  }
  // Old files: constants inline, in the FlatBuffer itself.
  const Vector constants = root_.vector(fb::Program::VT_CONSTANTS, 4);
  if (buffer_.bad() || index >= constants.count) {
    error.add("constant ", index, " of ", constants.count);
    return Code::kInvalidProgram;
  }
  const Vector storage = Table::element(buffer_, constants, index).vector(fb::InlineBuffer::VT_STORAGE, 1);
  if (buffer_.bad() || bytes > storage.count) {
    error.add("constant ", index, " has ", storage.count, " bytes, its tensor ", bytes);
    return Code::kInvalidProgram;
  }
  *data = storage.data;
  return {};
}

Status PteFile::initial_value(uint32_t index, uint32_t bytes, const uint8_t** data, ErrorText& error) const {
  const Vector segments = root_.vector(fb::Program::VT_MUTABLE_SEGMENTS, 4);
  if (buffer_.bad() || segments.count == 0) {
    error.add("a mutable tensor has an initial value, but the program has no segment for it");
    return Code::kInvalidProgram;
  }
  const Table table = Table::element(buffer_, segments, 0);
  const Vector offsets = table.vector(fb::Subsegments::VT_OFFSETS, 8);
  Bytes segment_bytes;
  if (!buffer_.bad()) WICK_TRY(segment(table.u32(fb::Subsegments::VT_SEGMENT), &segment_bytes, error));
  return subsegment(offsets, segment_bytes, index, bytes, "initial value", data, error);
}

Status PteFile::named_data(const char* name, Bytes* bytes, ErrorText& error) const {
  const Vector entries = root_.vector(fb::Program::VT_NAMED_DATA, 4);
  for (uint32_t i = 0; i < entries.count; ++i) {
    const Table entry = Table::element(buffer_, entries, i);
    const char* key = entry.present() ? entry.string(fb::NamedData::VT_KEY) : nullptr;
    if (buffer_.bad() || key == nullptr) break;
    if (same_text(key, name)) return segment(entry.u32(fb::NamedData::VT_SEGMENT), bytes, error);
  }
  if (buffer_.bad()) {
    error.add("malformed table of named data");
    return Code::kInvalidProgram;
  }
  return Code::kNotFound;
}

}  // namespace wick::format
