// Elementwise operators of two or three operands, tensors or scalars. Knows their signatures and promotion; the
// arithmetic is the kernels'.
#include "runtime/ops/aten_common.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

using kernels::BinaryLoops;

// Rules that an operator departs from the usual ones in; bits.
enum Rule : uint32_t {
  kUsual = 0,
  kRealResult = 1,  // integers are computed as float
  kNoBool = 2,      // refuses two bools
  kPredicate = 4,   // the result is 0 or 1, in any dtype
  kNonzero = 8,     // an integer divisor must not be 0
};

struct Side {
  uint32_t arg;
  bool is_scalar = false;
};

template <typename T>
Status run_binary(const void* params, RunContext& context) {
  if (kernels::map_binary(*static_cast<const kernels::BinaryMap<T>*>(params))) return {};
  if (context.error != nullptr) context.error->add("division of integers by zero");
  return Code::kInvalidArgument;
}

Status binary(Prepare& p, const BinaryLoops& loops, uint32_t rules, Side a_side, Side b_side, uint32_t out_arg,
              Scalar alpha = {}) {
  Tensor a, b;
  Scalar constant;
  if (a_side.is_scalar) constant = p.scalar(a_side.arg);
  if (b_side.is_scalar) constant = p.scalar(b_side.arg);
  if (!a_side.is_scalar) a = p.tensor(a_side.arg);
  if (!b_side.is_scalar) b = p.tensor(b_side.arg);
  Tensor out = p.output(out_arg);
  p.require_arg_count(out_arg + 1);
  if (!a_side.is_scalar) require_arithmetic(p, a_side.arg, a);
  if (!b_side.is_scalar) require_arithmetic(p, b_side.arg, b);
  require_arithmetic(p, out_arg, out);
  if (p.failed()) return p.status();

  DType common = a_side.is_scalar   ? promote(b.dtype, constant)
                 : b_side.is_scalar ? promote(a.dtype, constant)
                                    : promote(a.dtype, b.dtype);
  if ((rules & kRealResult) != 0 && !is_floating(common)) common = DType::kFloat32;
  p.require((rules & kNoBool) == 0 || common != DType::kBool, Code::kInvalidProgram, a_side.arg,
            "this operator does not take bools");
  p.require(is_floating(common) || alpha.kind != Scalar::Kind::kFloat, Code::kInvalidProgram, out_arg,
            "a factor that is no integer, on integers");
  if ((rules & kPredicate) == 0) require_castable(p, out_arg, common, out.dtype);

  const Tensor* operands[2] = {a_side.is_scalar ? nullptr : &a, b_side.is_scalar ? nullptr : &b};
  if (operands[0] == nullptr || operands[1] == nullptr) {
    resize_to_broadcast(p, out_arg, &out, operands[0] == nullptr ? operands + 1 : operands, 1);
  } else {
    resize_to_broadcast(p, out_arg, &out, operands, 2);
  }
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  WalkPlan plan = plan_broadcast(out, operands, 2);
  int32_t steps[kernels::kMaxOperands];
  const uint32_t run = plan.take_run(steps);
  const uint32_t bytes[] = {dtype_bytes(out.dtype), dtype_bytes(a.dtype), dtype_bytes(b.dtype)};
  const kernels::Walk walk = plan.pack(p, bytes);
  return with_computed(common, [&](auto type) {
    using T = decltype(type);
    kernels::BinaryMap<T> m = {};
    m.walk = walk;
    m.run = run;
    m.loop = loop_as<T>(loops);
    m.out = lane(out, steps[0]);
    m.a = lane(a, steps[1]);
    m.b = lane(b, steps[2]);
    m.a_constant = a_side.is_scalar;
    m.b_constant = b_side.is_scalar;
    m.nonzero_b = (rules & kNonzero) != 0 && !is_floating(common);
    m.constant = scalar_as<T>(constant);
    m.extra[0] = scalar_as<T>(alpha);
    require_loop(p, a_side.arg, m.loop != nullptr, common);
    if (p.failed()) return p.status();
    return p.finish(run_binary<T>, m);
  });
}

Status tensors(Prepare& p, const BinaryLoops& loops, uint32_t rules = kUsual) {
  return binary(p, loops, rules, {0}, {1}, 2);
}
Status with_scalar(Prepare& p, const BinaryLoops& loops, uint32_t rules = kUsual) {
  return binary(p, loops, rules, {0}, {1, true}, 2);
}

// a + alpha * b and its kin: without a factor where alpha is 1.
Status scaled(Prepare& p, const BinaryLoops& plain, const BinaryLoops& with_factor, uint32_t rules, Side a, Side b) {
  const Scalar alpha = p.scalar(2);
  if (p.failed()) return p.status();
  return binary(p, alpha.as_double() == 1.0 ? plain : with_factor, rules, a, b, 3, alpha);
}

