// What C++ hands to the matrix-vector cores (linear.S, linear_f32.S).
#pragma once

#include <cstdint>

namespace wick::kernels::mve {

// The order of the members is the assembly's contract.
struct Linear {
  const int8_t* x;
  const int8_t* weights;  // [4 * quads][depth]
  int32_t depth;
  const int32_t* start;  // [4 * quads]
  int8_t* out;
  int32_t quads;
  int32_t multiplier, shift, offset;
  int32_t add;  // to every sum
};
struct LinearF32 {
  const float* x;
  const float* weights;  // [4 * quads][depth]
  uint32_t depth;
  const float* bias;
  float* y;
  uint32_t quads, bias_step;  // bias_step: bytes from four biases to the next four
};

}  // namespace wick::kernels::mve

extern "C" void wick_mve_linear(const wick::kernels::mve::Linear* arguments);
extern "C" void wick_mve_linear_f32(const wick::kernels::mve::LinearF32* arguments);
