#include "runtime/method.h"

#include "format/program_generated.h"

namespace wick {

namespace {

void copy_bytes(void* to, const void* from, size_t bytes) { __builtin_memmove(to, from, bytes); }

bool all_true(const Tensor& t) {
  const uint8_t* p = t.as<uint8_t>();
  for (uint32_t i = 0, n = t.numel(); i < n; ++i) {
    if (p[i] == 0) return false;
  }
  return true;
}

}  // namespace

Status Method::set_input(uint32_t index, const void* data, size_t bytes, ErrorText& error) {
  return set_input(index, data, bytes, nullptr, 0, error);
}

Status Method::set_input(uint32_t index, const void* data, size_t bytes, const int32_t* sizes, uint32_t rank,
                         ErrorText& error) {
  if (index >= inputs_.count) {
    error.add("input ", index, ": the method has ", inputs_.count);
    return Code::kInvalidArgument;
  }
  const Value v = input(index);
  if (v.kind != Value::Kind::kTensor) {
    error.add("input ", index, ": expected ", kind_name(v.kind), ", given a tensor");
    return Code::kInvalidArgument;
  }
  Tensor t = v.tensor;
  if (sizes != nullptr) {
    bool same = rank == t.rank;
    for (uint32_t i = 0; same && i < rank; ++i) same = t.sizes[i] == sizes[i];
    if (!same) {
      bool fits = t.dynamic && rank == t.rank;
      uint64_t numel = 1;
      for (uint32_t i = 0; fits && i < rank; ++i) {
        numel *= static_cast<uint32_t>(sizes[i]);
        fits = sizes[i] >= 0 && numel <= INT32_MAX;
      }
      Value bound;
      fits = fits && value_in_file(inputs_.i32(index), &bound, error).ok() && numel <= bound.tensor.numel();
      if (!fits) {
        error.clear();
        error.add("input ", index, ": sizes ");
        error.add_sizes(sizes, rank);
        error.add(t.dynamic ? " do not fit, the upper bound is " : ", expected ");
        (void)value_in_file(inputs_.i32(index), &bound, error).ok();
        error.add_sizes(bound.tensor.sizes, bound.tensor.rank);
        return Code::kInvalidArgument;
      }
      set_sizes(inputs_.i32(index), sizes);
      changed_ = true;
      t = input(index).tensor;
    }
  }
  if (bytes != t.bytes()) {
    error.add("input ", index, ": ", static_cast<uint64_t>(bytes), " bytes, expected ", t.bytes(), " (",
              dtype_name(t.dtype), " ");
    error.add_sizes(t.sizes, t.rank);
    error.add(")");
    return Code::kInvalidArgument;
  }
  if (t.storage == Storage::kPlanned) {
    if (bytes > 0) copy_bytes(t.data, data, bytes);
  } else {
    if (reinterpret_cast<uintptr_t>(data) % dtype_bytes(t.dtype) != 0) {
      error.add("input ", index, ": memory is not aligned for ", dtype_name(t.dtype));
      return Code::kInvalidArgument;
    }
    Tensor& kept = table_[inputs_.i32(index)].tensor;
    changed_ = changed_ || kept.data != data;
    kept.data = const_cast<void*>(data);
  }
  input_written(index);
  return {};
}

Status Method::set_input(uint32_t index, const Scalar& value, ErrorText& error) {
  if (index >= inputs_.count) {
    error.add("input ", index, ": the method has ", inputs_.count);
    return Code::kInvalidArgument;
  }
  const Value v = input(index);
  bool same = false;
  if (v.kind == Value::Kind::kInt || v.kind == Value::Kind::kBool) {
    same = value.kind != Scalar::Kind::kFloat && value.i == v.integer;
  } else if (v.kind == Value::Kind::kDouble) {
    // Within what a decimal text of the number loses; NaN equals NaN.
    const double difference = value.as_double() - v.number;
    const double magnitude = v.number < 0 ? -v.number : v.number;
    const double allowed = 1e-4 + 1e-5 * magnitude;
    same = (difference <= allowed && -difference <= allowed) || value.as_double() == v.number ||
           (value.as_double() != value.as_double() && v.number != v.number);
  } else {
    error.add("input ", index, ": expected ", kind_name(v.kind), ", given a number");
    return Code::kInvalidArgument;
  }
  if (!same) {
    error.add("input ", index, ": the program was exported for another value of this ", kind_name(v.kind));
    if (v.kind != Value::Kind::kDouble) error.add(": ", v.integer);
    return Code::kInvalidArgument;
  }
  input_written(index);
  return {};
}

Status Method::set_output(uint32_t index, void* data, size_t bytes, ErrorText& error) {
  const Value v = index < outputs_.count ? output(index) : Value();
  if (v.kind != Value::Kind::kTensor || v.tensor.storage != Storage::kCaller) {
    error.add("output ", index, ": not a tensor whose memory the caller gives");
    return Code::kInvalidArgument;
  }
  Value bound;
  WICK_TRY(value_in_file(outputs_.i32(index), &bound, error));
  if (bytes < bound.tensor.bytes() || reinterpret_cast<uintptr_t>(data) % dtype_bytes(v.tensor.dtype) != 0) {
    error.add("output ", index, ": ", static_cast<uint64_t>(bytes), " bytes were given, ", bound.tensor.bytes(),
              " aligned ones are needed");
    return Code::kInvalidArgument;
  }
  Tensor& kept = table_[outputs_.i32(index)].tensor;
  changed_ = changed_ || kept.data != data;
  kept.data = data;
  return {};
}

Status Method::judge_inputs(ErrorText& error) const {
  for (uint32_t i = 0; i < inputs_.count; ++i) {
    // Planned memory is reused, so what was set before the last run is gone; the caller's own memory stays.
    if (input_epochs_[i] == *epoch_) continue;
    const Value v = input(i);
    if (v.kind != Value::Kind::kTensor) continue;
    if (v.tensor.storage == Storage::kCaller && v.tensor.data != nullptr) continue;
    error.add("input ", i, " was not set since the last run");
    return Code::kInvalidState;
  }
  for (uint32_t i = 0; table_ != nullptr && i < outputs_.count; ++i) {
    const Tensor t = output(i).tensor;
    if (output(i).kind != Value::Kind::kTensor || t.storage != Storage::kCaller || t.data != nullptr) continue;
    error.add("output ", i, " has no memory: the program leaves it to the caller (set_output)");
    return Code::kInvalidState;
  }
  return {};
}

Status Method::execute(ErrorText& error, Profiler* profiler) {
  if (steps_ == nullptr && instructions_.count > 0) {
    error.add("the method was not prepared");
    return Code::kInvalidState;
  }
  WICK_TRY(judge_inputs(error));
  ++*epoch_;
  return mode_ == Mode::kPrepareEachStep ? execute_each(error, profiler) : execute_fixed(error, profiler);
}

Status Method::execute_fixed(ErrorText& error, Profiler* profiler) {
  if (mode_ == Mode::kRefreshOnChange && changed_) {
    refreshing_ = true;
    Status status;
    for (uint32_t i = 0; i < instructions_.count && status.ok(); ++i) status = refresh(i, error);
    refreshing_ = false;
    WICK_TRY(status);
    changed_ = false;
  }
  RunContext context{scratch_, &error};
  const Step* steps = steps_;
  const uint32_t count = instructions_.count;
  if (profiler == nullptr) {
    for (uint32_t i = 0; i < count; ++i) {
      const Status status = steps[i].run(steps[i].params, context);
      if (!status.ok()) return name_step(status, i, error);
    }
    return {};
  }
  for (uint32_t i = 0; i < count; ++i) {
    profiler->begin_step(i);
    const Status status = steps[i].run(steps[i].params, context);
    profiler->end_step(i);
    if (!status.ok()) return name_step(status, i, error);
  }
  return {};
}

Status Method::execute_each(ErrorText& error, Profiler* profiler) {
  RunContext context{scratch_, &error};
  uint32_t executed = 0;
  for (uint32_t i = 0; i < instructions_.count;) {
    if (++executed > step_limit_) {
      error.add("more than ", step_limit_, " instructions: the program does not end");
      return Code::kInvalidProgram;
    }
    uint32_t next = i + 1;
    refreshing_ = true;
    Status status = steps_[i].run == nullptr ? control(i, &next, error) : refresh(i, error);
    refreshing_ = false;
    WICK_TRY(status);
    if (steps_[i].run != nullptr) {
      if (profiler != nullptr) profiler->begin_step(i);
      status = steps_[i].run(steps_[i].params, context);
      if (profiler != nullptr) profiler->end_step(i);
      if (!status.ok()) return name_step(status, i, error);
    }
    i = next;
  }
  return {};
}

Status Method::refresh(uint32_t step, ErrorText& error) {
  if (steps_[step].run == nullptr) return {};
  const format::Buffer& buffer = program_->file().buffer();
  // prepare() has read this instruction before: it is well-formed.
  const format::Table call = format::Table::element(buffer, instructions_, step).table(fb::Instruction::VT_ARGS);
  Arena region(regions_[step].base, regions_[step].bytes);
  Prepare p(*this, region, error, step, call.vector(fb::KernelCall::VT_ARGS, 4));
  const Status status = resolved_[call.u32(fb::KernelCall::VT_OP_INDEX)]->prepare(p);
  buffer.clear();
  WICK_TRY(status);
  if (region.overflowed() || p.scratch_bytes_ > scratch_bytes_) {
    error.add("needs more memory for these sizes than for their upper bound");
    return name_step(Code::kOutOfMemory, step, error);
  }
  steps_[step] = {p.run_, p.params_};
  return {};
}

Status Method::control(uint32_t step, uint32_t* next, ErrorText& error) {
  const format::Buffer& buffer = program_->file().buffer();
  const format::Table instruction = format::Table::element(buffer, instructions_, step);
  const auto kind = static_cast<fb::InstructionArguments>(instruction.u8(fb::Instruction::VT_ARGS_TYPE));
  const format::Table args = instruction.table(fb::Instruction::VT_ARGS);
  const uint32_t first = args.u32(fb::MoveCall::VT_FROM), second = args.u32(fb::MoveCall::VT_TO);
  if (buffer.bad() || first >= values_.count ||
      (kind == fb::InstructionArguments::MoveCall && second >= values_.count)) {
    buffer.clear();
    error.add("instruction ", step, " names a value that the program does not have");
    return Code::kInvalidProgram;
  }
  if (kind == fb::InstructionArguments::MoveCall) {
    table_[second] = table_[first];
    return {};
  }
  if (kind == fb::InstructionArguments::FreeCall) return {};
  const Value& condition = table_[first];
  bool taken = false;
  if (condition.kind == Value::Kind::kBool) {
    taken = condition.integer == 0;
  } else if (condition.kind == Value::Kind::kTensor && condition.tensor.dtype == DType::kBool &&
             condition.tensor.data != nullptr) {
    taken = !all_true(condition.tensor);
  } else {
    error.add("instruction ", step, ": the condition of a jump is no bool");
    return Code::kInvalidProgram;
  }
  if (taken) *next = second;
  return {};
}

Status Method::reset(ErrorText& error) {
  if (!has_state_) return {};
  for (uint32_t id = 1; id < buffer_sizes_.count; ++id) {
    uint32_t bytes = static_cast<uint32_t>(buffer_sizes_.u64(id));
    for (uint32_t i = 0; i < hole_count_; ++i) bytes -= holes_[i].memory_id == id ? holes_[i].bytes : 0;
    __builtin_memset(planned_[id - 1], 0, bytes);
  }
  for (uint32_t i = 0; i < values_.count; ++i) {
    Value::Kind kind;
    const uint32_t at = value_position(static_cast<int32_t>(i), &kind);
    format::TensorFacts facts;
    program_->file().buffer().clear();
    if (kind != Value::Kind::kTensor) continue;
    WICK_TRY(program_->file().tensor(at, &facts, error));
    if (facts.tensor.storage != Storage::kPlanned || (facts.data_index == 0 && !facts.external)) continue;
    const uint8_t* initial = nullptr;
    if (facts.external) {
      if (facts.name == nullptr || !program_->data().is_open()) {
        error.add("value ", i, ": its initial value is in a data file (.ptd), and none was given");
        return Code::kNotFound;
      }
      WICK_TRY(program_->data().tensor(facts.name, facts, &initial, error));
    } else {
      WICK_TRY(program_->file().initial_value(facts.data_index, facts.bytes, &initial, error));
    }
    // Judges the place in planned memory.
    Value v;
    WICK_TRY(value_in_file(static_cast<int32_t>(i), &v, error));
    if (facts.bytes > 0) copy_bytes(v.tensor.data, initial, facts.bytes);
  }
  return {};
}

Status Method::name_step(Status status, uint32_t step, ErrorText& error) const {
  char name[96];
  step_name(step, name, sizeof(name));
  error.add(" (operator ", static_cast<const char*>(name), ", instruction ", step, ")");
  return status;
}

void Method::step_name(uint32_t step, char* text, size_t bytes) const {
  const format::Buffer& buffer = program_->file().buffer();
  ErrorText name(text, bytes);
  if (step >= instructions_.count) return;
  const format::Table instruction = format::Table::element(buffer, instructions_, step);
  const auto kind = static_cast<fb::InstructionArguments>(instruction.u8(fb::Instruction::VT_ARGS_TYPE));
  const format::Table call = instruction.table(fb::Instruction::VT_ARGS);
  if (kind == fb::InstructionArguments::KernelCall) {
    const uint32_t index = call.u32(fb::KernelCall::VT_OP_INDEX);
    if (index < operators_.count) {
      const format::Table op = format::Table::element(buffer, operators_, index);
      const char* overload = op.string(fb::Operator::VT_OVERLOAD);
      const char* first = op.string(fb::Operator::VT_NAME);
      if (first != nullptr) name.add(first);
      if (overload != nullptr && *overload != '\0') name.add(".", overload);
    }
  } else {
    name.add(kind == fb::InstructionArguments::MoveCall        ? "move"
             : kind == fb::InstructionArguments::JumpFalseCall ? "jump"
                                                               : "free");
  }
}

}  // namespace wick
