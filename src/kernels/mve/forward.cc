// What MVE has no faster form of: handed to scalar:: as it is. A kernel that gets one of its own leaves this file.
#include "kernels/kernels.h"

namespace wick::kernels::mve {

// transposed convolution
KernelMemory transpose_conv2d_s8_plan(TransposeConv2dS8& c) { return scalar::transpose_conv2d_s8_plan(c); }
void transpose_conv2d_s8_prepare(TransposeConv2dS8& c, void* prepared) {
  scalar::transpose_conv2d_s8_prepare(c, prepared);
}
void transpose_conv2d_s8(const TransposeConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::transpose_conv2d_s8(c, input, output, scratch);
}

// add
KernelMemory add_s8_plan(AddS8& c, const BinaryShape& shape) { return scalar::add_s8_plan(c, shape); }
void add_s8(const AddS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output, void* scratch) {
  scalar::add_s8(c, shape, a, b, output, scratch);
}

// mul
void mul_s8(const MulS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  scalar::mul_s8(c, shape, a, b, output);
}

// minimum, maximum
void minimum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  scalar::minimum_s8(shape, a, b, output);
}
void maximum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  scalar::maximum_s8(shape, a, b, output);
}

// softmax
KernelMemory softmax_s8_plan(SoftmaxS8& c) { return scalar::softmax_s8_plan(c); }
void softmax_s8_prepare(SoftmaxS8& c, void* prepared) { scalar::softmax_s8_prepare(c, prepared); }
void softmax_s8(const SoftmaxS8& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::softmax_s8(c, input, output, scratch);
}

// lookup table
void lut_s8(const int8_t* lut, const int8_t* input, int8_t* output, uint32_t count) {
  scalar::lut_s8(lut, input, output, count);
}

// linear in float
void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  scalar::linear_f32(x, w, bias, y, rows, depth, outputs);
}

}  // namespace wick::kernels::mve
