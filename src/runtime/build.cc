#include "runtime/build.h"

namespace wick {

namespace {

constexpr size_t round_up(size_t bytes) { return (bytes + Arena::kAlignment - 1) & ~size_t{Arena::kAlignment - 1}; }

// Compares `count` characters that are there on both sides.
bool same_characters(const char* a, const char* b, uint32_t count) {
  for (; count >= 4; count -= 4, a += 4, b += 4) {
    uint32_t x, y;
    __builtin_memcpy(&x, a, 4);
    __builtin_memcpy(&y, b, 4);
    if (x != y) return false;
  }
  for (; count > 0; --count, ++a, ++b) {
    if (*a != *b) return false;
  }
  return true;
}

// Of a text as a FlatBuffer has it: at a multiple of 4, its length in front. Null is empty.
uint32_t length_of(const char* text) {
  return text == nullptr ? 0 : format::read32(reinterpret_cast<const uint8_t*>(text) - 4);
}

uint32_t hash_string(uint32_t hash, const char* text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text);
  const uint32_t length = length_of(text);
  uint32_t i = 0;
  for (; i + 4 <= length; i += 4) hash = hash_word(hash, format::read32(bytes + i));
  uint32_t word = 0;
  for (uint32_t k = 0; i + k < length; ++k) word |= static_cast<uint32_t>(bytes[i + k]) << (8 * k);
  if (i < length) hash = hash_word(hash, word);
  return hash_word(hash, length);
}

const Op* find_op(const OpTable& ops, const char* name, const char* overload) {
  const uint32_t name_length = length_of(name), rest = length_of(overload);
  const uint32_t length = rest > 0 ? name_length + 1 + rest : name_length;
  const uint32_t hash = with_length(hash_string(hash_string(2166136261u, name), overload), length);
  // Hashes are spread evenly: the place is near where it should be.
  uint32_t low = static_cast<uint32_t>(static_cast<uint64_t>(hash) * ops.count >> 32);
  while (low > 0 && ops.ops[low - 1].hash >= hash) --low;
  while (low < ops.count && ops.ops[low].hash < hash) ++low;
  // Names so long that the hash does not tell their length are none that wick has.
  if (length >= kLongName) return nullptr;
  for (; low < ops.count && ops.ops[low].hash == hash; ++low) {
    const char* whole = ops.ops[low].name;
    if (same_characters(whole, name, name_length) &&
        (rest == 0 || (whole[name_length] == '.' && same_characters(whole + name_length + 1, overload, rest)))) {
      return &ops.ops[low];
    }
  }
  return nullptr;
}

template <typename T>
T* allocate(Arena& arena, uint32_t count) {
  return static_cast<T*>(arena.alloc(sizeof(T) * count, alignof(T)));
}

}  // namespace

