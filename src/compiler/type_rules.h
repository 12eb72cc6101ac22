// How a rule of compiler/type_of.h reads a call: arguments by index with the type that they must have. Knows nothing of
// what operators mean.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "compiler/schema.h"
#include "compiler/type_of.h"
#include "files/failure.h"

namespace wick::compiler {

class Call {
 public:
  Call(const Schema& schema, const Arguments& args) : schema_(schema), args_(args) {}

  const std::string& op() const { return schema_.op; }
  size_t size() const { return args_.size(); }
  bool has(size_t i) const { return !args_[i].is_none(); }
  const TensorType& tensor(size_t i) const;
  const TensorType* optional_tensor(size_t i) const { return has(i) ? &tensor(i) : nullptr; }
  std::vector<const TensorType*> tensors(size_t i) const;  // null for None
  const Ints& ints(size_t i) const;
  // Exactly `count` ints; all must be at least `least`.
  const Ints& ints(size_t i, size_t count, int64_t least) const;
  int64_t integer(size_t i) const;
  double number(size_t i) const;
  bool flag(size_t i) const;
  const std::string& text(size_t i) const;
  std::vector<double> doubles(size_t i, size_t count) const;
  // A ScalarType argument, or `otherwise` for None.
  DType dtype(size_t i, DType otherwise) const;
  // A Scalar's place among dtypes: bool, int64, float32.
  DType scalar_dtype(size_t i) const;
  // Dimension numbers; None and an empty list mean all. Each once.
  std::vector<bool> dims(size_t i, size_t rank) const;

  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(op(), ": ", std::forward<Parts>(parts)...);
  }
  void require(bool holds, std::string_view what) const {
    if (!holds) fail(what);
  }

 private:
  [[noreturn]] void wrong(size_t i, std::string_view expected) const;
  const Schema& schema_;
  const Arguments& args_;
};

using Types = std::vector<TensorType>;
using TypeRule = Types (*)(const Call&);
using TypeRules = std::map<std::string, TypeRule, std::less<>>;
void add_elementwise_rules(TypeRules& rules);
void add_shape_rules(TypeRules& rules);
void add_move_rules(TypeRules& rules);
void add_nn_rules(TypeRules& rules);
void add_quantized_rules(TypeRules& rules);

// Sizes must not be negative, nor more than a program can hold.
TensorType checked_type(const Call& call, DType dtype, Shape sizes, std::vector<uint8_t> dim_order = {});
Shape broadcast(const Call& call, const Shape& a, const Shape& b);
// Of a convolution or pool along one axis.
int64_t window_count(const Call& call, int64_t size, int64_t window, int64_t stride, int64_t padding, int64_t dilation,
                     bool ceil_mode);

}  // namespace wick::compiler
