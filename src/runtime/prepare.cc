// The getters through which an operator reads its arguments. Knows values and errors; refuses to know any operator.
#include "format/program_generated.h"
#include "runtime/method.h"
#include "runtime/op.h"

namespace wick {

namespace {
constexpr uint32_t bit(Value::Kind kind) { return 1u << static_cast<uint8_t>(kind); }
constexpr uint32_t kNumbers = bit(Value::Kind::kInt) | bit(Value::Kind::kDouble) | bit(Value::Kind::kBool);
Status do_nothing(const void*, RunContext&) { return {}; }
}  // namespace

Prepare::Prepare(Method& method, Arena& arena, ErrorText& error, uint32_t instruction, const format::Vector& args)
    : method_(&method),
      arena_(&arena),
      error_(&error),
      args_(args),
      arg_count_(args.count > 0 ? args.count - 1 : 0),
      instruction_(instruction) {}

void Prepare::begin_error(Code code, uint32_t arg) {
  status_ = code;
  char name[96];
  method_->step_name(instruction_, name, sizeof(name));
  error_->add("operator ", static_cast<const char*>(name), " (instruction ", instruction_, ")");
  if (arg < args_.count) error_->add(", argument ", arg, " (value ", args_.i32(arg), ")");
  error_->add(": ");
}

void Prepare::read(uint32_t arg, Value* value) {
  value->kind = Value::Kind::kNone;
  if (failed()) return;
  if (arg >= arg_count_) {
    begin_error(Code::kInvalidProgram, UINT32_MAX);
    error_->add("has ", arg_count_, " arguments, argument ", arg, " is needed");
    return;
  }
  // The error's place goes in front, so read silently first.
  ErrorText silent;
  if (method_->value(args_.i32(arg), value, silent).ok()) return;
  begin_error(Code::kInvalidProgram, arg);
  Value again;
  const Status status = method_->value(args_.i32(arg), &again, *error_);
  if (!status.ok()) status_ = status;
  value->kind = Value::Kind::kNone;
}

bool Prepare::read_kind(uint32_t arg, Value* value, uint32_t kinds, const char* expected) {
  read(arg, value);
  if (failed()) return false;
  return require((bit(value->kind) & kinds) != 0, Code::kInvalidProgram, arg, "expected ", expected, ", found ",
                 kind_name(value->kind));
}

void Prepare::note_tensor(uint32_t arg, int32_t value, Tensor& t) {
  if (t.dynamic || t.storage == Storage::kCaller) wants_table_ = true;
  if (t.state) method_->has_state_ = true;
  if (t.storage == Storage::kPlanned && !t.state && !method_->is_written(value) &&
      value != args_.i32(args_.count - 1)) {
    see_through_view(arg, value, &t);
  }
  // Memory must come from somewhere before the step runs: the plan, the caller, or a move.
  if (t.storage != Storage::kCaller || t.data != nullptr || t.numel() == 0) return;
  const bool expected =
      !method_->refreshing_ && (method_->mode_ == Method::Mode::kPrepareEachStep || method_->is_io(value));
  require(expected, Code::kInvalidProgram, arg, "tensor has no memory: neither planned, constant, input nor output");
}

void Prepare::keeps_state() { method_->has_state_ = true; }

bool Prepare::is_none(uint32_t arg) {
  Value v;
  read(arg, &v);
  return v.kind == Value::Kind::kNone;
}

// A constant that is read transposed, because its permute_copy is left out. False when the argument is none.
bool Prepare::transposed_constant(uint32_t arg, Tensor* tensor) {
  for (uint32_t i = 0; i < method_->view_count_; ++i) {
    const Method::ConstantView& view = method_->views_[i];
    if (view.value != args_.i32(arg)) continue;
    // The sizes are the transposed ones; the bytes are the constant's, so memory order is the other dimension's.
    static constexpr uint8_t kTransposed[2] = {1, 0};
    Value out, source;
    if (!method_->value(view.value, &out, *error_).ok() || !method_->value(view.source, &source, *error_).ok()) {
      return false;
    }
    *tensor = source.tensor;
    tensor->sizes = out.tensor.sizes;
    tensor->dim_order = kTransposed;
    return true;
  }
  return false;
}

Tensor Prepare::tensor_slowly(uint32_t arg) {
  Value v;
  if (!read_kind(arg, &v, bit(Value::Kind::kTensor), "a tensor")) return Tensor();
  note_tensor(arg, args_.i32(arg), v.tensor);
  return v.tensor;
}

bool Prepare::optional_tensor(uint32_t arg, Tensor* tensor) {
  Value v;
  if (!read_kind(arg, &v, bit(Value::Kind::kTensor) | bit(Value::Kind::kNone), "a tensor or None")) return false;
  if (v.kind == Value::Kind::kNone) return false;
  note_tensor(arg, args_.i32(arg), v.tensor);
  *tensor = v.tensor;
  return true;
}

int64_t Prepare::integer(uint32_t arg) {
  // Most arguments are plain ints: read without making a Value of them.
  int64_t value;
  if (!failed() && arg < arg_count_ && !method_->refreshing_) {
    if (method_->integer_in_file(args_.i32(arg), &value)) return value;
    method_->program_->file().buffer().clear();
  }
  Value v;
  return read_kind(arg, &v, bit(Value::Kind::kInt) | bit(Value::Kind::kBool), "an int") ? v.integer : 0;
}

int32_t Prepare::int32(uint32_t arg) { return int32_in(arg, INT32_MIN, INT32_MAX); }

int32_t Prepare::int32_slowly(uint32_t arg, int32_t low, int32_t high) {
  const int64_t value = integer(arg);
  if (failed()) return low > 0 ? low : 0;
  if (!require(value >= low && value <= high, Code::kInvalidProgram, arg, value, " is outside of ", low, "..", high)) {
    return low > 0 ? low : 0;
  }
  return static_cast<int32_t>(value);
}

Scalar Prepare::scalar(uint32_t arg) {
  Scalar s;
  Value v;
  if (!read_kind(arg, &v, kNumbers, "a number")) return s;
  s.kind = v.kind == Value::Kind::kDouble ? Scalar::Kind::kFloat
           : v.kind == Value::Kind::kBool ? Scalar::Kind::kBool
                                          : Scalar::Kind::kInt;
  if (s.kind == Scalar::Kind::kFloat) {
    s.f = v.number;
  } else {
    s.i = v.integer;
  }
  return s;
}

double Prepare::number(uint32_t arg) { return scalar(arg).as_double(); }

bool Prepare::boolean(uint32_t arg) {
  Value v;
  return read_kind(arg, &v, bit(Value::Kind::kBool) | bit(Value::Kind::kInt), "a bool") && v.integer != 0;
}

const char* Prepare::string(uint32_t arg) {
  Value v;
  if (!read_kind(arg, &v, bit(Value::Kind::kString) | bit(Value::Kind::kNone), "a string")) return nullptr;
  return v.kind == Value::Kind::kString ? v.text : nullptr;
}

format::Vector Prepare::list(uint32_t arg, uint32_t kinds, uint32_t element_bytes) {
  Value::Kind kind;
  const format::Table table = method_->value_table(args_.i32(arg), &kind);
  format::Vector items;
  if (table.present() && (bit(kind) & kinds) != 0) items = table.vector(fb::IntList::VT_ITEMS, element_bytes);
  const format::Buffer& buffer = method_->program_->file().buffer();
  if (buffer.bad()) {
    buffer.clear();
    begin_error(Code::kInvalidProgram, arg);
    error_->add("malformed list");
    return format::Vector();
  }
  return items;
}

IntList Prepare::int_list(uint32_t arg) {
  IntList result;
  if (!failed() && arg < arg_count_ && !method_->refreshing_) {
    if (method_->int_list_in_file(args_.i32(arg), result.items, IntList::kMaxList, &result.count)) return result;
    method_->program_->file().buffer().clear();
  }
  Value v;
  if (!read_kind(arg, &v, bit(Value::Kind::kIntList) | bit(Value::Kind::kNone), "a list of ints")) return result;
  if (v.kind == Value::Kind::kNone) return result;
  const format::Vector items = list(arg, bit(Value::Kind::kIntList), 8);
  if (failed()) return result;
  if (!require(items.count <= IntList::kMaxList, Code::kUnsupported, arg, "list of ", items.count, " entries, at most ",
               IntList::kMaxList, " are supported")) {
    return result;
  }
  for (uint32_t i = 0; i < items.count; ++i) {
    // Entries are indices of int values, which may be computed at run time.
    const uint64_t index = items.u64(i);
    const bool in_range = index < method_->values_.count;
    if (in_range && !method_->refreshing_ && method_->integer_in_file(static_cast<int32_t>(index), &result.items[i])) {
      continue;
    }
    if (!in_range || !method_->value(static_cast<int32_t>(index), &v, *error_).ok() || v.kind != Value::Kind::kInt) {
      error_->clear();
      begin_error(Code::kInvalidProgram, arg);
      error_->add("entry ", i, " of the list is no int");
      return result;
    }
    result.items[i] = v.integer;
  }
  result.count = items.count;
  return result;
}

FloatList Prepare::float_list(uint32_t arg) {
  FloatList result;
  Value v;
  if (!read_kind(arg, &v, bit(Value::Kind::kDoubleList) | bit(Value::Kind::kNone), "a list of floats")) return result;
  if (v.kind == Value::Kind::kNone) return result;
  const format::Vector items = list(arg, bit(Value::Kind::kDoubleList), 8);
  if (failed() || !require(items.count <= IntList::kMaxList, Code::kUnsupported, arg, "list of ", items.count,
                           " entries, at most ", IntList::kMaxList, " are supported")) {
    return result;
  }
  for (uint32_t i = 0; i < items.count; ++i) {
    Value entry;
    entry.integer = static_cast<int64_t>(items.u64(i));
    result.items[i] = entry.number;
  }
  result.count = items.count;
  return result;
}

uint32_t Prepare::list_size(uint32_t arg) {
  Value v;
  constexpr uint32_t kLists = bit(Value::Kind::kIntList) | bit(Value::Kind::kDoubleList) | bit(Value::Kind::kBoolList) |
                              bit(Value::Kind::kTensorList) | bit(Value::Kind::kOptionalTensorList);
  if (!read_kind(arg, &v, kLists, "a list")) return 0;
  const bool wide = v.kind == Value::Kind::kIntList || v.kind == Value::Kind::kDoubleList;
  return list(arg, kLists, wide ? 8 : v.kind == Value::Kind::kBoolList ? 1 : 4).count;
}

Tensor Prepare::list_tensor(uint32_t arg, uint32_t index) {
  constexpr uint32_t kTensorLists = bit(Value::Kind::kTensorList) | bit(Value::Kind::kOptionalTensorList);
  Tensor none;
  none.rank = kNoTensor;
  Value v;
  if (!read_kind(arg, &v, kTensorLists, "a list of tensors")) return none;
  const bool optional = v.kind == Value::Kind::kOptionalTensorList;
  const format::Vector items = list(arg, kTensorLists, 4);
  if (failed() || index >= items.count) return none;
  const int32_t entry = items.i32(index);
  if (optional && entry == -1) return none;
  ErrorText silent;
  if (!method_->value(entry, &v, silent).ok() ||
      (v.kind != Value::Kind::kTensor && !(optional && v.kind == Value::Kind::kNone))) {
    begin_error(Code::kInvalidProgram, arg);
    error_->add("entry ", index, " of the list (value ", entry, ") is no tensor");
    return none;
  }
  if (v.kind == Value::Kind::kNone) return none;
  note_tensor(arg, entry, v.tensor);
  return v.tensor;
}

uint32_t Prepare::tensor_list(uint32_t arg, Tensor* tensors, uint32_t max) {
  const uint32_t count = list_size(arg);
  if (failed() ||
      !require(count <= max, Code::kUnsupported, arg, "list of ", count, " tensors, at most ", max, " are supported")) {
    return 0;
  }
  for (uint32_t i = 0; i < count && !failed(); ++i) tensors[i] = list_tensor(arg, i);
  return failed() ? 0 : count;
}

Tensor Prepare::list_output(uint32_t arg, uint32_t index) {
  const format::Vector items = list(arg, bit(Value::Kind::kTensorList), 4);
  if (index < items.count) method_->mark_written(items.i32(index));
  const Tensor t = list_tensor(arg, index);
  if (!failed()) {
    require(t.rank != kNoTensor && t.storage != Storage::kConstant, Code::kInvalidProgram, arg, "entry ", index,
            " of the output list is constant or None");
  }
  return t;
}

Tensor Prepare::output(uint32_t arg) {
  if (arg < arg_count_) method_->mark_written(args_.i32(arg));
  const Tensor t = tensor(arg);
  if (!failed()) {
    require(t.storage != Storage::kConstant, Code::kInvalidProgram, arg, "output is a constant");
  }
  if (!failed() && method_->last_output_ != nullptr && t.storage == Storage::kPlanned && !t.dynamic) {
    method_->written_last_ = args_.i32(arg);
    *method_->last_output_ = t;
  }
  return t;
}

void Prepare::resize(uint32_t arg, Tensor* output, const int32_t* sizes, uint32_t rank) {
  if (failed()) return;
  bool same = rank == output->rank;
  for (uint32_t i = 0; same && i < rank; ++i) same = sizes[i] == output->sizes[i];
  if (same) return;
  bool fits = false;
  if (output->dynamic && rank == output->rank) {
    // The sizes in the file are the upper bound of the memory, not of each dimension.
    Value bound;
    uint64_t numel = 1;
    for (uint32_t i = 0; i < rank; ++i) {
      numel *= sizes[i] > 0 ? static_cast<uint32_t>(sizes[i]) : 0;
      if (numel > INT32_MAX) numel = INT32_MAX;
    }
    ErrorText silent;
    fits = method_->value_in_file(args_.i32(arg), &bound, silent).ok() && numel <= bound.tensor.numel();
  }
  if (!fits) {
    begin_error(Code::kInvalidProgram, arg);
    error_->add("output has sizes ");
    error_->add_sizes(output->sizes, output->rank);
    error_->add(", expected ");
    error_->add_sizes(sizes, rank);
    return;
  }
  // While a method is being made ready every tensor has its upper bound; only running shrinks them.
  if (!method_->refreshing_) return;
  method_->set_sizes(args_.i32(arg), sizes);
  output->sizes = method_->table_[args_.i32(arg)].tensor.sizes;
}

Value* Prepare::value_slot(uint32_t arg) {
  wants_table_ = true;
  writes_values_ = true;
  if (!require(arg < arg_count_ && static_cast<uint32_t>(args_.i32(arg)) < method_->values_.count,
               Code::kInvalidProgram, arg, "no such value") ||
      method_->table_ == nullptr) {
    return nullptr;
  }
  return &method_->table_[args_.i32(arg)];
}

void Prepare::refuse_dtype(uint32_t arg, const Tensor& t, DType dtype) {
  require(t.dtype == dtype, Code::kInvalidProgram, arg, "expected ", dtype_name(dtype), ", found ",
          dtype_name(t.dtype));
}

void Prepare::refuse_rank(uint32_t arg, const Tensor& t, uint32_t rank) {
  require(t.rank == rank, Code::kInvalidProgram, arg, "expected rank ", rank, ", found ",
          static_cast<uint32_t>(t.rank));
}

void Prepare::require_same_sizes(uint32_t arg, const Tensor& t, const Tensor& like) {
  if (failed() || same_sizes(t, like)) return;
  begin_error(Code::kInvalidProgram, arg);
  error_->add("sizes ");
  error_->add_sizes(t.sizes, t.rank);
  error_->add(", expected ");
  error_->add_sizes(like.sizes, like.rank);
}

void Prepare::require_same_layout(uint32_t arg, const Tensor& t, const Tensor& like) {
  require_same_sizes(arg, t, like);
  if (failed()) return;
  require(same_layout(t, like), Code::kInvalidProgram, arg, "another dim_order than the other operand's");
}

void Prepare::require_contiguous(uint32_t arg, const Tensor& t) {
  if (failed()) return;
  require(is_contiguous(t), Code::kUnsupported, arg, "expected contiguous memory (dim_order 0, 1, 2, ...)");
}

void Prepare::require_channels_last(uint32_t arg, const Tensor& t) {
  if (failed()) return;
  require(is_channels_last(t), Code::kInvalidProgram, arg,
          "expected channels-last memory (dim_order 0, 2, 3, 1), found another dim_order");
}

void Prepare::require_constant(uint32_t arg, const Tensor& t) {
  require(t.storage == Storage::kConstant, Code::kUnsupported, arg, "expected a constant of the program");
}

void Prepare::require_arg_count(uint32_t count) {
  require(arg_count_ == count, Code::kInvalidProgram, UINT32_MAX, "has ", arg_count_, " arguments, expected ", count);
}

void* Prepare::persistent(uint32_t bytes, uint32_t alignment) { return arena_->alloc(bytes, alignment); }

Status Prepare::finish_bytes(Run run, const void* params, uint32_t bytes, uint32_t alignment) {
  if (failed()) return status_;
  void* kept = persistent(bytes, alignment);
  if (kept != nullptr) {
    __builtin_memcpy(kept, params, bytes);
  }
  run_ = run;
  params_ = kept;
  return {};
}

Status Prepare::finish_nothing() {
  run_ = do_nothing;
  return status_;
}

bool Prepare::running() const { return method_->refreshing_; }

Status Prepare::finish_view(uint32_t arg, Value* slot, const Tensor& t, const int32_t* sizes, uint32_t rank) {
  if (running() && slot != nullptr && !failed()) {
    if (!require(slot->kind == Value::Kind::kTensor && slot->tensor.dtype == t.dtype, Code::kInvalidProgram, arg,
                 "expected a ", dtype_name(t.dtype), " tensor")) {
      return status_;
    }
    Tensor view = slot->tensor;
    resize(arg, &view, sizes, rank);
    if (failed()) return status_;
    view.data = t.data;
    view.storage = t.storage;
    slot->tensor = view;
  }
  return finish_nothing();
}

}  // namespace wick
