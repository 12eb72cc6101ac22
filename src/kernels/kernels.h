// INT8 operator kernels and what each needs to know. All are pure: no libc, no state, no failure. Arguments are
// judged by the caller (runtime/ops); inside, every shape is legal and every pointer valid. Inputs and outputs may
// overlap in a hostile program: the result is then unspecified, but nothing outside them is touched.
//
// A kernel with work to do once per load has three functions, in this order of calls:
//   plan     chooses the path and says what memory it takes. Reads shapes, quantization parameters and constant
//            data (weights, bias, multipliers), never activations. The same input always gives the same answer.
//   prepare  fills the prepared memory (4-byte aligned, lives as long as the method) and keeps its address.
//   run      computes. Scratch is 8-byte aligned, shared by all operators, and holds nothing between calls.
//
// Activations are NHWC. Arithmetic: core/quant.h. Zero points: "offset" is added, "zero_point" is subtracted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick::kernels {

struct KernelMemory {
  uint32_t prepared_bytes = 0;
  uint32_t scratch_bytes = 0;
};

// acc = bias[o] + sum over the window inside the image of (x + input_offset) * w
// out = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset, act_min, act_max)
struct Conv2dS8 {
  int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int32_t groups;  // divides in_c and out_c
  int32_t input_offset, output_offset, act_min, act_max;
  const int8_t* weights;      // [out_c][kernel_h][kernel_w][in_c / groups]
  const int32_t* bias;        // [out_c] or null
  const int32_t* multiplier;  // [out_c]
  const int32_t* shift;       // [out_c], each in [-31, 30]
  void* prepared = nullptr;
  uint32_t path = 0;          // chosen by plan; its meaning is the instruction set's own
  bool usual_tables = false;  // what usual_tables() says of the three, where it was asked
  int32_t uncut_out_h = 0;    // of the whole job, where this is a part of one (split.h)
};

// The same with one input channel per output channel: output channel o reads input channel o / (out_c / in_c).
struct DepthwiseConv2dS8 {
  int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c;  // out_c is a multiple of in_c
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int32_t input_offset, output_offset, act_min, act_max;
  const int8_t* weights;  // [kernel_h][kernel_w][out_c]
  const int32_t* bias;
  const int32_t* multiplier;
  const int32_t* shift;
  void* prepared = nullptr;
  uint32_t path = 0;
  bool usual_tables = false;
};

// acc[oy, ox, o] = bias[o] + sum over (iy, kh), (ix, kw), i with iy * stride_h - pad_h + kh == oy (and x alike)
struct TransposeConv2dS8 {
  int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t input_offset, output_offset, act_min, act_max;
  const int8_t* weights;  // [out_c][kernel_h][kernel_w][in_c]
  const int32_t* bias;
  const int32_t* multiplier;
  const int32_t* shift;
  void* prepared = nullptr;
  uint32_t path = 0;
};

// acc = kernel_sum ? kernel_sum[o] + sum x * (w + filter_offset)
//                  : bias[o] + sum (x + input_offset) * (w + filter_offset); one multiplier for all outputs
struct LinearS8 {
  int32_t rows, in_features, out_features;
  int32_t input_offset, filter_offset, output_offset, act_min, act_max;
  int32_t multiplier, shift;
  const int8_t* weights;      // [out_features][in_features]
  const int32_t* bias;        // [out_features] or null
  const int32_t* kernel_sum;  // [out_features] or null: input_offset and bias already folded in
  void* prepared = nullptr;
  uint32_t path = 0;
};

// out[b, m, n] = clamp8(requantize(sum over k of (lhs[b, m, k] + lhs_offset) * (rhs[b, n, k] + rhs_offset)) +
// output_zero_point)
struct BatchMatmulS8 {
  int32_t batch, lhs_rows, rhs_rows, depth;
  int32_t lhs_offset, rhs_offset, output_zero_point, multiplier, shift;
  uint32_t path = 0;
};

// out = clamp(requantize(requantize((a - a_zero_point) << 20, a_multiplier, a_shift)
//                      + requantize((b - b_zero_point) << 20, b_multiplier, b_shift), multiplier, shift) + zero_point)
// The operands' multipliers may be negative, down to -INT32_MAX: a subtraction.
struct AddS8 {
  int32_t a_zero_point, a_multiplier, a_shift;
  int32_t b_zero_point, b_multiplier, b_shift;
  int32_t zero_point, multiplier, shift, act_min, act_max;
  uint32_t path = 0;
};

// out = clamp8(requantize((a - a_zero_point) * (b - b_zero_point), multiplier, shift) + zero_point)
struct MulS8 {
  int32_t a_zero_point, b_zero_point, zero_point, multiplier, shift;
};

