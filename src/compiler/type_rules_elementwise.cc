// Output types of operators that work element by element, and of reductions.
#include <algorithm>

#include "compiler/type_rules.h"

namespace wick::compiler {

namespace {

int category(DType dtype) { return is_float(dtype) ? 2 : dtype == DType::kBool ? 0 : 1; }

// A zero-dimensional tensor or a scalar counts only by being of a higher kind than the tensors with dimensions.
DType result_dtype(const std::vector<const TensorType*>& tensors) {
  std::optional<DType> with_dims, without;
  for (const TensorType* type : tensors) {
    std::optional<DType>& of = type->sizes.empty() ? without : with_dims;
    of = of ? promote(*of, type->dtype) : type->dtype;
  }
  if (!with_dims) return *without;
  return without && category(*without) > category(*with_dims) ? promote(*without, *with_dims) : *with_dims;
}

DType with_scalar(DType tensor, DType scalar) { return category(scalar) > category(tensor) ? scalar : tensor; }

// Memory order of the result: that of the operands that have the result's shape, where they agree.
std::vector<uint8_t> common_order(const Shape& sizes, const std::vector<const TensorType*>& tensors) {
  const std::vector<uint8_t>* order = nullptr;
  for (const TensorType* type : tensors) {
    if (type->sizes != sizes) continue;
    if (order != nullptr && *order != type->dim_order) return {};
    order = &type->dim_order;
  }
  return order == nullptr ? std::vector<uint8_t>{} : *order;
}

TensorType combined(const Call& call, DType dtype, const std::vector<const TensorType*>& tensors) {
  Shape sizes;
  for (const TensorType* type : tensors) sizes = broadcast(call, sizes, type->sizes);
  std::vector<uint8_t> order = common_order(sizes, tensors);
  return checked_type(call, dtype, std::move(sizes), std::move(order));
}

Types same(const Call& call) { return {call.tensor(0)}; }

TensorType of_dtype(const TensorType& type, DType dtype) { return {dtype, type.sizes, type.dim_order}; }

Types to_float(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {of_dtype(x, is_float(x.dtype) ? x.dtype : DType::kFloat32)};
}

Types only_float(const Call& call) {
  call.require(is_float(call.tensor(0).dtype), "takes floating-point numbers only");
  return same(call);
}

Types to_bool(const Call& call) { return {of_dtype(call.tensor(0), DType::kBool)}; }

Types binary(const Call& call) {
  const std::vector<const TensorType*> both{&call.tensor(0), &call.tensor(1)};
  return {combined(call, result_dtype(both), both)};
}

Types binary_to_float(const Call& call) {
  Types types = binary(call);
  if (!is_float(types[0].dtype)) types[0].dtype = DType::kFloat32;
  return types;
}

Types binary_to_bool(const Call& call) {
  Types types = binary(call);
  types[0].dtype = DType::kBool;
  return types;
}

// Division that may round.
Types divide_mode(const Call& call) { return call.has(2) ? binary(call) : binary_to_float(call); }

Types with_number(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {of_dtype(x, with_scalar(x.dtype, call.scalar_dtype(1)))};
}

Types with_number_to_float(const Call& call) {
  Types types = with_number(call);
  if (!is_float(types[0].dtype)) types[0].dtype = DType::kFloat32;
  return types;
}

Types divide_number_mode(const Call& call) { return call.has(2) ? with_number(call) : with_number_to_float(call); }

Types number_first(const Call& call) {
  const TensorType& x = call.tensor(1);
  return {of_dtype(x, with_scalar(x.dtype, call.scalar_dtype(0)))};
}

Types clamp(const Call& call) {
  const TensorType& x = call.tensor(0);
  call.require(call.has(1) || call.has(2), "one of min and max must be given");
  DType dtype = x.dtype;
  for (const size_t i : {1U, 2U}) {
    if (call.has(i)) dtype = with_scalar(dtype, call.scalar_dtype(i));
  }
  return {of_dtype(x, dtype)};
}

Types clamp_tensor(const Call& call) {
  std::vector<const TensorType*> all{&call.tensor(0)};
  for (const size_t i : {1U, 2U}) {
    if (const TensorType* bound = call.optional_tensor(i)) all.push_back(bound);
  }
  return {combined(call, result_dtype(all), all)};
}

Types where(const Call& call) {
  const std::vector<const TensorType*> values{&call.tensor(1), &call.tensor(2)};
  return {combined(call, result_dtype(values), {&call.tensor(0), values[0], values[1]})};
}

Types three(const Call& call) {
  const std::vector<const TensorType*> all{&call.tensor(0), &call.tensor(1), &call.tensor(2)};
  return {combined(call, result_dtype(all), all)};
}

Types lerp_number(const Call& call) {
  const std::vector<const TensorType*> all{&call.tensor(0), &call.tensor(1)};
  return {combined(call, result_dtype(all), all)};
}

Types masked(const Call& call) {
  const std::vector<const TensorType*> both{&call.tensor(0), &call.tensor(1)};
  return {combined(call, both[0]->dtype, both)};
}

Types prelu(const Call& call) {
  const TensorType& x = call.tensor(0);
  const int64_t count = call.tensor(1).numel();
  call.require(count == 1 || (x.sizes.size() > 1 && count == x.sizes[1]),
               "weight must have one element, or one per channel");
  return {x};
}

TensorType reduced(const Call& call, const TensorType& x, const std::vector<bool>& dims, bool keep, DType dtype) {
  Shape sizes;
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    if (!dims[i]) sizes.push_back(x.sizes[i]);
    if (dims[i] && keep) sizes.push_back(1);
  }
  return checked_type(call, dtype, std::move(sizes));
}

DType sum_dtype(DType dtype) { return is_float(dtype) ? dtype : DType::kInt64; }

// sum, prod over dimensions at 1, keepdim at 2, dtype at 3
Types sum_dims(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {reduced(call, x, call.dims(1, x.sizes.size()), call.flag(2), call.dtype(3, sum_dtype(x.dtype)))};
}

Types sum_all(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {TensorType{call.dtype(1, sum_dtype(x.dtype)), {}, {}}};
}

Types mean_dims(const Call& call) {
  const TensorType& x = call.tensor(0);
  const DType dtype = call.dtype(3, x.dtype);
  call.require(is_float(dtype), "takes floating-point numbers only");
  return {reduced(call, x, call.dims(1, x.sizes.size()), call.flag(2), dtype)};
}

Types mean_all(const Call& call) {
  const DType dtype = call.dtype(1, call.tensor(0).dtype);
  call.require(is_float(dtype), "takes floating-point numbers only");
  return {TensorType{dtype, {}, {}}};
}

// dimensions at 1, keepdim at 2
Types reduce_dims(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {reduced(call, x, call.dims(1, x.sizes.size()), call.flag(2), x.dtype)};
}

Types reduce_dims_to_bool(const Call& call) {
  Types types = reduce_dims(call);
  types[0].dtype = DType::kBool;
  return types;
}

std::vector<bool> one_dim(const Call& call, size_t i, size_t rank) {
  std::vector<bool> dims(rank, false);
  const size_t at = wrap(call.integer(i), std::max<size_t>(rank, 1), call.op() + ": dimension");
  if (rank > 0) dims[at] = true;
  return dims;
}

// one dimension at 1, keepdim at 2
Types reduce_dim(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {reduced(call, x, one_dim(call, 1, x.sizes.size()), call.flag(2), x.dtype)};
}

Types reduce_dim_to_bool(const Call& call) {
  Types types = reduce_dim(call);
  types[0].dtype = DType::kBool;
  return types;
}

Types product_dim(const Call& call) {
  Types types = reduce_dim(call);
  types[0].dtype = call.dtype(3, sum_dtype(types[0].dtype));
  return types;
}

Types extreme_dim(const Call& call) {
  Types types = reduce_dim(call);
  types.push_back(types[0]);
  types[1].dtype = DType::kInt64;
  return types;
}

Types reduce_all(const Call& call) { return {TensorType{call.tensor(0).dtype, {}, {}}}; }
Types reduce_all_to_bool(const Call&) { return {TensorType{DType::kBool, {}, {}}}; }

// argmax: dimension (or None: all) at 1, keepdim at 2
Types arg_extreme(const Call& call) {
  const TensorType& x = call.tensor(0);
  const size_t rank = x.sizes.size();
  const std::vector<bool> dims = call.has(1) ? one_dim(call, 1, rank) : std::vector<bool>(rank, true);
  return {reduced(call, x, dims, call.flag(2), DType::kInt64)};
}

// var.dim: unbiased at 2, keepdim at 3; var.correction: correction at 2, keepdim at 3
Types variance(const Call& call) {
  const TensorType& x = call.tensor(0);
  call.require(is_float(x.dtype), "takes floating-point numbers only");
  return {reduced(call, x, call.dims(1, x.sizes.size()), call.flag(3), x.dtype)};
}

Types variance_and_mean(const Call& call) {
  Types types = variance(call);
  types.push_back(types[0]);
  return types;
}

// norms: order at 1, dimensions at 2, keepdim at 3
Types norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  return {reduced(call, x, call.dims(2, x.sizes.size()), call.flag(3), x.dtype)};
}

