// What an operator is: a name, and a `prepare` that reads its arguments once, judges them, and leaves behind a function
// and its parameters. After prepare() is ok, running can fail only on data that no one could know before (an index
// out of range), and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/arena.h"
#include "core/status.h"
#include "core/tensor.h"
#include "format/checked.h"
#include "kernels/kernels.h"

namespace wick {

class Builder;
class Method;
struct Value;

// Handed to an operator each time that it runs.
struct RunContext {
  void* scratch;     // as much as the operator asked for, 16-byte aligned
  ErrorText* error;  // for data-dependent errors
};

// One step of a method. Gets what its operator's prepare() left behind.
using Run = Status (*)(const void* params, RunContext& context);

// A list of integers as an argument: up to kMaxList entries.
struct IntList {
  static constexpr uint32_t kMaxList = 16;
  int64_t items[kMaxList];
  uint32_t count = 0;
};

struct FloatList {
  double items[IntList::kMaxList];
  uint32_t count = 0;
};

// A number that may be an integer, a floating-point number or a bool ("Scalar" in operator signatures).
struct Scalar {
  enum class Kind : uint8_t { kInt, kFloat, kBool } kind = Kind::kInt;
  int64_t i = 0;   // kInt, kBool
  double f = 0.0;  // kFloat
  double as_double() const { return kind == Kind::kFloat ? f : static_cast<double>(i); }
};

// The view that an operator's prepare() has of one instruction. Errors stick: the first one is kept with the place
// (operator, instruction, argument, value) in front, later getters return harmless values, and prepare() ends with
//   if (p.failed()) return p.status();
// before it looks at what the getters gave. Argument numbers are those of the operator's schema; out arguments follow.
class Prepare {
 public:
  // --- arguments -----------------------------------------------------------------------------------------------
  // Schema arguments plus out arguments; the return value that the file repeats is not counted.
  uint32_t arg_count() const { return arg_count_; }
  // For prim operators, whose calls repeat no return value: counts the last argument too.
  void no_return_value() { arg_count_ = args_.count; }
  bool is_none(uint32_t arg);
  Tensor tensor(uint32_t arg);                         // fails when it is not a tensor
  bool optional_tensor(uint32_t arg, Tensor* tensor);  // false when it is None
  int64_t integer(uint32_t arg);
  int32_t int32(uint32_t arg);  // fails when the value does not fit
  int32_t int32_in(uint32_t arg, int32_t low, int32_t high);
  double number(uint32_t arg);  // Int, Double or Bool
  Scalar scalar(uint32_t arg);
  bool boolean(uint32_t arg);
  const char* string(uint32_t arg);  // null for None
  IntList int_list(uint32_t arg);    // an empty list for None
  // The entries of a list of two ints; false, and no error, when it is anything else.
  bool two_ints(uint32_t arg, int64_t* items) const;
  FloatList float_list(uint32_t arg);  // an empty list for None
  // A list of tensors; entries that are None have rank 0xFF (kNoTensor). Returns how many there are, at most `max`.
  uint32_t tensor_list(uint32_t arg, Tensor* tensors, uint32_t max);
  static constexpr uint8_t kNoTensor = 0xFF;
  // The number of entries of a list argument.
  uint32_t list_size(uint32_t arg);
  Tensor list_tensor(uint32_t arg, uint32_t index);
  // The same for an out argument that is a list.
  Tensor list_output(uint32_t arg, uint32_t index);

  // A constant int32 tensor [count], its data at a multiple of 4; null, and no error, when it is anything else.
  const int32_t* int32_table(uint32_t arg, int32_t count) const;

  // An out argument: a tensor that may be written. Fails when it is constant.
  Tensor output(uint32_t arg);
  // Says that the method has memory of which a later call reads what an earlier one wrote. Not every file names it.
  void keeps_state();
  // Gives an output the sizes that the operator computed. For a static output they must be equal to its own; for one
  // with an upper bound the new sizes are kept. Updates `output` itself.
  void resize(uint32_t arg, Tensor* output, const int32_t* sizes, uint32_t rank);
  // Writes a scalar value at run time (prim operators): where, or null while measuring. Marks the value as changing.
  Value* value_slot(uint32_t arg);

