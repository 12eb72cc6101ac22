#include "kernels/quantize_any.h"

#include <cmath>

#include "kernels/element.h"

namespace wick::kernels {

namespace {

struct Parameters {
  float scale;
  int64_t zero_point;
};

Parameters parameters_at(const Quantization& q, int32_t at) {
  Parameters r{q.scale, q.zero_point};
  if (q.scales != nullptr) r.scale = load_f32(q.scales, q.scale_dtype, at);
  if (q.zero_points != nullptr) r.zero_point = load_i64(q.zero_points, q.zero_point_dtype, at);
  return r;
}

// Calls each(output, input, parameters) for every element.
template <typename Function>
void for_each_element(const Quantization& q, Function&& each) {
  q.elements.for_each_run([&](const int32_t(&at)[3]) {
    int32_t out = at[0], in = at[1], p = at[2];
    Parameters parameters = parameters_at(q, p);
    for (int32_t i = 0; i < q.elements.inner_size(); ++i) {
      each(out, in, parameters);
      out += q.elements.inner_step(0);
      in += q.elements.inner_step(1);
      if (q.elements.inner_step(2) == 0 || i + 1 == q.elements.inner_size()) continue;
      p += q.elements.inner_step(2);
      parameters = parameters_at(q, p);
    }
  });
}

}  // namespace

void quantize_any(const Quantization& q, const void* input, void* output) {
  for_each_element(q, [&](int32_t out, int32_t in, const Parameters& p) {
    const float steps = std::nearbyint(load_f32(input, q.real, in) * (1.0f / p.scale));
    int64_t value = p.zero_point;
    // Beyond this any zero point is too small to matter; NaN stays at it.
    if (steps > 0x1p40f) {
      value = q.quant_max;
    } else if (steps < -0x1p40f) {
      value = q.quant_min;
    } else if (steps == steps) {
      value = static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(static_cast<int64_t>(steps)));
    }
    value = value < q.quant_min ? q.quant_min : value > q.quant_max ? q.quant_max : value;
    store_i64(output, q.integer, out, value);
  });
}

void dequantize_any(const Quantization& q, const void* input, void* output) {
  for_each_element(q, [&](int32_t out, int32_t in, const Parameters& p) {
    const uint64_t distance =
        static_cast<uint64_t>(load_i64(input, q.integer, in)) - static_cast<uint64_t>(p.zero_point);
    store_f32(output, q.real, out, static_cast<float>(static_cast<int64_t>(distance)) * p.scale);
  });
}

}  // namespace wick::kernels