Status Builder::build(const char* const* names, uint32_t count, Method* methods, MethodMemory* memory) {
  if (count == 0 || count > Method::kMaxShared) {
    error_.add("1 to ", Method::kMaxShared, " methods can share an arena, ", count, " were asked for");
    return Code::kInvalidArgument;
  }
  for (uint32_t i = 0; i < count; ++i) WICK_TRY(open(names[i], methods[i]));
  Findings findings[Method::kMaxShared];
  const size_t mark = arena_.needed_bytes();
  bool again = true;
  size_t shared_bytes = 0, planned_bytes = 0;
  uint32_t scratch_bytes = 0;
  while (again) {
    again = false;
    arena_.rewind(mark);
    shared_bytes = planned_bytes = 0;
    scratch_bytes = 0;
    for (uint32_t i = 0; i < count; ++i) {
      // What may be prepared again reads its weights as the file has them, so its plan keeps its holes.
      if (findings[i].table) findings[i].view_count = findings[i].hole_count = 0;
      if (findings[i].state) continue;
      const size_t bytes = planned_sizes(methods[i], findings[i]);
      shared_bytes = bytes > shared_bytes ? bytes : shared_bytes;
    }
    uint8_t* shared = static_cast<uint8_t*>(arena_.alloc(shared_bytes, Arena::kAlignment));
    uint32_t* epoch = allocate<uint32_t>(arena_, 1);
    if (epoch != nullptr) *epoch = 1;
    for (uint32_t i = 0; i < count && !again; ++i) {
      methods[i].epoch_ = epoch;
      const Status status = pass(methods[i], findings[i], shared, &planned_bytes, &again);
      if (!status.ok()) {
        if (!again) {
          arena_.rewind(mark);
          return status;
        }
        error_.clear();
      }
      scratch_bytes = methods[i].scratch_bytes_ > scratch_bytes ? methods[i].scratch_bytes_ : scratch_bytes;
    }
  }
  planned_bytes += shared_bytes;
  void* scratch = scratch_bytes > 0 ? arena_.alloc(scratch_bytes, Arena::kAlignment) : nullptr;
  const size_t total = arena_.needed_bytes();
  if (memory != nullptr) {
    memory->planned_bytes = planned_bytes;
    memory->scratch_bytes = scratch_bytes;
    memory->persistent_bytes = total - mark - planned_bytes - scratch_bytes;
  }
  if (arena_.wrapped()) {
    error_.add("needs more memory than this machine can address");
    return Code::kOutOfMemory;
  }
  if (arena_.overflowed()) {
    error_.add("arena too small: ", static_cast<uint64_t>(arena_.required_bytes()), " bytes are needed, ",
               static_cast<uint64_t>(arena_.given_bytes()), " were given");
    arena_.rewind(mark);
    return Code::kOutOfMemory;
  }
  if (arena_.measuring()) return {};
  for (uint32_t i = 0; i < count; ++i) {
    methods[i].scratch_ = scratch;
    methods[i].scratch_bytes_ = scratch_bytes;
    methods[i].views_ = nullptr;  // they were this builder's
    methods[i].view_count_ = 0;
    if (methods[i].has_state_) WICK_TRY(methods[i].reset(error_));
  }
  return {};
}

Status Builder::open(const char* name, Method& m) {
  m = Method();
  WICK_TRY(program_.find_method(name, &m.plan_, error_));
  m.program_ = &program_;
  const format::Table& plan = m.plan_;
  m.values_ = plan.vector(fb::Plan::VT_VALUES, 4);
  m.inputs_ = plan.vector(fb::Plan::VT_INPUTS, 4);
  m.outputs_ = plan.vector(fb::Plan::VT_OUTPUTS, 4);
  m.operators_ = plan.vector(fb::Plan::VT_OPERATORS, 4);
  m.buffer_sizes_ = plan.vector(fb::Plan::VT_BUFFER_SIZES, 8);
  const format::Vector chains = plan.vector(fb::Plan::VT_CHAINS, 4);
  const format::Vector delegates = plan.vector(fb::Plan::VT_DELEGATES, 4);
  const format::Buffer& buffer = program_.file().buffer();
  if (chains.count == 1) {
    const format::Table chain = format::Table::element(buffer, chains, 0);
    m.instructions_ = chain.vector(fb::Chain::VT_INSTRUCTIONS, 4);
  }
  if (buffer.bad()) {
    buffer.clear();
    error_.add("method \"", name, "\": malformed lists");
    return Code::kInvalidProgram;
  }
  if (chains.count != 1) {
    error_.add("method \"", name, "\": ", chains.count, " chains of instructions, expected 1");
    return chains.count == 0 ? Code::kInvalidProgram : Code::kUnsupported;
  }
  if (delegates.count > 0) {
    error_.add("method \"", name, "\": program needs backend");
    for (uint32_t i = 0; i < delegates.count; ++i) {
      const char* id = format::Table::element(buffer, delegates, i).string(fb::Delegate::VT_ID);
      error_.add(i == 0 ? " " : ", ", id != nullptr && !buffer.bad() ? id : "?");
    }
    buffer.clear();
    error_.add(", which wick does not have; export the program without delegating to it");
    return Code::kUnsupported;
  }
  for (uint32_t id = 1; id < m.buffer_sizes_.count; ++id) {
    if (m.buffer_sizes_.u64(id) > INT32_MAX) {
      error_.add("method \"", name, "\": memory ", id, " is planned with a size that is negative or beyond 2 GiB");
      return Code::kInvalidProgram;
    }
  }
  return {};
}

