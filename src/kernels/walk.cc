// The step from one run to the next.
#include "kernels/walk.h"

namespace wick::kernels {

bool advance(const Walk& walk, Cursor& cursor) {
  const uint32_t operands = walk.operands;
  const int32_t* row = walk.dims + walk.rank * (1 + operands);
  for (uint32_t dim = walk.rank; dim-- > 0;) {
    row -= 1 + operands;
    if (++cursor.index[dim] < row[0]) {
      for (uint32_t k = 0; k < operands; ++k) cursor.at[k] += row[1 + k];
      return true;
    }
    cursor.index[dim] = 0;
    for (uint32_t k = 0; k < operands; ++k) cursor.at[k] -= row[1 + k] * (row[0] - 1);
  }
  return false;
}

}  // namespace wick::kernels
