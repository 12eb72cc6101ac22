// The parts of requantize.h that are worth a call.
#include "kernels/mve/requantize.h"

namespace wick::kernels::mve {

bool are_right_shifts(const int32_t* multiplier, const int32_t* shift, int32_t count) {
  if (!is_word_aligned(multiplier) || !is_word_aligned(shift)) return false;
  int32_t lowest_multiplier = 0, highest_shift = -1;
  for (int32_t i = 0; i < count; i += 4) {
    const mve_pred16_t p = lanes32(count - i);
    lowest_multiplier = vminvq_p_s32(lowest_multiplier, vldrwq_z_s32(multiplier + i, p), p);
    highest_shift = vmaxvq_p_s32(highest_shift, vldrwq_z_s32(shift + i, p), p);
  }
  return is_right_shift(lowest_multiplier, highest_shift);
}

bool are_positive(const int32_t* multiplier, int32_t count) {
  if (!is_word_aligned(multiplier)) return false;
  int32_t lowest = 0;
  for (int32_t i = 0; i < count; i += 4) {
    const mve_pred16_t p = lanes32(count - i);
    lowest = vminvq_p_s32(lowest, vldrwq_z_s32(multiplier + i, p), p);
  }
  return lowest == 0;
}

void write_quad_parameters(int32_t* parameters, const int32_t* bias, const int32_t* multiplier, const int32_t* shift,
                           int32_t quads) {
  // Channels 0 1 2 3 go to the places 0 2 1 3, three words each.
  const uint32_t places[4] = {0, 24, 12, 36};
  const uint32x4_t place = vldrwq_u32(places);
  for (; quads > 0; --quads, parameters += 12) {
    vstrwq_scatter_offset_s32(parameters, place, vldrwq_s32(bias));
    vstrwq_scatter_offset_s32(parameters + 1, place, vldrwq_s32(multiplier));
    vstrwq_scatter_offset_s32(parameters + 2, place, vldrwq_s32(shift));
    bias += 4;
    multiplier += 4;
    shift += 4;
  }
}

int32_t sum_of(const int8_t* x, int32_t count) {
  int32_t sum = 0;
  for (int32_t n = count >> 4; n > 0; --n, x += 16) sum = vaddvaq_s8(sum, vldrbq_s8(x));
  const mve_pred16_t p = lanes8(count & 15);
  return vaddvaq_p_s8(sum, vldrbq_z_s8(x, p), p);
}

void fold_bias(int32_t* folded, const int32_t* bias, const int8_t* weights, int32_t rows, int32_t taps,
               int32_t input_offset) {
  for (int32_t row = 0; row < rows; ++row, weights += taps) {
    const int32_t sum = input_offset != 0 ? sum_of(weights, taps) : 0;
    folded[row] = wrap_add(bias != nullptr ? bias[row] : 0, wrap_mul(input_offset, sum));
  }
}

void clamp_in_place(int8_t* data, uint32_t count, int32_t act_min, int32_t act_max) {
  if (act_min <= -128 && act_max >= 127) return;
  const int8x16_t low = vdupq_n_s8(static_cast<int8_t>(act_min)), high = vdupq_n_s8(static_cast<int8_t>(act_max));
  for (uint32_t i = 0; i < count; i += 16) {
    const mve_pred16_t p = vctp8q(count - i);
    vstrbq_p_s8(data + i, vminq_s8(vmaxq_s8(vldrbq_z_s8(data + i, p), low), high), p);
  }
}

void fill(int8_t* to, int32_t count, int32_t value) {
  const int8x16_t v = vdupq_n_s8(static_cast<int8_t>(value));
  for (int32_t n = count >> 4; n > 0; --n, to += 16) vstrbq_s8(to, v);
  vstrbq_p_s8(to, v, lanes8(count & 15));
}

}  // namespace wick::kernels::mve