// Both null when the buffer is bad.
void Builder::read_operator(const Method& m, uint32_t index, const char** name, const char** overload) {
  static constexpr format::Field kOperator[] = {{fb::Operator::VT_NAME, 4}, {fb::Operator::VT_OVERLOAD, 4}};
  const format::Buffer& buffer = program_.file().buffer();
  const uint32_t slot = static_cast<uint32_t>(m.operators_.data - buffer.bytes()) + 4 * index;
  const uint32_t at = slot + buffer.u32(slot);
  const auto* layout = operator_tables_.open(buffer, at, kOperator);
  if (layout == nullptr) return;
  *name = format::string_at(buffer, at, layout->offsets[0]);
  *overload = format::string_at(buffer, at, layout->offsets[1]);
}

Status Builder::judge_operators(Method& m) {
  const format::Buffer& buffer = program_.file().buffer();
  uint32_t missing = 0;
  for (uint32_t i = 0; i < m.operators_.count; ++i) {
    const char *name = nullptr, *overload = nullptr;
    read_operator(m, i, &name, &overload);
    if (buffer.bad() || name == nullptr) {
      buffer.clear();
      error_.clear();
      error_.add("operator ", i, " has no name");
      return Code::kInvalidProgram;
    }
    const Op* op = find_op(ops_, name, overload);
    if (m.resolved_ != nullptr) m.resolved_[i] = op;
    if (op != nullptr) continue;
    error_.add_always(missing == 0 ? "missing operators: " : ", ", name);
    if (overload != nullptr && *overload != '\0') error_.add_always(".", overload);
    ++missing;
  }
  if (missing == 0) return {};
  error_.add(" (", missing, " of ", m.operators_.count, " that the program calls are not in this build)");
  return Code::kMissingOperator;
}

const Op* Builder::find(const Method& m, uint32_t op_index) const {
  if (op_index >= m.operators_.count) return nullptr;
  if (m.resolved_ != nullptr) return m.resolved_[op_index];
  const format::Table table = format::Table::element(program_.file().buffer(), m.operators_, op_index);
  const char* name = table.string(fb::Operator::VT_NAME);
  return name != nullptr ? find_op(ops_, name, table.string(fb::Operator::VT_OVERLOAD)) : nullptr;
}

size_t Builder::planned_size(const Method& m, const Findings& found, uint32_t memory_id) {
  size_t size = static_cast<size_t>(m.buffer_sizes_.u64(memory_id));
  for (uint32_t i = 0; i < found.hole_count; ++i) {
    if (found.holes[i].memory_id == memory_id) size -= found.holes[i].bytes;
  }
  return round_up(size);
}

size_t Builder::planned_sizes(const Method& m, const Findings& found) {
  size_t bytes = 0;
  for (uint32_t id = 1; id < m.buffer_sizes_.count; ++id) bytes += planned_size(m, found, id);
  return bytes;
}

Status Builder::pass(Method& m, Findings& found, uint8_t* shared, size_t* planned_bytes, bool* again) {
  WICK_TRY(lay_out(m, found, shared));
  if (found.state) *planned_bytes += planned_sizes(m, found);
  m.has_state_ = found.state;
  if (!found.looked_for_views) {
    found.looked_for_views = true;
    WICK_TRY(find_views(m, found));
    if (found.view_count > 0) {
      find_holes(m, found);
      *again = true;
      return {};
    }
  }
  if (found.table) WICK_TRY(fill_table(m));
  WICK_TRY(judge_io(m, found, again));
  if (*again) return {};
  uint32_t written[Method::kMarkedValues / 32] = {};
  m.written_ = written;
  for (uint32_t i = 0; i < m.inputs_.count; ++i) m.mark_written(m.inputs_.i32(i));
  Tensor last_output;
  m.written_last_ = -1;
  m.last_output_ = &last_output;
  const Status status = prepare_steps(m, found, again);
  m.written_ = nullptr;
  m.written_last_ = -1;
  m.last_output_ = nullptr;
  return status;
}

