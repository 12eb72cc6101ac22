// Which taps of a window fall inside the image: the border arithmetic of every convolution, once.
#pragma once

#include <cstdint>

namespace wick::kernels::scalar {

// First and past-the-last tap of one axis that fall inside [0, size); begin == end when none does.
struct Taps {
  int32_t begin, end;
  int32_t count() const { return end - begin; }
};

// The window's first tap lies at `start`, the next one `dilation` further.
inline Taps taps_inside(int32_t start, int32_t kernel, int32_t dilation, int32_t size) {
  int32_t begin = 0, end = kernel;
  if (start < 0) begin = (-start + dilation - 1) / dilation;
  if (start >= size) {
    end = 0;
  } else if (start + (kernel - 1) * dilation >= size) {
    end = (size - 1 - start) / dilation + 1;
  }
  return {begin < end ? begin : end, end};
}

}  // namespace wick::kernels::scalar
