// Matrix products in any memory order: out = alpha * (x . w) + beta * bias. Knows strides in elements; refuses to know
// what a tensor is.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace wick::kernels {

struct Matmul {
  int32_t rows, depth, columns;
  int32_t x_row, x_depth, w_depth, w_column, bias_row, bias_column, out_row, out_column;  // element steps
  DType dtype, bias_dtype;
  double alpha = 1.0, beta = 1.0;
};

// bias may be null. Any real dtype; integers wrap.
void matmul(const Matmul& m, const void* x, const void* w, const void* bias, void* out);

}  // namespace wick::kernels
