// Makes methods ready: lays out the arena and prepares every step, once. What is found out on the way (that values may
// change between calls, that memory must be kept, that a weight need not be transposed) can change the layout; then
// the pass starts again with what is known. Most programs take one pass.
#pragma once

#include "format/program_generated.h"
#include "runtime/method.h"

namespace wick {

class Builder {
 public:
  Builder(const Program& program, const OpTable& ops, Arena& arena, ErrorText& error)
      : program_(program), ops_(ops), arena_(arena), error_(error) {}

  // Builds all methods. With `memory`, says what they need.
  Status build(const char* const* names, uint32_t count, Method* methods, MethodMemory* memory);

 private:
  static constexpr uint32_t kMaxViews = 16;
  static constexpr uint32_t kMaxHoles = 16;

  // What a pass found out about a method.
  struct Findings {
    bool looked_for_views = false;
    bool table = false;
    bool each_step = false;
    bool state = false;
    uint32_t view_count = 0, hole_count = 0;
    Method::ConstantView views[kMaxViews];
    Method::Hole holes[kMaxHoles];
  };

  // Reads the method's lists and resolves its operators' existence.
  Status open(const char* name, Method& m);
  Status judge_operators(Method& m);
  // One pass over one method; sets *again when it must be repeated.
  Status pass(Method& m, Findings& found, uint8_t* shared, size_t* planned_bytes, bool* again);
  Status lay_out(Method& m, Findings& found, uint8_t* shared);
  Status fill_table(Method& m);
  void read_operator(const Method& m, uint32_t index, const char** name, const char** overload);
  bool read_call(const Method& m, uint32_t index, fb::InstructionArguments* kind, format::Vector* args,
                 uint32_t* op_index);
  Status prepare_steps(Method& m, Findings& found, bool* again);
  Status judge_io(Method& m, Findings& found, bool* again);
  // Bytes of one planned memory without its holes, and of all of a method's.
  static size_t planned_size(const Method& m, const Findings& found, uint32_t memory_id);
  static size_t planned_sizes(const Method& m, const Findings& found);
  const Op* find(const Method& m, uint32_t op_index) const;

  // constant_views.cc
  Status find_views(Method& m, Findings& found);
  void find_holes(const Method& m, Findings& found);

  const Program& program_;
  const OpTable& ops_;
  Arena& arena_;
  ErrorText& error_;
  format::TableCache<2> instruction_tables_, calls_, operator_tables_;
};

}  // namespace wick
