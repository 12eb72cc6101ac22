// The padded copy of a part of an image, from which every window is read as one that lies inside.
#include "kernels/dsp/conv2d_plan.h"
#include "kernels/dsp/simd.h"

extern "C" void wick_dsp_copy(int8_t* to, const int8_t* from, int32_t bytes);

namespace wick::kernels::dsp {

namespace {

void fill(int8_t* to, int32_t bytes, int8_t value) {
  for (; bytes >= 4; bytes -= 4, to += 4) store4(to, splat4(value));
  for (; bytes > 0; --bytes) *to++ = value;
}

}  // namespace

void copy_image(const Conv2dS8& c, const Block& block, const int8_t* image, int32_t oy, int32_t ox, int32_t lines,
                int32_t columns, int8_t* copy) {
  const int32_t x = ox * c.stride_w - c.pad_w;
  const int32_t before = x < 0 ? (-x < columns ? -x : columns) : 0;
  const int32_t inside = c.in_w - x - before < columns - before ? c.in_w - x - before : columns - before;
  const int32_t image_bytes = (inside > 0 ? inside : 0) * c.in_c;
  const int32_t before_bytes = image_bytes > 0 ? before * c.in_c : columns * c.in_c;
  const int32_t after_bytes = columns * c.in_c - before_bytes - image_bytes;
  const int8_t zero = static_cast<int8_t>(-c.input_offset);
  int8_t* to = copy + block.lead;
  const int32_t first = oy * c.stride_h - c.pad_h;
  for (int32_t y = first; y < first + lines; ++y, to += block.line_bytes) {
    if (y < 0 || y >= c.in_h || image_bytes == 0) {
      fill(to, columns * c.in_c, zero);
      continue;
    }
    fill(to, before_bytes, zero);
    wick_dsp_copy(to + before_bytes, image + (y * c.in_w + x + before) * c.in_c, image_bytes);
    fill(to + before_bytes + image_bytes, after_bytes, zero);
  }
}

}  // namespace wick::kernels::dsp