Types topk(const Call& call) {
  TensorType values = call.tensor(0);
  values.dim_order.clear();
  const size_t rank = values.sizes.size();
  const int64_t k = call.integer(1);
  if (rank > 0) {
    int64_t& size = values.sizes[wrap(call.integer(2), rank, call.op() + ": dimension")];
    if (k < 0 || k > size) call.fail("k = ", k, " of ", size, " elements");
    size = k;
  }
  return {values, of_dtype(values, DType::kInt64)};
}

Types sorted(const Call& call) { return {call.tensor(0), of_dtype(call.tensor(0), DType::kInt64)}; }

// cumsum: dimension at 1, dtype at 2
Types cumulative(const Call& call) {
  const TensorType& x = call.tensor(0);
  wrap(call.integer(1), std::max<size_t>(x.sizes.size(), 1), call.op() + ": dimension");
  return {of_dtype(x, call.dtype(2, sum_dtype(x.dtype)))};
}

// softmax: dimension at 1
Types softmax(const Call& call) {
  const TensorType& x = call.tensor(0);
  wrap(call.integer(1), std::max<size_t>(x.sizes.size(), 1), call.op() + ": dimension");
  return only_float(call);
}

Types softmax_dtype(const Call& call) {
  const TensorType& x = call.tensor(0);
  wrap(call.integer(1), std::max<size_t>(x.sizes.size(), 1), call.op() + ": dimension");
  const DType dtype = call.dtype(2, x.dtype);
  call.require(is_float(dtype), "takes floating-point numbers only");
  return {of_dtype(x, dtype)};
}

