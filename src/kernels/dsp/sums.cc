// How the sums are made: four bytes at a time against zero by USADA8.
#include "kernels/dsp/sums.h"

#include <arm_acle.h>

#include "core/quant.h"
#include "kernels/dsp/simd.h"

extern "C" void wick_dsp_sum_rows(const int8_t* rows, int32_t words, int32_t count, int32_t* sums);

namespace wick::kernels::dsp {

namespace {

// A row at any address, of any length.
int32_t sum_of(const int8_t* row, int32_t length) {
  uint32_t sum = 0;
  int32_t i = 0;
  for (; i + 4 <= length; i += 4) sum = __usada8(load4(row + i) ^ 0x80808080u, 0, sum);
  sum -= static_cast<uint32_t>(i) * 128;
  for (; i < length; ++i) sum += static_cast<uint32_t>(row[i]);
  return static_cast<int32_t>(sum);
}

void fold(const int32_t* bias, int32_t offset, int32_t excess, int32_t count, int32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    sums[i] = wrap_add(bias != nullptr ? bias[i] : 0, wrap_mul(offset, wrap_add(sums[i], -excess)));
  }
}

}  // namespace

void fold_row_sums(const int8_t* matrix, int32_t rows, int32_t length, const int32_t* bias, int32_t offset,
                   int32_t* folded) {
  if ((reinterpret_cast<uintptr_t>(matrix) & 3) == 0 && length % 4 == 0 && length > 0 && rows > 0) {
    wick_dsp_sum_rows(matrix, length / 4, rows, folded);
    fold(bias, offset, 128 * length, rows, folded);
    return;
  }
  for (int32_t r = 0; r < rows; ++r, matrix += length) folded[r] = sum_of(matrix, length);
  fold(bias, offset, 0, rows, folded);
}

}  // namespace wick::kernels::dsp
