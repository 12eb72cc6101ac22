// How a method finds its values: decoded from the file each time that someone asks, so that a fixed program keeps no
// table of them in RAM; or from a table in the arena, when values may change between or during calls.
#include "format/program_generated.h"
#include "runtime/method.h"

namespace wick {

namespace {
// The file's tags start with Null = 1, in the order of Value::Kind.
constexpr uint8_t kFirstTag = 1;
constexpr uint8_t kLastTag = kFirstTag + static_cast<uint8_t>(Value::Kind::kOptionalTensorList);
}  // namespace

uint32_t Method::value_position(int32_t index, Value::Kind* kind) const {
  static constexpr format::Field kEntry[] = {{fb::EValue::VT_VAL_TYPE, 1}, {fb::EValue::VT_VAL, 4}};
  *kind = Value::Kind::kNone;
  const format::Buffer& buffer = program_->file().buffer();
  if (static_cast<uint32_t>(index) >= values_.count) {
    buffer.fail();
    return 0;
  }
  const uint32_t slot = static_cast<uint32_t>(values_.data - buffer.bytes()) + 4 * static_cast<uint32_t>(index);
  const auto entry = entries_.open(buffer, slot + buffer.u32(slot), kEntry);
  if (!entry.present()) return 0;
  const uint32_t tag = entry.u8(0);
  const uint32_t at = entry.target(buffer, 1);
  if (tag < kFirstTag || tag > kLastTag || at == 0) {
    buffer.fail();
    return 0;
  }
  *kind = static_cast<Value::Kind>(tag - kFirstTag);
  return at;
}

format::Table Method::value_table(int32_t index, Value::Kind* kind) const {
  const uint32_t at = value_position(index, kind);
  return at != 0 ? format::Table(program_->file().buffer(), at) : format::Table();
}

bool Method::integer_in_file(int32_t index, int64_t* value) const {
  static constexpr format::Field kInt[] = {{fb::Int::VT_VALUE, 8}};
  const format::Buffer& buffer = program_->file().buffer();
  Value::Kind kind;
  const uint32_t at = value_position(index, &kind);
  if (at == 0 || kind != Value::Kind::kInt) return false;
  const auto row = ints_.open(buffer, at, kInt);
  if (!row.present()) return false;
  *value = static_cast<int64_t>(row.u64(0));
  return true;
}

bool Method::int_list_in_file(int32_t index, int64_t* items, uint32_t most, uint32_t* count) const {
  const format::Buffer& buffer = program_->file().buffer();
  Value::Kind kind;
  const uint32_t at = value_position(index, &kind);
  if (at == 0 || kind != Value::Kind::kIntList) return false;
  static constexpr format::Field kList[] = {{fb::IntList::VT_ITEMS, 4}};
  const auto row = lists_.open(buffer, at, kList);
  if (!row.present()) return false;
  const format::Vector list = row.vector(buffer, 0, 8);
  if (buffer.bad() || list.count > most) return false;
  for (uint32_t i = 0; i < list.count; ++i) {
    // Entries are indices of int values.
    const uint64_t entry = list.u64(i);
    if (entry >= values_.count || !integer_in_file(static_cast<int32_t>(entry), &items[i])) return false;
  }
  *count = list.count;
  return true;
}

bool Method::tensor_value_in_file(int32_t index, Tensor* tensor) const {
  ErrorText ignored;
  Value::Kind kind;
  const uint32_t at = value_position(index, &kind);
  const bool read = at != 0 && kind == Value::Kind::kTensor && tensor_in_file(at, tensor, ignored).ok();
  program_->file().buffer().clear();
  return read;
}

Status Method::value(int32_t index, Value* value, ErrorText& error) const {
  if (!refreshing_) return value_in_file(index, value, error);
  if (static_cast<uint32_t>(index) >= values_.count) {
    error.add("value ", index, " of ", values_.count);
    return Code::kInvalidProgram;
  }
  *value = table_[index];
  return {};
}

Status Method::value_in_file(int32_t index, Value* value, ErrorText& error) const {
  const format::Buffer& buffer = program_->file().buffer();
  const uint32_t at = value_position(index, &value->kind);
  if (value->kind == Value::Kind::kTensor) {
    const Status status = tensor_in_file(at, &value->tensor, error);
    buffer.clear();
    return status;
  }
  const format::Table table = at != 0 ? format::Table(buffer, at) : format::Table();
  if (buffer.bad()) {
    buffer.clear();
    error.add("value ", index, " of ", values_.count, " is not in the file, or malformed");
    return Code::kInvalidProgram;
  }
  switch (value->kind) {
    case Value::Kind::kInt:
    case Value::Kind::kDouble:
      value->integer = static_cast<int64_t>(table.u64(fb::Int::VT_VALUE));
      break;
    case Value::Kind::kBool:
      value->integer = table.u8(fb::Bool::VT_VALUE) != 0;
      break;
    case Value::Kind::kString:
      value->text = table.string(fb::String::VT_VALUE);
      if (value->text == nullptr) value->text = "";
      break;
    default:
      break;
  }
  if (buffer.bad()) {
    buffer.clear();
    error.add("value ", index, " is malformed");
    return Code::kInvalidProgram;
  }
  return {};
}

Status Method::tensor_in_file(uint32_t at, Tensor* tensor, ErrorText& error) const {
  const format::PteFile& file = program_->file();
  format::TensorFacts facts;
  WICK_TRY(file.tensor(at, &facts, error));
  Tensor& t = *tensor;
  t.sizes = facts.sizes;
  t.dim_order = facts.dim_order;
  t.rank = static_cast<uint8_t>(facts.rank);
  t.dtype = facts.dtype;
  t.dynamic = facts.dynamic;
  const uint32_t element_bytes = dtype_bytes(t.dtype);
  const uint8_t* data = nullptr;
  if (facts.planned) {
    t.storage = Storage::kPlanned;
    t.state = facts.data_index > 0 || facts.external || facts.name != nullptr;
    if (facts.memory_id == 0 || facts.memory_id >= buffer_sizes_.count) {
      error.add("memory id ", facts.memory_id, ", the plan has ", buffer_sizes_.count);
      return Code::kInvalidProgram;
    }
    const uint64_t room = buffer_sizes_.u64(facts.memory_id);
    if (facts.offset > room || facts.bytes > room - facts.offset) {
      error.add("planned at ", facts.offset, " with ", facts.bytes, " bytes, outside of memory ", facts.memory_id,
                " of ", room, " bytes");
      return Code::kInvalidProgram;
    }
    if (facts.offset % element_bytes != 0) {
      error.add("planned at ", facts.offset, ", not aligned for ", dtype_name(t.dtype));
      return Code::kInvalidProgram;
    }
    t.data = planned_address(facts.memory_id, facts.offset);
    return {};
  }
  if (facts.external) {
    if (facts.name == nullptr) {
      error.add("external tensor without a name");
      return Code::kInvalidProgram;
    }
    format::Bytes inside;
    const Status found = file.named_data(facts.name, &inside, error);
    if (found.ok()) {
      if (facts.bytes > inside.size) {
        error.add("tensor \"", facts.name, "\" needs ", facts.bytes, " bytes, its data has ",
                  static_cast<uint64_t>(inside.size));
        return Code::kInvalidProgram;
      }
      data = inside.data;
    } else if (found.code() != Code::kNotFound) {
      return found;
    } else if (!program_->data().is_open()) {
      error.add("tensor \"", facts.name, "\" is in a data file (.ptd), and none was given");
      return Code::kNotFound;
    } else {
      WICK_TRY(program_->data().tensor(facts.name, facts, &data, error));
    }
  } else if (facts.data_index > 0) {
    WICK_TRY(file.constant(facts.data_index, facts.bytes, &data, error));
  } else {
    t.storage = Storage::kCaller;
    t.data = nullptr;
    return {};
  }
  t.storage = Storage::kConstant;
  t.data = const_cast<uint8_t*>(data);  // never written: outputs are refused when constant
  if (reinterpret_cast<uintptr_t>(data) % element_bytes != 0) {
    error.add("constant data is not aligned for ", dtype_name(t.dtype));
    return Code::kInvalidProgram;
  }
  return {};
}

uint8_t* Method::planned_address(uint32_t memory_id, uint32_t offset) const {
  if (planned_ == nullptr || planned_[memory_id - 1] == nullptr) return nullptr;
  uint32_t taken_out = 0;
  for (uint32_t i = 0; i < hole_count_; ++i) {
    if (holes_[i].memory_id == memory_id && holes_[i].offset < offset) taken_out += holes_[i].bytes;
  }
  return planned_[memory_id - 1] + (offset - taken_out);
}

bool Method::is_io(int32_t value) const {
  for (const format::Vector* list : {&inputs_, &outputs_}) {
    for (uint32_t i = 0; i < list->count; ++i) {
      if (list->i32(i) == value) return true;
    }
  }
  return false;
}

Value Method::io_value(const format::Vector& list, uint32_t index) const {
  Value v;
  ErrorText ignored;  // prepare() has read it without an error
  if (index >= list.count) return v;
  if (table_ != nullptr) return table_[list.i32(index)];
  (void)value_in_file(list.i32(index), &v, ignored).ok();
  return v;
}

void Method::set_sizes(int32_t index, const int32_t* sizes) {
  // Sizes of dynamic tensors lie in the arena (Builder::fill_table).
  const Tensor& t = table_[index].tensor;
  int32_t* own = const_cast<int32_t*>(t.sizes);
  for (uint32_t i = 0; i < t.rank; ++i) own[i] = sizes[i];
}

}  // namespace wick