void add(TypeRules& rules, TypeRule rule, std::initializer_list<const char*> names) {
  for (const char* name : names) rules[std::string("aten::") + name] = rule;
}

}  // namespace

void add_elementwise_rules(TypeRules& rules) {
  add(rules, same, {"abs",           "neg",         "sign",        "ceil",       "floor",
                    "round",         "trunc",       "relu",        "hardtanh",   "leaky_relu",
                    "frac",          "square",      "relu6",       "threshold",  "clone",
                    "contiguous",    "detach",      "alias",       "lift_fresh", "lift_fresh_copy",
                    "alias_copy",    "detach_copy", "bitwise_not", "dropout",    "feature_dropout",
                    "alpha_dropout", "fill.Scalar", "fill.Tensor", "zero"});
  add(rules, only_float,
      {"elu", "silu", "gelu", "hardswish", "hardsigmoid", "mish", "softplus", "log_sigmoid", "selu", "celu",
       "hardshrink", "softshrink"});
  add(rules, to_float, {"sigmoid", "tanh",  "exp",        "expm1", "exp2",  "log",   "log2", "log10", "log1p",
                        "sqrt",    "rsqrt", "reciprocal", "erf",   "sin",   "cos",   "tan",  "asin",  "acos",
                        "atan",    "sinh",  "cosh",       "asinh", "acosh", "atanh", "logit"});
  add(rules, to_bool,
      {"isnan", "isinf", "logical_not", "eq.Scalar", "ne.Scalar", "lt.Scalar", "le.Scalar", "gt.Scalar", "ge.Scalar"});
  add(rules, binary,
      {"add.Tensor",
       "sub.Tensor",
       "rsub.Tensor",
       "mul.Tensor",
       "multiply.Tensor",
       "subtract.Tensor",
       "maximum",
       "minimum",
       "max.other",
       "min.other",
       "pow.Tensor_Tensor",
       "fmod.Tensor",
       "remainder.Tensor",
       "floor_divide",
       "bitwise_and.Tensor",
       "bitwise_or.Tensor",
       "bitwise_xor.Tensor",
       "bitwise_left_shift.Tensor",
       "bitwise_right_shift.Tensor",
       "__and__.Tensor",
       "__or__.Tensor",
       "clamp_min.Tensor",
       "clamp_max.Tensor"});
  add(rules, binary_to_float, {"div.Tensor", "divide.Tensor", "true_divide.Tensor", "atan2"});
  add(rules, divide_mode, {"div.Tensor_mode"});
  add(rules, binary_to_bool,
      {"eq.Tensor", "ne.Tensor", "lt.Tensor", "le.Tensor", "gt.Tensor", "ge.Tensor", "logical_and", "logical_or",
       "logical_xor"});
  add(rules, with_number,
      {"add.Scalar", "sub.Scalar", "rsub.Scalar", "mul.Scalar", "pow.Tensor_Scalar", "fmod.Scalar", "remainder.Scalar",
       "floor_divide.Scalar", "bitwise_and.Scalar", "bitwise_or.Scalar", "bitwise_xor.Scalar",
       "bitwise_left_shift.Tensor_Scalar", "bitwise_right_shift.Tensor_Scalar", "clamp_min", "clamp_max"});
  add(rules, with_number_to_float, {"div.Scalar"});
  add(rules, divide_number_mode, {"div.Scalar_mode"});
  add(rules, number_first, {"pow.Scalar", "remainder.Scalar_Tensor"});
  add(rules, clamp, {"clamp", "clip"});
  add(rules, clamp_tensor, {"clamp.Tensor"});
  add(rules, where, {"where.self"});
  add(rules, three, {"addcmul", "addcdiv", "lerp.Tensor"});
  add(rules, lerp_number, {"lerp.Scalar"});
  add(rules, masked, {"masked_fill.Scalar", "masked_fill.Tensor"});
  add(rules, prelu, {"prelu"});
  add(rules, sum_dims, {"sum.dim_IntList"});
  add(rules, sum_all, {"sum", "prod"});
  add(rules, mean_dims, {"mean.dim"});
  add(rules, mean_all, {"mean"});
  add(rules, reduce_dims, {"amax", "amin", "logsumexp"});
  add(rules, reduce_dims_to_bool, {"any.dims"});
  add(rules, reduce_dim_to_bool, {"any.dim", "all.dim"});
  add(rules, product_dim, {"prod.dim_int"});
  add(rules, extreme_dim, {"max.dim", "min.dim"});
  add(rules, reduce_all, {"max", "min", "var", "std"});
  add(rules, reduce_all_to_bool, {"any", "all"});
  add(rules, arg_extreme, {"argmax", "argmin"});
  add(rules, variance, {"var.dim", "var.correction", "std.dim", "std.correction"});
  add(rules, variance_and_mean, {"var_mean.correction"});
  add(rules, norm, {"norm.ScalarOpt_dim", "linalg_vector_norm"});
  add(rules, topk, {"topk"});
  add(rules, sorted, {"sort"});
  add(rules, cumulative, {"cumsum", "cumprod"});
  add(rules, softmax, {"_softmax", "_log_softmax"});
  add(rules, softmax_dtype, {"softmax.int", "log_softmax.int"});
}

}  // namespace wick::compiler
