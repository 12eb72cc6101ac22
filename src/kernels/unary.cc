// What each operator of one operand computes, and the loop around it. Knows numbers; refuses to know dtypes and steps.
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/portable.h"

namespace wick::kernels {

namespace {

// For cheap arithmetic, where the loop counts.
template <typename T, typename F>
void unary_loop(const T* x, T* y, uint32_t count, const T* extra) {
  const T e[3] = {extra[0], extra[1], extra[2]};  // y could be where they lie
  for (const T* end = x + (count & ~3u); x != end; x += 4, y += 4) {
    const T a = x[0], b = x[1], c = x[2], d = x[3];
    y[0] = F::of(a, e);
    y[1] = F::of(b, e);
    y[2] = F::of(c, e);
    y[3] = F::of(d, e);
  }
  for (count &= 3u; count > 0; --count) *y++ = F::of(*x++, e);
}

// For functions whose own cost hides the loop's.
template <typename T, typename F>
void small_loop(const T* x, T* y, uint32_t count, const T* extra) {
  for (uint32_t i = 0; i < count; ++i) y[i] = F::of(x[i], extra);
}

template <typename F>
constexpr UnaryLoops real_loops() {
  if constexpr (kFloat64Math) {
    return {small_loop<float, F>, small_loop<double, F>, nullptr};
  } else {
    return {small_loop<float, F>, nullptr, nullptr};
  }
}
template <typename F>
constexpr UnaryLoops number_loops() {
  return {small_loop<float, F>, small_loop<double, F>, small_loop<int64_t, F>};
}

// e: the operator's constants.
#define WICK_UNARY(name, expression)                \
  struct name {                                     \
    template <typename T>                           \
    static T of(T x, [[maybe_unused]] const T* e) { \
      return static_cast<T>(expression);            \
    }                                               \
  };

// Keeps NaN. On floats by their bits, which needs no FPU: as integers, -0 to -infinity are those up to the latter.
struct Relu {
  static float of(float x, const float*) {
    const int32_t bits = std::bit_cast<int32_t>(x);
    return std::bit_cast<float>(bits <= -0x800000 ? 0 : bits);
  }
  static double of(double x, const double*) { return x < 0 ? 0 : x; }
  static int64_t of(int64_t x, const int64_t*) { return x < 0 ? 0 : x; }
};
struct Clamp {
  template <typename T>
  static T of(T x, const T* e) {
    const T raised = e[0] > x ? e[0] : x;
    return raised > e[1] ? e[1] : raised;
  }
};
struct Logit {
  template <typename T>
  static T of(T x, const T* e) {
    const T p = Clamp::of(x, e);
    return std::log(p / (1 - p));
  }
};
struct Neg {
  template <typename T>
  static T of(T x, const T*) {
    return -x;
  }
  static int64_t of(int64_t x, const int64_t*) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
};
struct Abs {
  template <typename T>
  static T of(T x, const T*) {
    return std::fabs(x);
  }
  static int64_t of(int64_t x, const int64_t* e) { return x < 0 ? Neg::of(x, e) : x; }
};
struct Gelu {
  template <typename T>
  static T of(T x, const T*) {
    return x * T(0.5) * (1 + std::erf(x * T(0.70710678118654752440)));
  }
};
struct GeluTanh {
  template <typename T>
  static T of(T x, const T*) {
    return x * T(0.5) * (1 + std::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)));
  }
};
struct Identity {
  static int64_t of(int64_t x, const int64_t*) { return x; }
};
struct Never {
  static int64_t of(int64_t, const int64_t*) { return 0; }
};

