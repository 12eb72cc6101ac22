// Elementwise INT8 kernels, one element at a time: the definitions that the other instruction sets are held to.
#include "core/quant.h"
#include "kernels/binary_runs.h"
#include "kernels/kernels.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::scalar {

KernelMemory add_s8_plan(AddS8&, const BinaryShape&) { return {}; }

void add_s8(const AddS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output, void*) {
  constexpr int32_t kHeadroom = 20;
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; ++i) {
      const int32_t p = wrap_shl(x[i * shape.a_step] - c.a_zero_point, kHeadroom);
      const int32_t q = wrap_shl(y[i * shape.b_step] - c.b_zero_point, kHeadroom);
      const int32_t sum = wrap_add(requantize(p, c.a_multiplier, c.a_shift), requantize(q, c.b_multiplier, c.b_shift));
      out[i] = requantized(sum, c.multiplier, c.shift, c.zero_point, c.act_min, c.act_max);
    }
  });
}

void mul_s8(const MulS8& c, const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; ++i) {
      const int32_t product = (x[i * shape.a_step] - c.a_zero_point) * (y[i * shape.b_step] - c.b_zero_point);
      out[i] = requantized(product, c.multiplier, c.shift, c.zero_point, -128, 127);
    }
  });
}

void minimum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; ++i) {
      const int8_t p = x[i * shape.a_step], q = y[i * shape.b_step];
      out[i] = p < q ? p : q;
    }
  });
}

void maximum_s8(const BinaryShape& shape, const int8_t* a, const int8_t* b, int8_t* output) {
  for_each_run(shape, a, b, output, [&](const int8_t* x, const int8_t* y, int8_t* out) {
    for (uint32_t i = 0; i < shape.inner; ++i) {
      const int8_t p = x[i * shape.a_step], q = y[i * shape.b_step];
      out[i] = p > q ? p : q;
    }
  });
}

void lut_s8(const int8_t* lut, const int8_t* input, int8_t* output, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) output[i] = lut[input[i] + 128];
}

}  // namespace wick::kernels::scalar
