// INT8 transposed convolution, gathered: each output pixel sums the input pixels that reach it. No scratch, and no
// write outside the output whatever stride and padding are.
#include "kernels/kernels.h"
#include "kernels/scalar/dot.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::scalar {

namespace {

// The taps k = first, first + stride, ... < end of one axis, and the input position under `first`; each further tap
// reads one position earlier.
struct Reach {
  int32_t first, end, position;
};

// Taps k of output position `at` with i * stride + k == at + pad and 0 <= i < size.
Reach reach(int32_t at, int32_t pad, int32_t stride, int32_t kernel, int32_t size) {
  const int32_t target = at + pad;
  int32_t first = target % stride;
  const int32_t last_input = (size - 1) * stride;
  if (target - first > last_input) first += target - first - last_input;
  return {first, kernel < target + 1 ? kernel : target + 1, (target - first) / stride};
}

}  // namespace

KernelMemory transpose_conv2d_s8_plan(TransposeConv2dS8&) { return {}; }

void transpose_conv2d_s8_prepare(TransposeConv2dS8& c, void* prepared) { c.prepared = prepared; }

void transpose_conv2d_s8(const TransposeConv2dS8& c, const int8_t* input, int8_t* output, void*) {
  const int32_t taps = c.kernel_h * c.kernel_w * c.in_c;
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * c.in_w * c.in_c) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const Reach rows = reach(oy, c.pad_h, c.stride_h, c.kernel_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox) {
        const Reach columns = reach(ox, c.pad_w, c.stride_w, c.kernel_w, c.in_w);
        for (int32_t o = 0; o < c.out_c; ++o) {
          uint32_t acc[1] = {c.bias != nullptr ? static_cast<uint32_t>(c.bias[o]) : 0};
          for (int32_t ky = rows.first, y = rows.position; ky < rows.end; ky += c.stride_h, --y) {
            for (int32_t kx = columns.first, x = columns.position; kx < columns.end; kx += c.stride_w, --x) {
              dot_offsets(acc, input + (y * c.in_w + x) * c.in_c,
                          c.weights + o * taps + (ky * c.kernel_w + kx) * c.in_c, 0, c.in_c, c.input_offset, 0);
            }
          }
          *output++ = requantized(static_cast<int32_t>(acc[0]), c.multiplier[o], c.shift[o], c.output_offset, c.act_min,
                                  c.act_max);
        }
      }
    }
  }
}

}  // namespace wick::kernels::scalar