  // --- judgement -----------------------------------------------------------------------------------------------
  // Fails with "<place>: <text>" unless `condition`. Text parts as in ErrorText::add.
  template <typename... Parts>
  bool require(bool condition, Code code, uint32_t arg, Parts... parts) {
    if (condition || failed()) return condition;
    begin_error(code, arg);
    add_error(parts...);
    return false;
  }
  void require_dtype(uint32_t arg, const Tensor& t, DType dtype) {
    if (t.dtype != dtype) refuse_dtype(arg, t, dtype);
  }
  void require_rank(uint32_t arg, const Tensor& t, uint32_t rank) {
    if (t.rank != rank) refuse_rank(arg, t, rank);
  }
  void require_same_sizes(uint32_t arg, const Tensor& t, const Tensor& like);
  // Elements of equal logical index at equal offsets.
  void require_same_layout(uint32_t arg, const Tensor& t, const Tensor& like);
  // Memory order must be the logical order.
  void require_contiguous(uint32_t arg, const Tensor& t);
  void require_channels_last(uint32_t arg, const Tensor& t);
  // The tensor's bytes must be in the program (weights).
  void require_constant(uint32_t arg, const Tensor& t);
  void require_arg_count(uint32_t count);
  bool failed() const { return !status_.ok(); }
  Status status() const { return status_; }

  // --- memory --------------------------------------------------------------------------------------------------
  // True while only sizes are wanted: memory handed out is null and must not be touched.
  bool measuring() const { return arena_->measuring(); }
  // Memory that lives as long as the method. Null while measuring or when the arena is full.
  void* persistent(uint32_t bytes, uint32_t alignment = 8);
  // Scratch for the run, shared with all other operators.
  void scratch(uint32_t bytes) { scratch_bytes_ = bytes > scratch_bytes_ ? bytes : scratch_bytes_; }
  // Both, for a kernel's plan; returns the prepared memory.
  void* memory(const kernels::KernelMemory& m) {
    scratch(m.scratch_bytes);
    return m.prepared_bytes > 0 ? persistent(m.prepared_bytes, 4) : nullptr;
  }
  // True when prepared memory may be filled: there is memory and nothing has failed.
  bool may_write() const { return !measuring() && !failed() && !arena_->overflowed(); }

  // --- result --------------------------------------------------------------------------------------------------
  // Leaves `params` (copied into the arena) and the function that runs with them. The last thing a prepare() does.
  template <typename Params>
  Status finish(Run run, const Params& params) {
    static_assert(std::is_trivially_copyable_v<Params> && alignof(Params) <= 8);
    return finish_bytes(run, &params, sizeof(Params), alignof(Params));
  }
  // Nothing to do when the method runs (a copy onto itself, an empty tensor).
  Status finish_nothing();
  // For a view computed at run time: gives the value in `slot` the memory of `t` and these sizes. Nothing runs.
  Status finish_view(uint32_t arg, Value* slot, const Tensor& t, const int32_t* sizes, uint32_t rank);
  // False while the method is being made ready: sizes are then upper bounds, and scalars may not be known yet.
  bool running() const;

