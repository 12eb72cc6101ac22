// A method of a program, made ready once in the caller's arena and run many times. Owns nothing: the program, the
// operator table and the arena must outlive it.
//
//   Program program;
//   Method method;
//   MethodMemory memory;
//   program.load(bytes, size, error);
//   Method::measure(program, "forward", kAllOps, &memory, error);      // how much memory; changes nothing
//   Arena arena(buffer, memory.arena_bytes());
//   method.prepare(program, "forward", kAllOps, arena, error);
//   method.set_input(0, data, bytes, error);
//   method.execute(error);
//   method.output(0).tensor.data ...
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/arena.h"
#include "core/status.h"
#include "core/tensor.h"
#include "runtime/op.h"
#include "runtime/profile.h"
#include "runtime/program.h"

namespace wick {

// What methods need, in bytes. Exact: an arena of arena_bytes() with a 16-byte aligned base is enough, and one byte
// less is refused.
struct MethodMemory {
  size_t persistent_bytes = 0;  // steps, parameters, prepared sums, mutable state, and what alignment costs
  size_t planned_bytes = 0;     // activations, as the program plans them
  size_t scratch_bytes = 0;     // the largest that any operator asks for
  size_t arena_bytes() const { return persistent_bytes + planned_bytes + scratch_bytes; }
};

class Method {
 public:
  // Methods that share one arena, at most.
  static constexpr uint32_t kMaxShared = 8;

  // Says what `prepare` will need, exactly.
  static Status measure(const Program& program, const char* name, const OpTable& ops, MethodMemory* memory,
                        ErrorText& error) {
    return measure_all(program, &name, 1, ops, memory, error);
  }
  // Decodes and judges everything once. On failure the arena is as it was and the method must not be used.
  Status prepare(const Program& program, const char* name, const OpTable& ops, Arena& arena, ErrorText& error) {
    return prepare_all(program, &name, 1, ops, arena, this, nullptr, error);
  }

