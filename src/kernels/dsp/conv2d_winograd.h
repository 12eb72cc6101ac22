// Winograd's way through a 3x3 convolution: 16 products for 36, for more scratch.
#pragma once

#include "kernels/dsp/conv2d_plan.h"

namespace wick::kernels::dsp {

// No layer takes more for it, nor more than its own input and output.
inline constexpr int32_t kWinogradScratchBytes = 16 * 1024;

// Whether the core can compute it at all, given fast arithmetic.
bool winograd_applies(const Conv2dS8& c);
// The plan by Winograd where that is at least an eighth faster than `im2col`, otherwise `im2col`.
ConvPlan cut_winograd(const Conv2dS8& c, const ConvPlan& im2col);
int64_t winograd_scratch_bytes(const Conv2dS8& c, const ConvPlan& plan);
void run_winograd(const Conv2dS8& c, const ConvPlan& plan, const RowSet& rows, const int8_t* input, int8_t* output,
                  void* scratch);

}  // namespace wick::kernels::dsp
