// Bytes of scratch memory that ExecuTorch's kernels ask of a program. wick's own need none, but a program must carry
// what either runtime may want. Formulas: CMSIS-NN's size functions for each instruction set.
#pragma once

#include <cstdint>

#include "compiler/lower_cortex_m/lower.h"

namespace wick::compiler {

// One convolution, in elements; dilation and groups as PyTorch counts them.
struct ConvShape {
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
};

int64_t conv_scratch_bytes(const ConvShape& shape, Isa isa);
int64_t depthwise_scratch_bytes(const ConvShape& shape, Isa isa);
struct TransposeScratch {
  int64_t scratch_bytes, output_bytes;
};
TransposeScratch transpose_conv_scratch_bytes(const ConvShape& shape, Isa isa);
int64_t avg_pool_scratch_bytes(int64_t channels, Isa isa);
int64_t batch_matmul_scratch_bytes(int64_t columns, Isa isa);

}  // namespace wick::compiler
