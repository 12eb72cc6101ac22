// Depthwise convolution of any kernel, stride, dilation, padding and multiplier, for the shapes that the 3x3 planes do
// not take.
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// Scratch that ring_depthwise() needs, or 0 when the shape is not its own: fewer than four output channels, a kernel
// that is too large, or lines too long for little scratch. Requantization must be fast (fast_requantize.h).
uint32_t ring_depthwise_scratch(const DepthwiseConv2dS8& c);
void ring_depthwise(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch);

}  // namespace wick::kernels::dsp
