// Sums of the rows of a matrix, for folding an offset of what they meet into the bias.
#pragma once

#include <cstdint>

namespace wick::kernels::dsp {

// folded[r] = (bias ? bias[r] : 0) + offset * sum of row r of a [rows][length] matrix, modulo 2^32.
void fold_row_sums(const int8_t* matrix, int32_t rows, int32_t length, const int32_t* bias, int32_t offset,
                   int32_t* folded);

}  // namespace wick::kernels::dsp