Status Builder::lay_out(Method& m, Findings& found, uint8_t* shared) {
  const uint32_t buffers = m.buffer_sizes_.count > 0 ? m.buffer_sizes_.count - 1 : 0;
  m.view_count_ = found.view_count;
  m.hole_count_ = found.hole_count;
  m.views_ = found.views;
  m.holes_ = found.holes;
  m.table_ = nullptr;
  m.regions_ = nullptr;
  m.scratch_bytes_ = 0;
  m.mode_ = found.each_step ? Method::Mode::kPrepareEachStep
            : found.table   ? Method::Mode::kRefreshOnChange
                            : Method::Mode::kFixed;
  m.steps_ = allocate<Method::Step>(arena_, m.instructions_.count);
  m.resolved_ = allocate<const Op*>(arena_, m.operators_.count);
  m.planned_ = allocate<uint8_t*>(arena_, buffers);
  m.input_epochs_ = allocate<uint32_t>(arena_, m.inputs_.count);
  if (found.hole_count > 0) {
    Method::Hole* kept = allocate<Method::Hole>(arena_, found.hole_count);
    for (uint32_t i = 0; kept != nullptr && i < found.hole_count; ++i) kept[i] = found.holes[i];
    if (kept != nullptr) m.holes_ = kept;
  }
  for (uint32_t id = 1; id <= buffers; ++id) {
    const size_t bytes = planned_size(m, found, id);
    uint8_t* at = shared;
    if (found.state) {
      at = static_cast<uint8_t*>(arena_.alloc(bytes, Arena::kAlignment));
    } else if (shared != nullptr) {
      shared += bytes;
    }
    if (m.planned_ != nullptr) m.planned_[id - 1] = at;
  }
  if (m.input_epochs_ != nullptr) {
    for (uint32_t i = 0; i < m.inputs_.count; ++i) m.input_epochs_[i] = 0;
  }
  WICK_TRY(judge_operators(m));
  if (found.table) {
    m.table_ = allocate<Value>(arena_, m.values_.count);
    m.regions_ = allocate<Method::Region>(arena_, m.instructions_.count);
  }
  return {};
}

Status Builder::fill_table(Method& m) {
  Value* table = m.table_;
  m.table_ = nullptr;
  for (uint32_t i = 0; i < m.values_.count; ++i) {
    Value v;
    WICK_TRY(m.value_in_file(static_cast<int32_t>(i), &v, error_));
    if (v.kind == Value::Kind::kTensor && v.tensor.dynamic) {
      int32_t* sizes = allocate<int32_t>(arena_, v.tensor.rank);
      for (uint32_t d = 0; sizes != nullptr && d < v.tensor.rank; ++d) sizes[d] = v.tensor.sizes[d];
      if (sizes != nullptr) v.tensor.sizes = sizes;
    }
    if (table != nullptr && !arena_.overflowed()) table[i] = v;
  }
  m.table_ = table;
  return {};
}

Status Builder::judge_io(Method& m, Findings& found, bool* again) {
  for (uint32_t side = 0; side < 2; ++side) {
    const format::Vector& list = side == 0 ? m.inputs_ : m.outputs_;
    for (uint32_t i = 0; i < list.count; ++i) {
      Value v;
      ErrorText silent;
      const char* what = side == 0 ? "input " : "output ";
      if (!m.value_in_file(list.i32(i), &v, silent).ok()) {
        error_.add(what, i, ": ");
        return m.value_in_file(list.i32(i), &v, error_);
      }
      if (v.kind != Value::Kind::kTensor) continue;
      if (side == 0 && v.tensor.storage == Storage::kConstant) {
        error_.add(what, i, ": a constant cannot be an input");
        return Code::kInvalidProgram;
      }
      if ((v.tensor.dynamic || v.tensor.storage == Storage::kCaller) && !found.table) {
        found.table = *again = true;
      }
      if (v.tensor.state && !found.state) found.state = *again = true;
    }
  }
  return {};
}

