// What MVE has no faster form of: handed to scalar:: as it is. A kernel that gets one of its own leaves this file.
#include "kernels/kernels.h"

namespace wick::kernels::mve {

// the look at all channels' constants
bool usual_tables(const int32_t* multiplier, const int32_t* shift, const int32_t* bias, int32_t count) {
  return scalar::usual_tables(multiplier, shift, bias, count);
}

// transposed convolution
KernelMemory transpose_conv2d_s8_plan(TransposeConv2dS8& c) { return scalar::transpose_conv2d_s8_plan(c); }
void transpose_conv2d_s8_prepare(TransposeConv2dS8& c, void* prepared) {
  scalar::transpose_conv2d_s8_prepare(c, prepared);
}
void transpose_conv2d_s8(const TransposeConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::transpose_conv2d_s8(c, input, output, scratch);
}

}  // namespace wick::kernels::mve