// The loops of a division by its rounding mode; real division for None.
const BinaryLoops* division(Prepare& p, uint32_t* rules) {
  const char* mode = p.string(2);
  *rules = kRealResult;
  if (p.failed() || mode == nullptr) return &kernels::kDiv;
  *rules = kNonzero;
  if (__builtin_strcmp(mode, "floor") == 0) return &kernels::kDivFloor;
  p.require(__builtin_strcmp(mode, "trunc") == 0, Code::kInvalidProgram, 2,
            "expected None, \"trunc\" or \"floor\", found \"", mode, "\"");
  return &kernels::kDivTrunc;
}

// Powers that need no pow(): x^2 is x * x.
Status power_of_scalar(Prepare& p) {
  const Scalar exponent = p.scalar(1);
  const Tensor x = p.tensor(0);
  if (p.failed()) return p.status();
  if (exponent.as_double() == 2.0 && is_floating(x.dtype)) return binary(p, kernels::kMul, kNoBool, {0}, {0}, 2);
  return binary(p, kernels::kPow, kNoBool, {0}, {1, true}, 2);
}

}  // namespace

Status aten_add(Prepare& p) { return scaled(p, kernels::kAdd, kernels::kAddScaled, kUsual, {0}, {1}); }
Status aten_add_scalar(Prepare& p) { return scaled(p, kernels::kAdd, kernels::kAddScaled, kUsual, {0}, {1, true}); }
Status aten_sub(Prepare& p) { return scaled(p, kernels::kSub, kernels::kSubScaled, kNoBool, {0}, {1}); }
Status aten_sub_scalar(Prepare& p) { return scaled(p, kernels::kSub, kernels::kSubScaled, kNoBool, {0}, {1, true}); }
Status aten_rsub_scalar(Prepare& p) { return scaled(p, kernels::kSub, kernels::kSubScaled, kNoBool, {1, true}, {0}); }
Status aten_div_mode(Prepare& p) {
  uint32_t rules;
  const BinaryLoops* loops = division(p, &rules);
  return binary(p, *loops, rules, {0}, {1}, 3);
}
Status aten_div_scalar_mode(Prepare& p) {
  uint32_t rules;
  const BinaryLoops* loops = division(p, &rules);
  return binary(p, *loops, rules, {0}, {1, true}, 3);
}
Status aten_pow(Prepare& p) { return tensors(p, kernels::kPow, kNoBool); }
Status aten_pow_tensor_scalar(Prepare& p) { return power_of_scalar(p); }
Status aten_pow_scalar(Prepare& p) { return binary(p, kernels::kPow, kNoBool, {0, true}, {1}, 2); }

#define WICK_BOTH(name, loops, rules)                                          \
  Status aten_##name(Prepare& p) { return tensors(p, kernels::loops, rules); } \
  Status aten_##name##_scalar(Prepare& p) { return with_scalar(p, kernels::loops, rules); }
WICK_BOTH(bitwise_and, kBitwiseAnd, kUsual)
WICK_BOTH(bitwise_left_shift, kShiftLeft, kUsual)
WICK_BOTH(bitwise_or, kBitwiseOr, kUsual)
WICK_BOTH(bitwise_right_shift, kShiftRight, kUsual)
WICK_BOTH(bitwise_xor, kBitwiseXor, kUsual)
WICK_BOTH(div, kDiv, kRealResult)
WICK_BOTH(eq, kEq, kPredicate)
WICK_BOTH(fmod, kFmod, kNonzero)
WICK_BOTH(ge, kGe, kPredicate)
WICK_BOTH(gt, kGt, kPredicate)
WICK_BOTH(le, kLe, kPredicate)
WICK_BOTH(lt, kLt, kPredicate)
WICK_BOTH(mul, kMul, kUsual)
WICK_BOTH(ne, kNe, kPredicate)
WICK_BOTH(remainder, kRemainder, kNonzero)
#undef WICK_BOTH

Status aten_atan2(Prepare& p) { return tensors(p, kernels::kAtan2, kRealResult); }
Status aten_floor_divide(Prepare& p) { return tensors(p, kernels::kDivFloor, kNonzero); }
Status aten_logical_and(Prepare& p) { return tensors(p, kernels::kLogicalAnd, kPredicate); }
Status aten_logical_or(Prepare& p) { return tensors(p, kernels::kLogicalOr, kPredicate); }
Status aten_logical_xor(Prepare& p) { return tensors(p, kernels::kLogicalXor, kPredicate); }
Status aten_maximum(Prepare& p) { return tensors(p, kernels::kMaximum); }
Status aten_minimum(Prepare& p) { return tensors(p, kernels::kMinimum); }

}  // namespace wick::ops
