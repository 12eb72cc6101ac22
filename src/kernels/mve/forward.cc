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

// linear
KernelMemory linear_s8_plan(LinearS8& c) { return scalar::linear_s8_plan(c); }
void linear_s8_prepare(LinearS8& c, void* prepared) { scalar::linear_s8_prepare(c, prepared); }
void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::linear_s8(c, input, output, scratch);
}

// batch matmul
KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c) { return scalar::batch_matmul_s8_plan(c); }
void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch) {
  scalar::batch_matmul_s8(c, lhs, rhs, output, scratch);
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

// average pool
KernelMemory avg_pool2d_s8_plan(Pool2d& c) { return scalar::avg_pool2d_s8_plan(c); }
void avg_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::avg_pool2d_s8(c, input, output, scratch);
}

// maximum pool
KernelMemory max_pool2d_s8_plan(Pool2d& c) { return scalar::max_pool2d_s8_plan(c); }
void max_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch) {
  scalar::max_pool2d_s8(c, input, output, scratch);
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

// quantize, dequantize
void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                     int32_t quant_min, int32_t quant_max) {
  scalar::quantize_f32_s8(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}
void quantize_f32_s16(const float* input, int16_t* output, uint32_t count, float inverse_scale, int32_t zero_point,
                      int32_t quant_min, int32_t quant_max) {
  scalar::quantize_f32_s16(input, output, count, inverse_scale, zero_point, quant_min, quant_max);
}
void dequantize_s8_f32(const int8_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  scalar::dequantize_s8_f32(input, output, count, scale, zero_point);
}
void dequantize_s16_f32(const int16_t* input, float* output, uint32_t count, float scale, int32_t zero_point) {
  scalar::dequantize_s16_f32(input, output, count, scale, zero_point);
}

// linear in float
void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  scalar::linear_f32(x, w, bias, y, rows, depth, outputs);
}

}  // namespace wick::kernels::mve
