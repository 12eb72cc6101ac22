// Elements at the edges of a computation, many at a time (element.h has single ones). Operators compute in one of three
// types: float (also for float16 and bfloat16), double, and int64_t (for every integer and bool); here is the only way
// in and out, a block at a time. Knows what a cast means (PyTorch's, with the undefined cases defined); refuses to know
// any operator.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

// Toward zero; beyond the range the nearest end, NaN 0.
int64_t int64_of(float value);
int64_t int64_of(double value);

// Elements that pass through a block at once.
inline constexpr uint32_t kBlock = 32;

// The type that elements of T's own are stored as.
template <typename T>
inline constexpr DType kNative = DType::kInt64;
template <>
inline constexpr DType kNative<float> = DType::kFloat32;
template <>
inline constexpr DType kNative<double> = DType::kFloat64;

// block[i] = from[i * step]; T is float, double or int64_t. Every dtype but uint64.
template <typename T>
void load_block(DType dtype, const void* from, int32_t step, uint32_t count, T* block);
// to[i * step] = block[i]. Integers wrap, bool is "not zero".
template <typename T>
void store_block(DType dtype, const T* block, uint32_t count, void* to, int32_t step);

}  // namespace wick::kernels