  // Several methods in one arena: activations and scratch, which hold nothing between calls, are shared; mutable state
  // isn't. An output is then valid until any of the methods is given inputs or runs. `methods` has `count` entries.
  static Status measure_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                            MethodMemory* memory, ErrorText& error);
  static Status prepare_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                            Arena& arena, Method* methods, MethodMemory* memory, ErrorText& error);

  uint32_t input_count() const { return inputs_.count; }
  uint32_t output_count() const { return outputs_.count; }
  // Kind, and for tensors the present sizes and memory.
  Value input(uint32_t index) const { return io_value(inputs_, index); }
  Value output(uint32_t index) const { return io_value(outputs_, index); }

  // A planned input is copied; memory that the program leaves to the caller is used in place and must stay. `bytes`
  // must be the tensor's. The layout is the program's (dim_order): nothing is converted.
  Status set_input(uint32_t index, const void* data, size_t bytes, ErrorText& error);
  // The same, with sizes, for an input whose own are an upper bound.
  Status set_input(uint32_t index, const void* data, size_t bytes, const int32_t* sizes, uint32_t rank,
                   ErrorText& error);
  // Scalar inputs were fixed when the program was exported: the value must be that one.
  Status set_input(uint32_t index, const Scalar& value, ErrorText& error);
  // Says that a planned input was written in place, through input(index).tensor.data.
  void input_written(uint32_t index) { input_epochs_[index] = *epoch_; }
  // Memory for an output that the program leaves to the caller.
  Status set_output(uint32_t index, void* data, size_t bytes, ErrorText& error);

  // Every planned input must have been set since the last run of any method in this arena, as its memory is reused.
  Status execute(ErrorText& error, Profiler* profiler = nullptr);
  // Mutable state back to its initial values.
  Status reset(ErrorText& error);
  // Instructions that one execute() may run, a guard against endless loops in the program.
  void set_step_limit(uint32_t steps) { step_limit_ = steps; }

  uint32_t step_count() const { return instructions_.count; }
  // The operator of a step as "namespace::name.overload", cut to `bytes`.
  void step_name(uint32_t step, char* text, size_t bytes) const;

 private:
  friend class Prepare;
  friend class Builder;

  struct Step {
    Run run;  // null for an instruction that is no operator (move, jump)
    const void* params;
  };
  // An output of an operator that is not run: its only readers read the constant itself, transposed.
  struct ConstantView {
    int32_t value;
    int32_t source;
  };
  // Planned bytes that nothing uses any more, taken out of the plan.
  struct Hole {
    uint32_t memory_id, offset, bytes;
  };
  // Where a step's parameters lie, so that it can be prepared again.
  struct Region {
    uint8_t* base;
    uint32_t bytes;
  };
  enum class Mode : uint8_t {
    kFixed,            // nothing changes after prepare()
    kRefreshOnChange,  // sizes or the caller's pointers may change between calls
    kPrepareEachStep,  // jumps, or scalars computed at run time
  };

  // values.cc
  uint32_t locate(int32_t index, Value::Kind* kind) const;
  uint32_t locate_anew(uint32_t entry, uint32_t* tag) const;
  bool integer_anew(int32_t index, int64_t* value) const;
  template <uint32_t words>
  bool read_integers(const uint8_t* indices, uint32_t count, int64_t* items) const;
  bool read_int_list(int32_t index, int64_t* items, uint32_t most, uint32_t* count) const;
  Status read_tensor(uint32_t at, Tensor* tensor, ErrorText& error) const;
  Status refuse_place(const format::TensorFacts& facts, ErrorText& error) const;
  Status find_external(const format::TensorFacts& facts, Tensor* tensor, ErrorText& error) const;
  Status value(int32_t index, Value* value, ErrorText& error) const;
  Status value_in_file(int32_t index, Value* value, ErrorText& error) const;
  Status tensor_in_file(uint32_t at, Tensor* tensor, ErrorText& error) const;
  uint32_t value_position(int32_t index, Value::Kind* kind) const;
  format::Table value_table(int32_t index, Value::Kind* kind) const;
  // False when it is no int, or malformed (then the buffer is bad()).
  bool integer_in_file(int32_t index, int64_t* value) const;
  // False when it is no list of at most `most` ints, or malformed (then the buffer is bad()).
  bool int_list_in_file(int32_t index, int64_t* items, uint32_t most, uint32_t* count) const;
  Value io_value(const format::Vector& list, uint32_t index) const;
  bool is_io(int32_t value) const;
  uint8_t* planned_address(uint32_t memory_id, uint32_t offset) const;
  void set_sizes(int32_t index, const int32_t* sizes);

  // While a method is being made ready: which values an instruction so far, or the caller, writes. Values beyond
  // kMarkedValues count as written.
  static constexpr uint32_t kMarkedValues = 2048;
  void mark_written(int32_t value) {
    if (written_ != nullptr && static_cast<uint32_t>(value) < kMarkedValues) written_[value / 32] |= 1u << (value % 32);
  }
  bool is_written(int32_t value) const {
    return written_ == nullptr || static_cast<uint32_t>(value) >= kMarkedValues ||
           ((written_[value / 32] >> (value % 32)) & 1) != 0;
  }

  // method.cc
  Status execute_fixed(ErrorText& error, Profiler* profiler);
  Status execute_each(ErrorText& error, Profiler* profiler);
  Status refresh(uint32_t step, ErrorText& error);
  Status control(uint32_t step, uint32_t* next, ErrorText& error);
  Status name_step(Status status, uint32_t step, ErrorText& error) const;
  Status judge_inputs(ErrorText& error) const;

  const Program* program_ = nullptr;
  format::Table plan_;
  format::Vector values_, inputs_, outputs_, operators_, instructions_, buffer_sizes_;
  mutable format::TableCache<2> entries_;
  mutable format::TableCache<1> ints_, lists_;
  // The vtables that most entries and ints have, as the caches above judged them. `last` is the last position, in
  // words, where a whole table may lie.
  struct UsualEntry {
    uint32_t vtable = UINT32_MAX, tag = 0, value = 0, last = 0;
  };
  struct UsualTable {
    uint32_t vtable = UINT32_MAX, value = 0, last = 0;
  };
  mutable UsualEntry usual_entry_;
  mutable UsualTable usual_int_, usual_list_;
  mutable uint32_t zero_vtable_ = UINT32_MAX;
  Step* steps_ = nullptr;
  const Op** resolved_ = nullptr;  // by operator index
  uint8_t** planned_ = nullptr;    // by memory id - 1
  void* scratch_ = nullptr;
  uint32_t scratch_bytes_ = 0;
  uint32_t* epoch_ = nullptr;         // counts runs of all methods in the arena
  uint32_t* input_epochs_ = nullptr;  // when each input was set
  Value* table_ = nullptr;            // all values, when any may change
  Region* regions_ = nullptr;         // by step, with table_
  ConstantView* views_ = nullptr;
  uint32_t view_count_ = 0;
  Hole* holes_ = nullptr;
  uint32_t hole_count_ = 0;
  uint32_t* written_ = nullptr;  // bits
  // The value that a step has written last, and its tensor as it was read, while a method is being made ready.
  int32_t written_last_ = -1;
  Tensor* last_output_ = nullptr;
  uint32_t step_limit_ = 10'000'000;
  Mode mode_ = Mode::kFixed;
  bool refreshing_ = false;  // values come from table_
  bool changed_ = true;      // something that steps were prepared with has changed
  bool has_state_ = false;
};

}  // namespace wick