// How two operands meet elementwise: `outer` runs of `inner` elements. A step is 0 (one value for the whole run) or 1;
// the run's start in each operand comes from the outer dimensions' strides, in elements, outermost first.
struct BinaryShape {
  uint32_t outer_rank;
  int32_t outer_sizes[8];
  int32_t a_strides[8];
  int32_t b_strides[8];
  uint32_t inner;
  uint32_t a_step, b_step;
};

struct Pool2d {
  int32_t batch, in_h, in_w, channels, out_h, out_w;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t act_min, act_max;
  int32_t dilation_h = 1, dilation_w = 1;  // of a maximum
  uint32_t path = 0;
};

// CMSIS-NN's arm_softmax_s8 with output scale 1/256 and zero point -128.
struct SoftmaxS8 {
  int32_t rows, row_size, multiplier, shift, diff_min;
  void* prepared = nullptr;
  uint32_t path = 0;
};

// Every function below exists once per instruction set, in scalar::, dsp:: and mve::; `isa` (isa.h) is the one that
// this build runs. scalar:: is complete and is what the others are compared with, byte for byte.
#define WICK_DECLARE_KERNELS                                                                                          \
  /* True when no multiplier is negative, every shift is in [-22, -1] and every bias (null: none) fits 29 bits; false \
     proves nothing. One look at all channels, for loading a program is counted too. */                               \
  bool usual_tables(const int32_t* multiplier, const int32_t* shift, const int32_t* bias, int32_t count);             \
  KernelMemory conv2d_s8_plan(Conv2dS8& c);                                                                           \
  void conv2d_s8_prepare(Conv2dS8& c, void* prepared);                                                                \
  void conv2d_s8(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch);                              \
  KernelMemory depthwise_conv2d_s8_plan(DepthwiseConv2dS8& c);                                                        \
  void depthwise_conv2d_s8_prepare(DepthwiseConv2dS8& c, void* prepared);                                             \
  void depthwise_conv2d_s8(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch);           \
  KernelMemory transpose_conv2d_s8_plan(TransposeConv2dS8& c);                                                        \
  void transpose_conv2d_s8_prepare(TransposeConv2dS8& c, void* prepared);                                             \
  void transpose_conv2d_s8(const TransposeConv2dS8& c, const int8_t* input, int8_t* output, void* scratch);           \
  KernelMemory linear_s8_plan(LinearS8& c);                                                                           \
  void linear_s8_prepare(LinearS8& c, void* prepared);                                                                \
  void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch);                              \
  KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c);                                                                \
  void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch);  \
  KernelMemory add_s8_plan(AddS8& c, const BinaryShape& shape);                                                       \
  void add_s8(const AddS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output,             \
              void* scratch);                                                                                         \
  void mul_s8(const MulS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output);            \
  void minimum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output);                        \
  void maximum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output);                        \
  KernelMemory avg_pool2d_s8_plan(Pool2d& c);                                                                         \
  void avg_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch);                            \
  KernelMemory max_pool2d_s8_plan(Pool2d& c);                                                                         \
  void max_pool2d_s8(const Pool2d& c, const int8_t* input, int8_t* output, void* scratch);                            \
  KernelMemory softmax_s8_plan(SoftmaxS8& c);                                                                         \
  void softmax_s8_prepare(SoftmaxS8& c, void* prepared);                                                              \
  void softmax_s8(const SoftmaxS8& c, const int8_t* input, int8_t* output, void* scratch);                            \
  /* out[i] = lut[in[i] + 128] */                                                                                     \
  void lut_s8(const int8_t* lut, const int8_t* input, int8_t* output, uint32_t count);                                \
  /* q = clamp(zero_point + round_half_even(x * inverse_scale)), saturating; NaN gives zero_point */                  \
  void quantize_f32_s8(const float* input, int8_t* output, uint32_t count, float inverse_scale, int32_t zero_point,   \
                       int32_t quant_min, int32_t quant_max);                                                         \
  void quantize_f32_s16(const float* input, int16_t* output, uint32_t count, float inverse_scale, int32_t zero_point, \
                        int32_t quant_min, int32_t quant_max);                                                        \
  /* x = float(q - zero_point) * scale */                                                                             \
  void dequantize_s8_f32(const int8_t* input, float* output, uint32_t count, float scale, int32_t zero_point);        \
  void dequantize_s16_f32(const int16_t* input, float* output, uint32_t count, float scale, int32_t zero_point);      \
  /* y[r, n] = bias[n] + sum over k, ascending, of x[r, k] * w[n, k], each step fused where the FPU fuses */          \
  /* (mve:: keeps a sum per lane, and adds the lanes up at the end) */                                                \
  void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,         \
                  uint32_t outputs);

namespace scalar {
WICK_DECLARE_KERNELS
}
namespace dsp {
WICK_DECLARE_KERNELS
}
namespace mve {
WICK_DECLARE_KERNELS
}

}  // namespace wick::kernels
