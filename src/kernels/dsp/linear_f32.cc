// FP32 linear layer: four outputs at a time in an assembly core, any depth and any number of outputs and rows. The last
// four outputs may overlap those before, which costs less than a core for every remainder.
#include "kernels/kernels.h"

extern "C" void wick_dsp_dot4_f32(const float* w, const float* x, float* acc, uint32_t depth, uint32_t row_bytes);

namespace wick::kernels::dsp {

void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  const uint32_t row_bytes = depth * static_cast<uint32_t>(sizeof(float));
  for (; rows > 0; --rows, x += depth, y += outputs) {
    if (outputs < 4) {
      for (uint32_t n = 0; n < outputs; ++n) {
        float acc = bias != nullptr ? bias[n] : 0.0f;
        for (uint32_t k = 0; k < depth; ++k) acc = __builtin_fmaf(x[k], w[n * depth + k], acc);
        y[n] = acc;
      }
      continue;
    }
    for (uint32_t n = 0; n < outputs; n += 4) {
      const uint32_t at = n + 4 <= outputs ? n : outputs - 4;
      for (uint32_t i = 0; i < 4; ++i) y[at + i] = bias != nullptr ? bias[at + i] : 0.0f;
      wick_dsp_dot4_f32(w + at * depth, x, y + at, depth, row_bytes);
    }
  }
}

}  // namespace wick::kernels::dsp
