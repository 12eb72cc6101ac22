// A look at all channels' constants at once.
#include "kernels/kernels.h"

namespace wick::kernels::scalar {

bool usual_tables(const int32_t* multiplier, const int32_t* shift, const int32_t* bias, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    if (multiplier[i] < 0 || shift[i] < -22 || shift[i] > -1) return false;
    if (bias != nullptr && (bias[i] < -(1 << 28) || bias[i] >= 1 << 28)) return false;
  }
  return true;
}

}  // namespace wick::kernels::scalar
