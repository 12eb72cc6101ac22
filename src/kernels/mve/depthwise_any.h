// The depthwise convolution that asks for no shape (depthwise_any.cc).
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels::mve {

// Whether products of two taps can be added in 16 bits, for 16 channels or more.
bool can_pair(const DepthwiseConv2dS8& c);

// One input channel per output channel, multipliers from 0 on, word-aligned tables. With `start` (each channel's bias
// with the input offset folded in) in pairs, which can_pair() must allow; without it a lane per channel.
void depthwise_any(const DepthwiseConv2dS8& c, const int32_t* start, const int8_t* input, int8_t* output);

}  // namespace wick::kernels::mve
