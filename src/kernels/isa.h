// Which instruction set this build runs. The only place that asks the compiler.
#pragma once

#include "kernels/kernels.h"

namespace wick::kernels {

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
namespace isa = mve;
#define WICK_ISA_MVE 1
#if __ARM_FEATURE_MVE & 2
#define WICK_ISA_MVE_FLOAT 1  // with float lanes
#endif
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_ARCH) && __ARM_ARCH >= 7
namespace isa = dsp;
#define WICK_ISA_DSP 1
#else
namespace isa = scalar;
#define WICK_ISA_SCALAR 1
#endif

}  // namespace wick::kernels
