// Walks the outer dimensions of two broadcast operands: the outer loop of every binary elementwise kernel, once.
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels {

// Calls run(a, b, out) for each run of shape.inner elements, outermost dimension slowest.
template <typename In, typename Out, typename RunFn>
inline void for_each_run(const BinaryShape& shape, const In* a, const In* b, Out* out, RunFn run) {
  int32_t index[8] = {};
  for (;;) {
    run(a, b, out);
    out += shape.inner;
    uint32_t dim = shape.outer_rank;
    for (;;) {
      if (dim == 0) return;
      --dim;
      a += shape.a_strides[dim];
      b += shape.b_strides[dim];
      if (++index[dim] < shape.outer_sizes[dim]) break;
      a -= static_cast<ptrdiff_t>(shape.a_strides[dim]) * shape.outer_sizes[dim];
      b -= static_cast<ptrdiff_t>(shape.b_strides[dim]) * shape.outer_sizes[dim];
      index[dim] = 0;
    }
  }
}

}  // namespace wick::kernels
