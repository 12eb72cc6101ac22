// A look at all channels' constants at once (tables.S).
#include "kernels/dsp/fast_requantize.h"
#include "kernels/kernels.h"

namespace wick::kernels::dsp {

extern "C" uint32_t wick_dsp_table_bits(const int32_t* multiplier, const int32_t* shift, const int32_t* bias,
                                        int32_t count);

bool usual_tables(const int32_t* multiplier, const int32_t* shift, const int32_t* bias, int32_t count) {
  // In place of no biases any small numbers do.
  return wick_dsp_table_bits(multiplier, shift, bias != nullptr ? bias : shift, count) < uint32_t{kMaxFastShift};
}

}  // namespace wick::kernels::dsp
