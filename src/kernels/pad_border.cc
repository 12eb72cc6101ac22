#include "kernels/pad_border.h"

#include "kernels/move_element.h"

namespace wick::kernels {

namespace {

// The input position that output position o shows. Reflection reaches less than one image far.
int32_t source(const PadAxis& a, int32_t o, bool reflect) {
  const int32_t at = o - a.before, last = a.in - 1;
  if (at < 0) return reflect ? -at : 0;
  if (at > last) return reflect ? 2 * last - at : last;
  return at;
}

void pad_image(const PadBorder& p, const uint8_t* input, uint8_t* output) {
  const PadAxis &outer = p.axes[0], &middle = p.axes[1], &inner = p.axes[2];
  for (int32_t z = 0; z < outer.out; ++z) {
    for (int32_t y = 0; y < middle.out; ++y) {
      const uint8_t* from =
          input + source(outer, z, p.reflect) * outer.from_step + source(middle, y, p.reflect) * middle.from_step;
      uint8_t* to = output + z * outer.to_step + y * middle.to_step;
      for (int32_t x = 0; x < inner.out; ++x, to += inner.to_step) {
        move_element(to, from + source(inner, x, p.reflect) * inner.from_step, p.element_bytes);
      }
    }
  }
}

}  // namespace

void pad_border(const PadBorder& p, const uint8_t* input, uint8_t* output) {
  p.images.for_each_run([&](const int32_t(&at)[2]) {
    int32_t to = at[0], from = at[1];
    for (int32_t i = 0; i < p.images.inner_size(); ++i) {
      pad_image(p, input + from, output + to);
      to += p.images.inner_step(0);
      from += p.images.inner_step(1);
    }
  });
}

}  // namespace wick::kernels
