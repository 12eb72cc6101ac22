// What each operator of two operands computes, and the loop around it. Knows numbers; refuses to know dtypes and
// broadcasting.
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/portable.h"

namespace wick::kernels {

namespace {

template <typename T, typename F>
void binary_loop(const T* a, uint32_t a_step, const T* b, uint32_t b_step, T* y, uint32_t count, const T* e) {
  for (; count > 0; --count, a += a_step, b += b_step) *y++ = F::of(*a, *b, e);
}

// The same for cheap arithmetic on float, where the loop counts.
template <typename F>
void quick_loop(const float* a, uint32_t a_step, const float* b, uint32_t b_step, float* y, uint32_t count,
                const float* e) {
  if (a_step == 1 && b_step == 1) {
    for (; count >= 4; count -= 4, a += 4, b += 4, y += 4) {
      const float p = F::of(a[0], b[0], e), q = F::of(a[1], b[1], e);
      const float r = F::of(a[2], b[2], e), s = F::of(a[3], b[3], e);
      y[0] = p;
      y[1] = q;
      y[2] = r;
      y[3] = s;
    }
  } else if (a_step == 1) {
    const float value = *b;
    for (; count >= 4; count -= 4, a += 4, y += 4) {
      const float p = F::of(a[0], value, e), q = F::of(a[1], value, e);
      const float r = F::of(a[2], value, e), s = F::of(a[3], value, e);
      y[0] = p;
      y[1] = q;
      y[2] = r;
      y[3] = s;
    }
  }
  for (; count > 0; --count, a += a_step, b += b_step) *y++ = F::of(*a, *b, e);
}

template <typename F>
constexpr BinaryLoops number_loops() {
  return {binary_loop<float, F>, binary_loop<double, F>, binary_loop<int64_t, F>};
}
template <typename F>
constexpr BinaryLoops quick_loops() {
  return {quick_loop<F>, binary_loop<double, F>, binary_loop<int64_t, F>};
}
// Functions of real numbers; null, or a form of their own, for integers.
template <typename F>
constexpr BinaryLoops real_loops(BinaryLoop<int64_t> integers = nullptr) {
  if constexpr (kFloat64Math) {
    return {binary_loop<float, F>, binary_loop<double, F>, integers};
  } else {
    return {binary_loop<float, F>, nullptr, integers};
  }
}
template <typename F>
constexpr BinaryLoops integer_loops() {
  return {nullptr, nullptr, binary_loop<int64_t, F>};
}

// Integers wrap.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
template <typename T>
T sum(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <typename T>
T difference(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <typename T>
T product(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

// Quotient and remainder toward zero, defined for every divisor.
int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? difference(int64_t{0}, a) : a / b;
}
int64_t rest(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

// The real quotient rounded down, by way of the exact remainder.
template <typename T>
T floor_of_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T mod = std::fmod(a, b);
  T quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, base);
    base = product(base, base);
  }
  return result;
}

#define WICK_BINARY(name, expression)                    \
  struct name {                                          \
    template <typename T>                                \
    static T of(T a, T b, [[maybe_unused]] const T* e) { \
      return static_cast<T>(expression);                 \
    }                                                    \
  };

WICK_BINARY(Add, sum(a, b))
WICK_BINARY(Sub, difference(a, b))
WICK_BINARY(AddScaled, sum(a, product(e[0], b)))
WICK_BINARY(SubScaled, difference(a, product(e[0], b)))
WICK_BINARY(Mul, product(a, b))
WICK_BINARY(Div, a / b)
WICK_BINARY(DivTrunc, std::trunc(a / b))
WICK_BINARY(DivFloor, floor_of_quotient(a, b))
WICK_BINARY(Fmod, std::fmod(a, b))
WICK_BINARY(Maximum, a > b || a != a ? a : b)
WICK_BINARY(Minimum, a < b || a != a ? a : b)
WICK_BINARY(Pow, std::pow(a, b))
WICK_BINARY(PowInteger, power(a, b))
WICK_BINARY(Atan2, std::atan2(a, b))
WICK_BINARY(Glu, a / (1 + std::exp(-b)))
WICK_BINARY(Eq, a == b)
WICK_BINARY(Ne, a != b)
WICK_BINARY(Lt, a < b)
WICK_BINARY(Le, a <= b)
WICK_BINARY(Gt, a > b)
WICK_BINARY(Ge, a >= b)
WICK_BINARY(LogicalAnd, a != 0 && b != 0)
WICK_BINARY(LogicalOr, a != 0 || b != 0)
WICK_BINARY(LogicalXor, (a != 0) != (b != 0))
WICK_BINARY(BitwiseAnd, a& b)
WICK_BINARY(BitwiseOr, a | b)
WICK_BINARY(BitwiseXor, a ^ b)
WICK_BINARY(DivTruncInteger, quotient(a, b))
WICK_BINARY(DivFloorInteger, quotient(a, b) - (rest(a, b) != 0 && (rest(a, b) < 0) != (b < 0) ? 1 : 0))
WICK_BINARY(RemainderInteger, rest(a, b) + (rest(a, b) != 0 && (rest(a, b) < 0) != (b < 0) ? b : 0))
WICK_BINARY(FmodInteger, rest(a, b))
WICK_BINARY(ShiftLeft, b<0 || b> 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b))
WICK_BINARY(ShiftRight, a >> (b < 0 || b > 63 ? 63 : b))
#undef WICK_BINARY

struct Remainder {
  template <typename T>
  static T of(T a, T b, const T*) {
    const T mod = std::fmod(a, b);
    return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
  }
};

}  // namespace

