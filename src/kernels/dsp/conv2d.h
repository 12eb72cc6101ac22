// Convolution on the matrix cores, for the kernel that is one in disguise: a depthwise convolution with one input
// channel, whose weights lie [kernel_h][kernel_w][out_c].
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels::dsp {

// Set in `path` by the plan below when it took the operator; the other may be called only then.
inline constexpr uint32_t kDepthwiseIsConv2d = 1u << 31;

// Leaves c.path at 0 and asks for nothing when c is not its case (in_c != 1, dilated, or padded with a zero point that
// is no byte). Prepares nothing.
KernelMemory one_channel_depthwise_plan(DepthwiseConv2dS8& c);
void one_channel_depthwise(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch);

}  // namespace wick::kernels::dsp
