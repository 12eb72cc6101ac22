// Float and generic operators as plain loops, the same on every core. Knows dtypes and steps; refuses to know shapes,
// dimension orders and legality, which the runtime has judged. T is the computed type: float, double or int64_t
// (kernels/convert.h). Inputs and outputs may overlap in a hostile program: the result is then unspecified, but nothing
// outside them is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "kernels/convert.h"
#include "kernels/walk.h"

namespace wick::kernels {

// Whether functions of real numbers (exp, sin, pow, ...) come in double too. Without an FPU for doubles their software
// takes about 30 KB, which float32 programs never run, so builds for boards leave it out unless asked.
inline constexpr bool kFloat64Math = WICK_FLOAT64_MATH != 0;

// --- elementwise ---------------------------------------------------------------------------------------------------
// One array of a run. `step` in elements.
struct Lane {
  uint8_t* data = nullptr;
  int32_t step = 0;
  DType dtype = DType::kFloat32;
};

// y[i] = f(x[i]); x and y may be the same.
template <typename T>
using UnaryLoop = void (*)(const T* x, T* y, uint32_t count, const T* extra);
// y[i] = f(a[i * a_step], b[i * b_step]); steps are 0 or 1, y may be a or b where that has step 1.
template <typename T>
using BinaryLoop = void (*)(const T* a, uint32_t a_step, const T* b, uint32_t b_step, T* y, uint32_t count,
                            const T* extra);

// Null where the operator has no meaning in that type.
struct UnaryLoops {
  UnaryLoop<float> f32;
  UnaryLoop<double> f64;
  UnaryLoop<int64_t> i64;
};
struct BinaryLoops {
  BinaryLoop<float> f32;
  BinaryLoop<double> f64;
  BinaryLoop<int64_t> i64;
};

template <typename T>
struct UnaryMap {
  Walk walk;
  uint32_t run;
  UnaryLoop<T> loop;
  Lane out, x;
  T extra[3];
};

template <typename T>
struct BinaryMap {
  Walk walk;
  uint32_t run;
  BinaryLoop<T> loop;
  Lane out, a, b;
  bool a_constant, b_constant;  // that operand is `constant`
  bool nonzero_b;               // division: a zero in b is an error
  T constant;
  T extra[1];
};

// y = c ? a : b; `c` holds bytes.
template <typename T>
struct SelectMap {
  Walk walk;
  uint32_t run;
  Lane out, c, a, b;
  bool a_constant;  // a is `constant`
  T constant;
};

// y = x in another dtype.
struct CastMap {
  Walk walk;
  uint32_t run;
  Lane out, x;
};

template <typename T>
void map_unary(const UnaryMap<T>& m);
// False when nonzero_b was asked for and a divisor is zero; the output is then incomplete.
template <typename T>
bool map_binary(const BinaryMap<T>& m);
template <typename T>
void map_select(const SelectMap<T>& m);
void map_cast(const CastMap& m);

// extra: clamp {low, high}; leaky_relu {slope}; elu {alpha * scale, scale, input_scale}; logit {low, high}.
extern const UnaryLoops kRelu, kClamp, kLeakyRelu, kElu, kSigmoid, kSilu, kGelu, kGeluTanh, kLogit;
extern const UnaryLoops kAbs, kNeg, kSign, kCeil, kFloor, kRound, kTrunc, kReciprocal, kSqrt, kRsqrt;
extern const UnaryLoops kExp, kExpm1, kLog, kLog2, kLog10, kLog1p, kErf;
extern const UnaryLoops kSin, kCos, kTan, kAsin, kAcos, kAtan, kSinh, kCosh, kTanh, kAsinh, kAcosh, kAtanh;
extern const UnaryLoops kIsNan, kIsInf, kBitwiseNot, kLogicalNot;

// extra: the scaled forms {alpha}, y = a + alpha * b.
extern const BinaryLoops kAdd, kSub, kAddScaled, kSubScaled, kMul, kDiv, kDivTrunc, kDivFloor, kRemainder, kFmod;
extern const BinaryLoops kMaximum, kMinimum, kPow, kAtan2, kGlu;
extern const BinaryLoops kEq, kNe, kLt, kLe, kGt, kGe, kLogicalAnd, kLogicalOr, kLogicalXor;
extern const BinaryLoops kBitwiseAnd, kBitwiseOr, kBitwiseXor, kShiftLeft, kShiftRight;

// --- data movement -------------------------------------------------------------------------------------------------
// Moves `run_bytes` at each step of `walk`, whose operands are out and in. `align` (1, 2 or 4) divides every step, run
// and address.
struct StridedCopy {
  Walk walk;
  uint32_t run_bytes = 0;
  uint32_t align = 1;
};
void strided_copy(const StridedCopy& c, const uint8_t* in, uint8_t* out);

// memmove, quick when nothing overlaps.
void move_bytes(void* to, const void* from, size_t bytes);

// out[i] = the element in `pattern`, `element` bytes wide.
void fill(void* out, uint32_t count, const uint8_t* pattern, uint32_t element);

// out[i] = start + i * step
template <typename T>
void arange(T start, T step, uint32_t count, void* out, DType dtype);

// Keeps elements with column <= row + diagonal and zeroes the rest; steps in bytes.
struct Tril {
  Walk walk;  // out, in
  uint32_t rows, columns, element;
  int32_t diagonal;
  int32_t out_row, out_column, in_row, in_column;
};
void tril(const Tril& t, const uint8_t* in, uint8_t* out);

// out[i...] = in[i... with one coordinate replaced by index[i...]].
struct Gather {
  Walk walk;  // out, in (not moved along the gathered dimension), index
  uint32_t run, element;
  int32_t out_step, in_step, index_step;  // of the run, bytes
  int32_t in_size, in_stride;             // the gathered dimension, stride in bytes
  bool wide;                              // the index is int64, else int32
};
// False at the first index outside [0, in_size), with the index in *bad.
bool gather(const Gather& g, const uint8_t* in, const uint8_t* index, uint8_t* out, int64_t* bad);

// --- reductions ----------------------------------------------------------------------------------------------------
template <typename T>
struct Accumulator {
  T value;
  T mean;         // of the first pass, for the second
  uint32_t seen;  // elements before this run
  uint32_t best;  // position of `value`
};
template <typename T>
using ReduceLoop = void (*)(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count);

struct ReduceLoops {
  ReduceLoop<float> f32;
  ReduceLoop<double> f64;
  ReduceLoop<int64_t> i64;
};
extern const ReduceLoops kSum, kProd, kSquares, kMax, kMin, kAny;

// One result for each step of `outer`, from all elements of `inner` and its run.
template <typename T>
struct Reduce {
  Walk outer;  // in, values, indices
  Walk inner;  // in
  uint32_t run;
  int32_t run_step;  // elements
  ReduceLoop<T> loop;
  ReduceLoop<T> second;  // null, or run again with the mean (first result / mean_of)
  T init;
  T mean_of;
  bool divide;  // the result by `divisor`
  T divisor;
  DType in_dtype, out_dtype;
  uint8_t* in;
  uint8_t* values;   // or null
  uint8_t* indices;  // int64, or null
};
template <typename T>
void reduce(const Reduce<T>& r);

// Rows along one dimension: steps in elements.
struct Rows {
  Walk walk;  // out, in
  uint32_t count;
  int32_t out_step, in_step;
  DType out_dtype, in_dtype;
  uint8_t* out;
  const uint8_t* in;
};
template <typename T>
void softmax(const Rows& r, bool log);
template <typename T>
void cumsum(const Rows& r);

// The k largest (or smallest) of each row, in order; NaN is the largest. Earlier elements win ties.
struct TopK {
  Walk walk;  // values, indices, in
  uint32_t count, k;
  int32_t values_step, indices_step, in_step;  // elements
  DType dtype;
  bool largest;
  uint8_t *values, *indices, *in;
};
template <typename T>
constexpr uint32_t topk_scratch_bytes(uint32_t k) {
  return k * static_cast<uint32_t>(sizeof(T) + sizeof(uint32_t));
}
template <typename T>
void topk(const TopK& t, void* scratch);

}  // namespace wick::kernels