WICK_UNARY(LeakyRelu, x >= 0 ? x : x * e[0])
WICK_UNARY(Elu, x <= 0 ? std::expm1(x * e[2]) * e[0] : x * e[1])
WICK_UNARY(Sigmoid, 1 / (1 + std::exp(-x)))
WICK_UNARY(Silu, x / (1 + std::exp(-x)))
WICK_UNARY(Sign, T(x > 0 ? 1 : 0) - T(x < 0 ? 1 : 0))
WICK_UNARY(Reciprocal, 1 / x)
WICK_UNARY(Sqrt, std::sqrt(x))
WICK_UNARY(Rsqrt, 1 / std::sqrt(x))
WICK_UNARY(Ceil, std::ceil(x))
WICK_UNARY(Floor, std::floor(x))
WICK_UNARY(Round, std::nearbyint(x))
WICK_UNARY(Trunc, std::trunc(x))
WICK_UNARY(Exp, std::exp(x))
WICK_UNARY(Expm1, std::expm1(x))
WICK_UNARY(Log, std::log(x))
WICK_UNARY(Log2, std::log2(x))
WICK_UNARY(Log10, std::log10(x))
WICK_UNARY(Log1p, std::log1p(x))
WICK_UNARY(Erf, std::erf(x))
WICK_UNARY(Sin, std::sin(x))
WICK_UNARY(Cos, std::cos(x))
WICK_UNARY(Tan, std::tan(x))
WICK_UNARY(Asin, std::asin(x))
WICK_UNARY(Acos, std::acos(x))
WICK_UNARY(Atan, std::atan(x))
WICK_UNARY(Sinh, std::sinh(x))
WICK_UNARY(Cosh, std::cosh(x))
WICK_UNARY(Tanh, std::tanh(x))
WICK_UNARY(Asinh, std::asinh(x))
WICK_UNARY(Acosh, std::acosh(x))
WICK_UNARY(Atanh, std::atanh(x))
WICK_UNARY(IsNan, x != x)
WICK_UNARY(IsInf, x == std::numeric_limits<T>::infinity() || x == -std::numeric_limits<T>::infinity())
WICK_UNARY(BitwiseNot, ~x)
WICK_UNARY(LogicalNot, x == 0)
#undef WICK_UNARY

}  // namespace

const UnaryLoops kRelu = {unary_loop<float, Relu>, small_loop<double, Relu>, small_loop<int64_t, Relu>};
const UnaryLoops kClamp = {unary_loop<float, Clamp>, small_loop<double, Clamp>, small_loop<int64_t, Clamp>};
const UnaryLoops kLeakyRelu = real_loops<LeakyRelu>();
const UnaryLoops kElu = real_loops<Elu>();
const UnaryLoops kSigmoid = real_loops<Sigmoid>();
const UnaryLoops kSilu = real_loops<Silu>();
const UnaryLoops kGelu = real_loops<Gelu>();
const UnaryLoops kGeluTanh = real_loops<GeluTanh>();
const UnaryLoops kLogit = real_loops<Logit>();
const UnaryLoops kAbs = number_loops<Abs>();
const UnaryLoops kNeg = number_loops<Neg>();
const UnaryLoops kSign = number_loops<Sign>();
const UnaryLoops kCeil = {small_loop<float, Ceil>, small_loop<double, Ceil>, small_loop<int64_t, Identity>};
const UnaryLoops kFloor = {small_loop<float, Floor>, small_loop<double, Floor>, small_loop<int64_t, Identity>};
const UnaryLoops kRound = {small_loop<float, Round>, small_loop<double, Round>, small_loop<int64_t, Identity>};
const UnaryLoops kTrunc = {small_loop<float, Trunc>, small_loop<double, Trunc>, small_loop<int64_t, Identity>};
const UnaryLoops kReciprocal = real_loops<Reciprocal>();
const UnaryLoops kSqrt = real_loops<Sqrt>();
const UnaryLoops kRsqrt = real_loops<Rsqrt>();
const UnaryLoops kExp = real_loops<Exp>();
const UnaryLoops kExpm1 = real_loops<Expm1>();
const UnaryLoops kLog = real_loops<Log>();
const UnaryLoops kLog2 = real_loops<Log2>();
const UnaryLoops kLog10 = real_loops<Log10>();
const UnaryLoops kLog1p = real_loops<Log1p>();
const UnaryLoops kErf = real_loops<Erf>();
const UnaryLoops kSin = real_loops<Sin>();
const UnaryLoops kCos = real_loops<Cos>();
const UnaryLoops kTan = real_loops<Tan>();
const UnaryLoops kAsin = real_loops<Asin>();
const UnaryLoops kAcos = real_loops<Acos>();
const UnaryLoops kAtan = real_loops<Atan>();
const UnaryLoops kSinh = real_loops<Sinh>();
const UnaryLoops kCosh = real_loops<Cosh>();
const UnaryLoops kTanh = real_loops<Tanh>();
const UnaryLoops kAsinh = real_loops<Asinh>();
const UnaryLoops kAcosh = real_loops<Acosh>();
const UnaryLoops kAtanh = real_loops<Atanh>();
const UnaryLoops kIsNan = {small_loop<float, IsNan>, small_loop<double, IsNan>, small_loop<int64_t, Never>};
const UnaryLoops kIsInf = {small_loop<float, IsInf>, small_loop<double, IsInf>, small_loop<int64_t, Never>};
const UnaryLoops kBitwiseNot = {nullptr, nullptr, small_loop<int64_t, BitwiseNot>};
const UnaryLoops kLogicalNot = number_loops<LogicalNot>();

}  // namespace wick::kernels
