// Sums of constant weights, for folding the input offset into the bias once per load.
#pragma once

#include <cstdint>

namespace wick::kernels::dsp {

// folded[r] = (bias ? bias[r] : 0) + offset * sum of row r of a [rows][length] matrix, modulo 2^32.
void fold_row_sums(const int8_t* matrix, int32_t rows, int32_t length, const int32_t* bias, int32_t offset,
                   int32_t* folded);

// folded[c] = (bias ? bias[c] : 0) + offset * sum of column c of a [length][columns] matrix, modulo 2^32.
void fold_column_sums(const int8_t* matrix, int32_t length, int32_t columns, const int32_t* bias, int32_t offset,
                      int32_t* folded);

}  // namespace wick::kernels::dsp