// What an instruction is, and for a call its arguments and the operator's index. False when it is malformed.
bool Builder::read_call(const Method& m, uint32_t index, fb::InstructionArguments* kind, format::Vector* args,
                        uint32_t* op_index) {
  static constexpr format::Field kInstruction[] = {{fb::Instruction::VT_ARGS_TYPE, 1}, {fb::Instruction::VT_ARGS, 4}};
  static constexpr format::Field kCall[] = {{fb::KernelCall::VT_OP_INDEX, 4}, {fb::KernelCall::VT_ARGS, 4}};
  const format::Buffer& buffer = program_.file().buffer();
  const uint8_t* base = buffer.bytes();
  const uint32_t slot = static_cast<uint32_t>(m.instructions_.data - base) + 4 * index;
  const uint32_t at = slot + buffer.u32(slot);
  const auto* instruction = instruction_tables_.open(buffer, at, kInstruction);
  if (instruction == nullptr || instruction->offsets[1] == 0) return false;
  *kind = static_cast<fb::InstructionArguments>(instruction->offsets[0] != 0 ? base[at + instruction->offsets[0]] : 0);
  uint32_t call_at = at + instruction->offsets[1];
  call_at += buffer.u32(call_at);
  if (*kind != fb::InstructionArguments::KernelCall) return format::Table(buffer, call_at).present();
  const auto* call = calls_.open(buffer, call_at, kCall);
  if (call == nullptr) return false;
  *op_index = call->offsets[0] != 0 ? buffer.u32(call_at + call->offsets[0]) : 0;
  if (call->offsets[1] != 0) {
    const uint32_t place = call_at + call->offsets[1];
    *args = format::Vector::at(buffer, place + buffer.u32(place), 4);
  }
  return !buffer.bad();
}

Status Builder::prepare_steps(Method& m, Findings& found, bool* again) {
  const format::Buffer& buffer = program_.file().buffer();
  for (uint32_t i = 0; i < m.instructions_.count; ++i) {
    auto kind = fb::InstructionArguments::NONE;
    format::Vector args;
    uint32_t op_index = 0;
    if (!read_call(m, i, &kind, &args, &op_index)) {
      buffer.clear();
      error_.add("instruction ", i, " is malformed");
      return Code::kInvalidProgram;
    }
    if (kind != fb::InstructionArguments::KernelCall) {
      if (kind != fb::InstructionArguments::MoveCall && kind != fb::InstructionArguments::JumpFalseCall &&
          kind != fb::InstructionArguments::FreeCall) {
        error_.add("instruction ", i, " is of unknown kind ", static_cast<uint32_t>(kind));
        return Code::kUnsupported;
      }
      if (!found.each_step) found.table = found.each_step = *again = true;
      if (m.steps_ != nullptr) m.steps_[i] = {nullptr, nullptr};
      continue;
    }
    const Op* op = find(m, op_index);
    if (op == nullptr) {
      error_.add("instruction ", i, " calls operator ", op_index, " of ", m.operators_.count);
      return Code::kInvalidProgram;
    }
    const bool is_view = m.view_count_ > 0 && args.count >= 2 && [&] {
      for (uint32_t v = 0; v < m.view_count_; ++v) {
        if (m.views_[v].value == args.i32(args.count - 2)) return true;
      }
      return false;
    }();
    // A step that may be prepared again starts on the arena's own alignment, as it will then.
    if (found.table) (void)arena_.alloc(0, Arena::kAlignment);
    const size_t begin = arena_.needed_bytes();
    Prepare p(m, arena_, error_, i, args);
    const Status status = is_view ? p.finish_nothing() : op->prepare(p);
    buffer.clear();
    if (p.wants_table_ && !found.table) found.table = *again = true;
    if (p.writes_values_ && !found.each_step) found.table = found.each_step = *again = true;
    if (m.has_state_ && !found.state) found.state = *again = true;
    if (!status.ok()) return status;
    p.require(p.run_ != nullptr, Code::kInvalidState, UINT32_MAX, "its prepare function left nothing to run");
    if (p.failed()) return p.status();
    if (p.scratch_bytes_ > m.scratch_bytes_) m.scratch_bytes_ = p.scratch_bytes_;
    if (m.steps_ != nullptr) m.steps_[i] = {p.run_, p.params_};
    if (m.regions_ != nullptr) {
      m.regions_[i] = {arena_.base() + begin, static_cast<uint32_t>(arena_.needed_bytes() - begin)};
    }
  }
  return {};
}

Status Method::measure_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                           MethodMemory* memory, ErrorText& error) {
  Method methods[kMaxShared];
  Arena measuring;
  return Builder(program, ops, measuring, error).build(names, count, methods, memory);
}

Status Method::prepare_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                           Arena& arena, Method* methods, MethodMemory* memory, ErrorText& error) {
  return Builder(program, ops, arena, error).build(names, count, methods, memory);
}

}  // namespace wick