const BinaryLoops kAdd = quick_loops<Add>();
const BinaryLoops kSub = quick_loops<Sub>();
const BinaryLoops kMul = quick_loops<Mul>();
const BinaryLoops kDiv = {quick_loop<Div>, binary_loop<double, Div>, nullptr};
const BinaryLoops kMaximum = quick_loops<Maximum>();
const BinaryLoops kMinimum = quick_loops<Minimum>();
const BinaryLoops kAddScaled = number_loops<AddScaled>();
const BinaryLoops kSubScaled = number_loops<SubScaled>();
const BinaryLoops kDivTrunc = {binary_loop<float, DivTrunc>, binary_loop<double, DivTrunc>,
                               binary_loop<int64_t, DivTruncInteger>};
const BinaryLoops kDivFloor = real_loops<DivFloor>(binary_loop<int64_t, DivFloorInteger>);
const BinaryLoops kRemainder = real_loops<Remainder>(binary_loop<int64_t, RemainderInteger>);
const BinaryLoops kFmod = real_loops<Fmod>(binary_loop<int64_t, FmodInteger>);
const BinaryLoops kPow = real_loops<Pow>(binary_loop<int64_t, PowInteger>);
const BinaryLoops kAtan2 = real_loops<Atan2>();
const BinaryLoops kGlu = real_loops<Glu>();
const BinaryLoops kEq = number_loops<Eq>();
const BinaryLoops kNe = number_loops<Ne>();
const BinaryLoops kLt = number_loops<Lt>();
const BinaryLoops kLe = number_loops<Le>();
const BinaryLoops kGt = number_loops<Gt>();
const BinaryLoops kGe = number_loops<Ge>();
const BinaryLoops kLogicalAnd = number_loops<LogicalAnd>();
const BinaryLoops kLogicalOr = number_loops<LogicalOr>();
const BinaryLoops kLogicalXor = number_loops<LogicalXor>();
const BinaryLoops kBitwiseAnd = integer_loops<BitwiseAnd>();
const BinaryLoops kBitwiseOr = integer_loops<BitwiseOr>();
const BinaryLoops kBitwiseXor = integer_loops<BitwiseXor>();
const BinaryLoops kShiftLeft = integer_loops<ShiftLeft>();
const BinaryLoops kShiftRight = integer_loops<ShiftRight>();

}  // namespace wick::kernels
