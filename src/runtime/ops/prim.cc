// Prim operators: scalar arithmetic, shapes and views that a program with dynamic shapes or loops computes at run time.
// Their calls repeat no return value. A method that has one prepares each step right before it runs.
#include "runtime/ops/ops.h"
#include "runtime/program.h"

namespace wick::ops {

namespace {

struct ScalarCall {
  Scalar a, b, c;
  Value* out;
};

void give(Value* out, int64_t value) {
  out->kind = Value::Kind::kInt;
  out->integer = value;
}
void give(Value* out, double value) {
  out->kind = Value::Kind::kDouble;
  out->number = value;
}
void give(Value* out, bool value) {
  out->kind = Value::Kind::kBool;
  out->integer = value;
}

bool is_float(const Scalar& s) { return s.kind == Scalar::Kind::kFloat; }
int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

// Doubles whose magnitude an int64 can hold; the rest becomes the nearest end.
int64_t to_int(double value) {
  if (value != value) return 0;
  if (value >= 9223372036854775807.0) return INT64_MAX;
  if (value <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(value);
}
double truncated(double x) {
  return x > -4503599627370496.0 && x < 4503599627370496.0 ? static_cast<double>(to_int(x)) : x;
}
double floored(double x) { return truncated(x) > x ? truncated(x) - 1 : truncated(x); }
double half_even(double x) {
  const double low = floored(x), rest = x - low;
  if (rest < 0.5) return low;
  if (rest > 0.5) return low + 1;
  return truncated(low / 2) * 2 == low ? low : low + 1;
}

// Operators on two numbers: each gives its result for ints and for floats.
#define WICK_PRIM_ARITHMETIC(name, int_result, float_result)         \
  struct name {                                                      \
    static Status run(const void* params, RunContext&) {             \
      const ScalarCall& s = *static_cast<const ScalarCall*>(params); \
      if (is_float(s.a) || is_float(s.b)) {                          \
        const double a = s.a.as_double(), b = s.b.as_double();       \
        give(s.out, float_result);                                   \
      } else {                                                       \
        const int64_t a = s.a.i, b = s.b.i;                          \
        give(s.out, int_result);                                     \
      }                                                              \
      return {};                                                     \
    }                                                                \
  };
WICK_PRIM_ARITHMETIC(Add, wrapped(bits(a) + bits(b)), a + b)
WICK_PRIM_ARITHMETIC(Sub, wrapped(bits(a) - bits(b)), a - b)
WICK_PRIM_ARITHMETIC(Mul, wrapped(bits(a) * bits(b)), a* b)
WICK_PRIM_ARITHMETIC(Eq, a == b, a == b)
WICK_PRIM_ARITHMETIC(Ge, a >= b, a >= b)
WICK_PRIM_ARITHMETIC(Gt, a > b, a > b)
WICK_PRIM_ARITHMETIC(Le, a <= b, a <= b)
WICK_PRIM_ARITHMETIC(Lt, a < b, a < b)
WICK_PRIM_ARITHMETIC(Max, a > b ? a : b, a > b ? a : b)
WICK_PRIM_ARITHMETIC(Min, a < b ? a : b, a < b ? a : b)
#undef WICK_PRIM_ARITHMETIC

// Division by zero is the data's fault, known only now.
Status divided(const void* params, RunContext& context, bool remainder) {
  const ScalarCall& s = *static_cast<const ScalarCall*>(params);
  if (s.b.as_double() == 0.0) {
    context.error->add("division by zero");
    return Code::kInvalidArgument;
  }
  if (is_float(s.a) || is_float(s.b)) {
    const double a = s.a.as_double(), b = s.b.as_double(), q = floored(a / b);
    give(s.out, remainder ? a - q * b : q);
    return {};
  }
  if (s.b.i == -1) {
    give(s.out, remainder ? int64_t{0} : wrapped(0 - bits(s.a.i)));
    return {};
  }
  int64_t q = s.a.i / s.b.i, r = s.a.i % s.b.i;
  if (r != 0 && (r < 0) != (s.b.i < 0)) {
    q -= 1;
    r += s.b.i;
  }
  give(s.out, remainder ? r : q);
  return {};
}
struct FloorDiv {
  static Status run(const void* params, RunContext& context) { return divided(params, context, false); }
};
struct Mod {
  static Status run(const void* params, RunContext& context) { return divided(params, context, true); }
};
struct TrueDiv {
  static Status run(const void* params, RunContext& context) {
    const ScalarCall& s = *static_cast<const ScalarCall*>(params);
    if (s.b.as_double() == 0.0) {
      context.error->add("division by zero");
      return Code::kInvalidArgument;
    }
    give(s.out, s.a.as_double() / s.b.as_double());
    return {};
  }
};

#define WICK_PRIM_UNARY(name, result)                                \
  struct name {                                                      \
    static Status run(const void* params, RunContext&) {             \
      const ScalarCall& s = *static_cast<const ScalarCall*>(params); \
      const double x = s.a.as_double();                              \
      (void)x;                                                       \
      give(s.out, result);                                           \
      return {};                                                     \
    }                                                                \
  };
WICK_PRIM_UNARY(Ceil, to_int(-floored(-x)))
WICK_PRIM_UNARY(Round, to_int(half_even(x)))
WICK_PRIM_UNARY(Trunc, is_float(s.a) ? to_int(x) : s.a.i)
WICK_PRIM_UNARY(ToFloat, x)
WICK_PRIM_UNARY(Not, is_float(s.a) ? x == 0.0 : s.a.i == 0)
#undef WICK_PRIM_UNARY
struct Neg {
  static Status run(const void* params, RunContext&) {
    const ScalarCall& s = *static_cast<const ScalarCall*>(params);
    if (is_float(s.a)) {
      give(s.out, -s.a.f);
    } else {
      give(s.out, wrapped(0 - bits(s.a.i)));
    }
    return {};
  }
};
struct IfThenElse {
  static Status run(const void* params, RunContext&) {
    const ScalarCall& s = *static_cast<const ScalarCall*>(params);
    const Scalar& chosen = s.a.as_double() != 0.0 ? s.b : s.c;
    if (is_float(chosen)) {
      give(s.out, chosen.f);
    } else {
      give(s.out, chosen.i);
    }
    return {};
  }
};

template <typename Operation>
Status prepare_scalars(Prepare& p, uint32_t operands) {
  p.no_return_value();
  p.require_arg_count(operands + 1);
  ScalarCall call;
  call.a = p.scalar(0);
  if (operands > 1) call.b = p.scalar(1);
  if (operands > 2) call.c = p.scalar(2);
  call.out = p.value_slot(operands);
  if (p.failed()) return p.status();
  return p.finish(Operation::run, call);
}

struct IntResult {
  int64_t value;
  Value* out;
  static Status run(const void* params, RunContext&) {
    const IntResult& r = *static_cast<const IntResult*>(params);
    give(r.out, r.value);
    return {};
  }
};

}  // namespace

Status prim_add(Prepare& p) { return prepare_scalars<Add>(p, 2); }
Status prim_sub(Prepare& p) { return prepare_scalars<Sub>(p, 2); }
Status prim_mul(Prepare& p) { return prepare_scalars<Mul>(p, 2); }
Status prim_floordiv(Prepare& p) { return prepare_scalars<FloorDiv>(p, 2); }
Status prim_truediv(Prepare& p) { return prepare_scalars<TrueDiv>(p, 2); }
Status prim_mod(Prepare& p) { return prepare_scalars<Mod>(p, 2); }
Status prim_eq(Prepare& p) { return prepare_scalars<Eq>(p, 2); }
Status prim_ge(Prepare& p) { return prepare_scalars<Ge>(p, 2); }
Status prim_gt(Prepare& p) { return prepare_scalars<Gt>(p, 2); }
Status prim_le(Prepare& p) { return prepare_scalars<Le>(p, 2); }
Status prim_lt(Prepare& p) { return prepare_scalars<Lt>(p, 2); }
Status prim_max(Prepare& p) { return prepare_scalars<Max>(p, 2); }
Status prim_min(Prepare& p) { return prepare_scalars<Min>(p, 2); }
Status prim_neg(Prepare& p) { return prepare_scalars<Neg>(p, 1); }
Status prim_ceil(Prepare& p) { return prepare_scalars<Ceil>(p, 1); }
Status prim_round(Prepare& p) { return prepare_scalars<Round>(p, 1); }
Status prim_trunc(Prepare& p) { return prepare_scalars<Trunc>(p, 1); }
Status prim_sym_float(Prepare& p) { return prepare_scalars<ToFloat>(p, 1); }
Status prim_sym_int(Prepare& p) { return prepare_scalars<Trunc>(p, 1); }
Status prim_sym_not(Prepare& p) { return prepare_scalars<Not>(p, 1); }
Status prim_sym_ite(Prepare& p) { return prepare_scalars<IfThenElse>(p, 3); }

Status prim_sym_size(Prepare& p) {
  p.no_return_value();
  p.require_arg_count(3);
  const Tensor t = p.tensor(0);
  int64_t dim = p.integer(1);
  Value* out = p.value_slot(2);
  if (p.failed()) return p.status();
  if (dim < 0) dim += t.rank;
  if (!p.require(dim >= 0 && dim < t.rank, Code::kInvalidProgram, 1, "dimension ", dim, " of rank ",
                 static_cast<uint32_t>(t.rank))) {
    return p.status();
  }
  return p.finish(IntResult::run, IntResult{t.size(static_cast<uint32_t>(dim)), out});
}

Status prim_sym_numel(Prepare& p) {
  p.no_return_value();
  p.require_arg_count(2);
  const Tensor t = p.tensor(0);
  Value* out = p.value_slot(1);
  if (p.failed()) return p.status();
  return p.finish(IntResult::run, IntResult{t.numel(), out});
}

// The only element of a tensor, as a scalar.
Status prim_local_scalar_dense(Prepare& p) {
  struct Params {
    const void* data;
    DType dtype;
    Value* out;
    static Status run(const void* params, RunContext&) {
      const Params& c = *static_cast<const Params*>(params);
      switch (c.dtype) {
        case DType::kInt64:
          give(c.out, *static_cast<const int64_t*>(c.data));
          break;
        case DType::kInt32:
          give(c.out, static_cast<int64_t>(*static_cast<const int32_t*>(c.data)));
          break;
        case DType::kBool:
          give(c.out, *static_cast<const uint8_t*>(c.data) != 0);
          break;
        case DType::kFloat64:
          give(c.out, *static_cast<const double*>(c.data));
          break;
        default:
          give(c.out, static_cast<double>(*static_cast<const float*>(c.data)));
          break;
      }
      return {};
    }
  };
  p.no_return_value();
  p.require_arg_count(2);
  const Tensor t = p.tensor(0);
  Value* out = p.value_slot(1);
  if (p.failed()) return p.status();
  p.require(t.numel() == 1, Code::kInvalidProgram, 0, "expected one element, found ", t.numel());
  p.require(t.dtype == DType::kInt64 || t.dtype == DType::kInt32 || t.dtype == DType::kBool ||
                t.dtype == DType::kFloat64 || t.dtype == DType::kFloat32,
            Code::kUnsupported, 0, "scalar of a ", dtype_name(t.dtype), " tensor");
  if (p.failed()) return p.status();
  return p.finish(Params::run, Params{t.data, t.dtype, out});
}

// The same bytes under other sizes, of which one may be -1.
Status prim_et_view(Prepare& p) {
  p.no_return_value();
  p.require_arg_count(3);
  Value* slot = p.value_slot(2);
  const Tensor x = p.tensor(0);
  const IntList wanted = p.int_list(1);
  if (p.failed()) return p.status();
  if (!p.running()) return p.finish_nothing();  // the sizes may not be known yet
  p.require_contiguous(0, x);
  int32_t sizes[kMaxRank];
  int32_t unknown = -1;
  uint64_t known = 1;
  if (!p.require(wanted.count <= kMaxRank, Code::kUnsupported, 1, "rank ", wanted.count)) return p.status();
  for (uint32_t i = 0; i < wanted.count; ++i) {
    const int64_t size = wanted.items[i];
    const bool valid = size >= -1 && size <= INT32_MAX && (size != -1 || unknown < 0) && known <= INT32_MAX;
    if (!p.require(valid, Code::kInvalidProgram, 1, "size ", size, " in entry ", i)) return p.status();
    if (size == -1) {
      unknown = static_cast<int32_t>(i);
    } else {
      known *= static_cast<uint64_t>(size);
    }
    sizes[i] = static_cast<int32_t>(size);
  }
  if (unknown >= 0) sizes[unknown] = known > 0 ? static_cast<int32_t>(x.numel() / known) : 0;
  const uint64_t total = unknown >= 0 ? known * static_cast<uint32_t>(sizes[unknown]) : known;
  if (!p.require(total == x.numel(), Code::kInvalidProgram, 1, "a view of ", total, " elements on a tensor of ",
                 x.numel())) {
    return p.status();
  }
  return p.finish_view(2, slot, x, sizes, wanted.count);
}

// Copies a tensor into row `index` of another, which grows by it (loops that collect their results).
Status prim_et_copy_index(Prepare& p) {
  struct Params {
    const uint8_t* from;
    uint8_t* to;
    uint32_t bytes;
    static Status run(const void* params, RunContext&) {
      const Params& c = *static_cast<const Params*>(params);
      __builtin_memmove(c.to, c.from, c.bytes);
      return {};
    }
  };
  p.no_return_value();
  p.require_arg_count(3);
  Tensor to = p.output(0);
  const Tensor from = p.tensor(1);
  const int32_t index = p.int32_in(2, 0, INT32_MAX - 1);
  if (p.failed()) return p.status();
  p.require_contiguous(0, to);
  p.require_contiguous(1, from);
  p.require_dtype(1, from, to.dtype);
  if (!p.require(to.rank == from.rank + 1, Code::kInvalidProgram, 1, "rank ", static_cast<uint32_t>(from.rank),
                 " cannot be a row of rank ", static_cast<uint32_t>(to.rank))) {
    return p.status();
  }
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < from.rank; ++i) sizes[i + 1] = from.sizes[i];
  sizes[0] = to.dynamic ? index + 1 : to.sizes[0];
  p.resize(0, &to, sizes, to.rank);
  p.require(p.failed() || !p.running() || index < to.sizes[0], Code::kInvalidProgram, 2, "row ", index, " of ",
            p.failed() ? 0 : to.sizes[0]);
  if (p.failed()) return p.status();
  const uint32_t offset = p.running() ? static_cast<uint32_t>(index) * from.bytes() : 0;
  return p.finish(Params::run, Params{from.as<uint8_t>(), to.as<uint8_t>() + offset, from.bytes()});
}

}  // namespace wick::ops
