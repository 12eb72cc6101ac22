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
//   method.output(0).data ...
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

// What a method needs, in bytes. Exact: an arena of `arena_bytes()` with a 16-byte aligned base is enough, and one byte
// less is refused.
struct MethodMemory {
  size_t persistent_bytes = 0;  // steps, parameters, prepared weights' sums, mutable state
  size_t planned_bytes = 0;     // activations, as the program plans them
  size_t scratch_bytes = 0;     // the largest that any operator asks for
  size_t arena_bytes() const;
};

class Method {
 public:
  // Says what `prepare` will need, exactly.
  static Status measure(const Program& program, const char* name, const OpTable& ops, MethodMemory* memory,
                        ErrorText& error);
  // Decodes and judges everything once. On failure the arena is as it was and the method must not be used.
  Status prepare(const Program& program, const char* name, const OpTable& ops, Arena& arena, ErrorText& error);

  // Several methods in one arena: activations and scratch, which hold nothing between calls, are shared; state isn't.
  // An output is then valid until any of the methods runs again. `methods` has `count` entries.
  static Status measure_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                            MethodMemory* memory, ErrorText& error);
  static Status prepare_all(const Program& program, const char* const* names, uint32_t count, const OpTable& ops,
                            Arena& arena, Method* methods, ErrorText& error);

  uint32_t input_count() const { return input_count_; }
  uint32_t output_count() const { return output_count_; }
  // Kind, and for tensors the present shape and memory. A planned input's data may be written in place.
  const Value& input(uint32_t index) const;
  const Value& output(uint32_t index) const;

  // A planned input is copied; memory that the program leaves to the caller is used in place and must stay. `bytes`
  // must be the tensor's. The layout is the program's (dim_order), not converted.
  Status set_input(uint32_t index, const void* data, size_t bytes, ErrorText& error);
  // The same for an input whose sizes are an upper bound.
  Status set_input(uint32_t index, const void* data, size_t bytes, const int32_t* sizes, uint32_t rank,
                   ErrorText& error);
  // Scalar inputs were fixed when the program was exported: the value must be that one.
  Status set_input(uint32_t index, const Scalar& value, ErrorText& error);
  // Memory for an output that the program leaves to the caller.
  Status set_output(uint32_t index, void* data, size_t bytes, ErrorText& error);

  // Every input must have been set since the last execute (planned memory is reused, so old inputs are gone), unless
  // it was written in place and said so with input_written().
  Status execute(ErrorText& error, Profiler* profiler = nullptr);
  void input_written(uint32_t index);
  // Mutable state back to its initial values.
  void reset();

  uint32_t step_count() const { return step_count_; }
  const char* step_name(uint32_t step) const;       // the operator's name
  uint32_t step_instruction(uint32_t step) const;   // its instruction in the program

 private:
  friend class Prepare;
  friend class MethodBuilder;
  struct Step;

  const Program* program_ = nullptr;
  uint32_t input_count_ = 0;
  uint32_t output_count_ = 0;
  uint32_t step_count_ = 0;
};

}  // namespace wick
