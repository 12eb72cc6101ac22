// How a method finds its values: decoded from the file each time that someone asks, so that a fixed program keeps no
// table of them in RAM; or from a table in the arena, when values may change between or during calls.
#include "format/program_generated.h"
#include "runtime/method.h"
#include "runtime/op.h"

namespace wick {

namespace {
// The file's tags start with Null = 1, in the order of Value::Kind.
constexpr uint8_t kFirstTag = 1;
constexpr uint8_t kIntTag = kFirstTag + static_cast<uint8_t>(Value::Kind::kInt);
constexpr uint8_t kLastTag = kFirstTag + static_cast<uint8_t>(Value::Kind::kOptionalTensorList);
}  // namespace

// Where a value lies, and its kind; 0, and a bad buffer, when there is none. Not yet judged is what lies there.
[[gnu::noinline]] uint32_t Method::locate_anew(uint32_t entry, uint32_t* tag) const {
  static constexpr format::Field kEntry[] = {{fb::EValue::VT_VAL_TYPE, 1}, {fb::EValue::VT_VAL, 4}};
  const format::Buffer& buffer = program_->file().buffer();
  const auto* layout = entries_.open(buffer, entry, kEntry);
  if (layout == nullptr) return 0;
  if (layout->offsets[0] == 0 || layout->offsets[1] == 0) {
    buffer.fail();
    return 0;
  }
  *tag = buffer.bytes()[entry + layout->offsets[0]];
  usual_entry_ = {layout->vtable, layout->offsets[0], layout->offsets[1], entries_.last()};
  return entry + layout->offsets[1];
}

// As most entries of a program share one vtable, that one costs a few comparisons.
inline uint32_t Method::locate(int32_t index, Value::Kind* kind) const {
  *kind = Value::Kind::kNone;
  const format::Buffer& buffer = program_->file().buffer();
  const uint8_t* base = buffer.bytes();
  if (static_cast<uint32_t>(index) >= values_.count) {
    buffer.fail();
    return 0;
  }
  const uint8_t* slot = values_.data + 4 * static_cast<uint32_t>(index);
  const uint32_t entry = static_cast<uint32_t>(slot - base) + format::read32(slot);
  uint32_t tag, place;
  if (format::rotated(entry) <= usual_entry_.last && entry - format::read32(base + entry) == usual_entry_.vtable) {
    tag = base[entry + usual_entry_.tag];
    place = entry + usual_entry_.value;
  } else {
    place = locate_anew(entry, &tag);
    if (place == 0) return 0;
  }
  if (tag - kFirstTag > kLastTag - kFirstTag) {
    buffer.fail();
    return 0;
  }
  *kind = static_cast<Value::Kind>(tag - kFirstTag);
  return place + format::read32(base + place);
}

uint32_t Method::value_position(int32_t index, Value::Kind* kind) const { return locate(index, kind); }

format::Table Method::value_table(int32_t index, Value::Kind* kind) const {
  const uint32_t at = value_position(index, kind);
  return at != 0 ? format::Table(program_->file().buffer(), at) : format::Table();
}

[[gnu::noinline]] bool Method::integer_anew(int32_t index, int64_t* value) const {
  static constexpr format::Field kInt[] = {{fb::Int::VT_VALUE, 8}};
  const format::Buffer& buffer = program_->file().buffer();
  Value::Kind kind;
  const uint32_t at = locate(index, &kind);
  if (at == 0 || kind != Value::Kind::kInt) return false;
  const auto* layout = ints_.open(buffer, at, kInt);
  if (layout == nullptr) return false;
  const uint32_t offset = layout->offsets[0];
  *value = offset != 0 ? static_cast<int64_t>(format::read64(buffer.bytes() + at + offset)) : 0;
  // Writers leave 0 out, so ints come with two vtables.
  if (offset != 0) {
    usual_int_ = {layout->vtable, offset, ints_.last()};
  } else {
    zero_vtable_ = layout->vtable;
  }
  return true;
}

// Reads `count` ints, whose indices have `words` words, of which all but the first must be 0. True when all are ints.
template <uint32_t words>
[[gnu::always_inline]] inline bool Method::read_integers(const uint8_t* indices, uint32_t count, int64_t* items) const {
  const uint8_t* base = program_->file().buffer().bytes();
  const uint8_t* values = values_.data;
  const uint32_t value_count = values_.count, values_at = static_cast<uint32_t>(values - base);
  const UsualEntry usual = usual_entry_;
  for (uint32_t i = 0; i < count; ++i, indices += 4 * words) {
    const uint32_t index = format::read32(indices);
    if (words == 2 && format::read32(indices + 4) != 0) return false;
    if (index < value_count) {
      const uint32_t entry = values_at + 4 * index + format::read32(values + 4 * index);
      if (format::rotated(entry) <= usual.last && entry - format::read32(base + entry) == usual.vtable &&
          base[entry + usual.tag] == kIntTag) {
        const uint32_t place = entry + usual.value, at = place + format::read32(base + place);
        if (format::rotated(at) <= usual_int_.last) {
          const uint32_t vtable = at - format::read32(base + at);
          if (vtable == usual_int_.vtable) {
            items[i] = static_cast<int64_t>(format::read64(base + at + usual_int_.value));
            continue;
          }
          if (vtable == zero_vtable_) {
            items[i] = 0;
            continue;
          }
        }
      }
    }
    if (!integer_anew(static_cast<int32_t>(index), &items[i])) return false;
  }
  return true;
}

bool Method::integer_in_file(int32_t index, int64_t* value) const {
  return read_integers<1>(reinterpret_cast<const uint8_t*>(&index), 1, value);
}

[[gnu::always_inline]] inline bool Method::read_int_list(int32_t index, int64_t* items, uint32_t most,
                                                         uint32_t* count) const {
  static constexpr format::Field kList[] = {{fb::IntList::VT_ITEMS, 4}};
  const format::Buffer& buffer = program_->file().buffer();
  Value::Kind kind;
  const uint32_t at = locate(index, &kind);
  if (at == 0 || kind != Value::Kind::kIntList) return false;
  uint32_t offset = usual_list_.value;
  if (format::rotated(at) > usual_list_.last || at - buffer.u32(at) != usual_list_.vtable) {
    const auto* layout = lists_.open(buffer, at, kList);
    if (layout == nullptr) return false;
    offset = layout->offsets[0];
    usual_list_ = {layout->vtable, offset, lists_.last()};
  }
  format::Vector list;
  if (offset != 0) list = format::Vector::at(buffer, at + offset + buffer.u32(at + offset), 8);
  if (buffer.bad() || list.count > most) return false;
  *count = list.count;
  return read_integers<2>(list.data, list.count, items);
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

[[gnu::always_inline]] inline Status Method::read_tensor(uint32_t at, Tensor* tensor, ErrorText& error) const {
  format::TensorFacts facts;
  WICK_TRY(program_->file().tensor(at, &facts, error));
  Tensor& t = *tensor;
  t = facts.tensor;
  const uint32_t element_bytes = facts.element_bytes;
  if (t.storage == Storage::kPlanned) {
    const uint32_t id = facts.memory_id;
    // Sizes of planned memory are below 2 GiB, which open() has seen to.
    if (id != 0 && id < buffer_sizes_.count && facts.offset <= buffer_sizes_.u32(2 * id) &&
        facts.bytes <= buffer_sizes_.u32(2 * id) - facts.offset && (facts.offset & (element_bytes - 1)) == 0) {
      uint8_t* memory = planned_ != nullptr ? planned_[id - 1] : nullptr;
      t.data = hole_count_ > 0     ? planned_address(id, facts.offset)
               : memory != nullptr ? memory + facts.offset
                                   : nullptr;
      return {};
    }
    return refuse_place(facts, error);
  }
  if (t.storage == Storage::kCaller) return {};
  if (facts.external) WICK_TRY(find_external(facts, &t, error));
  if ((reinterpret_cast<uintptr_t>(t.data) & (element_bytes - 1)) != 0) {
    error.add("constant data is not aligned for ", dtype_name(t.dtype));
    return Code::kInvalidProgram;
  }
  return {};
}

bool Method::int_list_in_file(int32_t index, int64_t* items, uint32_t most, uint32_t* count) const {
  return read_int_list(index, items, most, count);
}

Status Method::tensor_in_file(uint32_t at, Tensor* tensor, ErrorText& error) const {
  return read_tensor(at, tensor, error);
}

Status Method::refuse_place(const format::TensorFacts& facts, ErrorText& error) const {
  const uint32_t id = facts.memory_id;
  if (id == 0 || id >= buffer_sizes_.count) {
    error.add("memory id ", id, ", the plan has ", buffer_sizes_.count);
  } else if (facts.offset > buffer_sizes_.u64(id) || facts.bytes > buffer_sizes_.u64(id) - facts.offset) {
    error.add("planned at ", facts.offset, " with ", facts.bytes, " bytes, outside of memory ", id, " of ",
              buffer_sizes_.u64(id), " bytes");
  } else {
    error.add("planned at ", facts.offset, ", not aligned for ", dtype_name(facts.tensor.dtype));
  }
  return Code::kInvalidProgram;
}

// A tensor whose bytes are known by name: in the program itself, or in the data file beside it.
Status Method::find_external(const format::TensorFacts& facts, Tensor* tensor, ErrorText& error) const {
  if (facts.name == nullptr) {
    error.add("external tensor without a name");
    return Code::kInvalidProgram;
  }
  const uint8_t* data = nullptr;
  format::Bytes inside;
  const Status found = program_->file().named_data(facts.name, &inside, error);
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
  tensor->data = const_cast<uint8_t*>(data);  // never written: outputs are refused when constant
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

// The getters that operators call most, here where values are read: without a Value in between, and silently. What they
// do not take is left to the others, which say what is wrong.

const int32_t* Prepare::int32_table(uint32_t arg, int32_t count) const {
  if (failed() || arg >= arg_count_ || method_->refreshing_ || method_->view_count_ > 0) return nullptr;
  const format::PteFile& file = method_->program_->file();
  Value::Kind kind;
  const uint32_t at = method_->locate(args_.i32(arg), &kind);
  const bool tensor = at != 0 && kind == Value::Kind::kTensor && static_cast<uint32_t>(count) <= INT32_MAX / 4;
  const uint8_t* data = tensor ? file.plain_table(at, DType::kInt32, static_cast<uint32_t>(count)) : nullptr;
  file.buffer().clear();
  return (reinterpret_cast<uintptr_t>(data) & 3) == 0 ? reinterpret_cast<const int32_t*>(data) : nullptr;
}

bool Prepare::two_ints(uint32_t arg, int64_t* items) const {
  if (failed() || arg >= arg_count_ || method_->refreshing_) return false;
  uint32_t count;
  if (method_->read_int_list(args_.i32(arg), items, 2, &count)) return count == 2;
  method_->program_->file().buffer().clear();
  return false;
}

int32_t Prepare::int32_in(uint32_t arg, int32_t low, int32_t high) {
  if (!failed() && arg < arg_count_ && !method_->refreshing_) {
    int64_t value;
    if (method_->read_integers<1>(args_.data + 4 * arg, 1, &value) && value == static_cast<int32_t>(value) &&
        static_cast<int32_t>(value) >= low && static_cast<int32_t>(value) <= high) {
      return static_cast<int32_t>(value);
    }
    method_->program_->file().buffer().clear();
  }
  return int32_slowly(arg, low, high);
}

Tensor Prepare::tensor(uint32_t arg) {
  if (failed() || arg >= arg_count_ || method_->refreshing_) return tensor_slowly(arg);
  Tensor t;
  if (method_->view_count_ > 0 && transposed_constant(arg, &t)) return t;
  const int32_t value = args_.i32(arg);
  // Most steps read what the last one wrote.
  if (value == method_->written_last_) return *method_->last_output_;
  ErrorText ignored;
  Value::Kind kind;
  const uint32_t at = method_->locate(value, &kind);
  const bool read = at != 0 && kind == Value::Kind::kTensor && method_->read_tensor(at, &t, ignored).ok();
  method_->program_->file().buffer().clear();
  if (!read) return tensor_slowly(arg);
  if (t.storage != Storage::kConstant || t.dynamic) note_tensor(arg, value, t);
  return t;
}

}  // namespace wick