 private:
  friend class Builder;
  friend class Method;
  Prepare(Method& method, Arena& arena, ErrorText& error, uint32_t instruction, const format::Vector& args);
  Status finish_bytes(Run run, const void* params, uint32_t bytes, uint32_t alignment);
  bool transposed_constant(uint32_t arg, Tensor* tensor);
  Tensor tensor_slowly(uint32_t arg);
  void refuse_dtype(uint32_t arg, const Tensor& t, DType dtype);
  void refuse_rank(uint32_t arg, const Tensor& t, uint32_t rank);
  int32_t int32_slowly(uint32_t arg, int32_t low, int32_t high);
  void begin_error(Code code, uint32_t arg);
  template <typename... Parts>
  void add_error(Parts... parts) {
    error_->add(parts...);
  }
  // The value of an argument; None, and an error, when there is none.
  void read(uint32_t arg, Value* value);
  bool read_kind(uint32_t arg, Value* value, uint32_t kinds, const char* expected);
  format::Vector list(uint32_t arg, uint32_t kinds, uint32_t element_bytes);
  void note_tensor(uint32_t arg, int32_t value, Tensor& t);
  // elided_views.cc
  bool find_viewed(int32_t view, Tensor* source, int32_t* source_value);
  bool says_where_bytes_lie(int32_t view);
  void see_through_view(uint32_t arg, int32_t view, Tensor* t);

  Method* method_;
  Arena* arena_;
  ErrorText* error_;
  format::Vector args_;
  uint32_t arg_count_;
  uint32_t instruction_;
  uint32_t scratch_bytes_ = 0;
  Status status_;
  bool wants_table_ = false;    // met something that may change between calls
  bool writes_values_ = false;  // computes a scalar at run time
  Run run_ = nullptr;
  const void* params_ = nullptr;
};

// A row of an operator table.
struct Op {
  const char* name;  // "namespace::name.overload", as the file spells it
  uint32_t hash;     // op_hash(name)
  Status (*prepare)(Prepare& p);
};

// Hashes of operator names go by words of four characters, as a file's strings lie aligned.
constexpr uint32_t hash_word(uint32_t hash, uint32_t word) {
  const uint32_t h = (hash ^ word) * 16777619u;
  return h ^ h >> 15;
}
constexpr uint32_t hash_text(uint32_t hash, const char* text, uint32_t length) {
  for (uint32_t i = 0; i < length; i += 4) {
    uint32_t word = 0;
    for (uint32_t k = 0; k < 4 && i + k < length; ++k) {
      word |= static_cast<uint32_t>(static_cast<uint8_t>(text[i + k])) << (8 * k);
    }
    hash = hash_word(hash, word);
  }
  return hash_word(hash, length);
}

// A hash ends in the name's length, so that names of equal hash can be compared by words: 63 stands for more.
inline constexpr uint32_t kLongName = 63;
constexpr uint32_t with_length(uint32_t hash, uint32_t length) {
  return (hash & ~kLongName) | (length < kLongName ? length : kLongName);
}

// Of "namespace::name.overload": of the two parts that a file keeps apart, the second perhaps empty.
constexpr uint32_t op_hash(const char* name) {
  uint32_t length = 0, dot = 0;
  for (; name[length] != '\0'; ++length) {
    if (name[length] == '.' && dot == 0) dot = length;
  }
  const uint32_t first = dot == 0 ? length : dot;
  const uint32_t hash = hash_text(2166136261u, name, first);
  if (dot == 0) return with_length(hash_text(hash, "", 0), length);
  return with_length(hash_text(hash, name + dot + 1, length - dot - 1), length);
}

// Operators in ascending order of their hash, so that one is found in a few comparisons.
struct OpTable {
  const Op* ops;
  uint32_t count;
};

// The rows of a table in its order, at compile time.
template <uint32_t n>
struct SortedOps {
  Op ops[n];
  constexpr OpTable table() const { return {ops, n}; }
};
template <uint32_t n>
constexpr SortedOps<n> sort_ops(const Op (&ops)[n]) {
  SortedOps<n> sorted = {};
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t at = i;
    for (; at > 0 && sorted.ops[at - 1].hash > ops[i].hash; --at) sorted.ops[at] = sorted.ops[at - 1];
    sorted.ops[at] = ops[i];
  }
  return sorted;
}

// Every operator that wick has. A selective build links a generated table instead.
extern const OpTable kAllOps;

}  // namespace wick
