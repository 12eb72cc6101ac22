// Float convolution against its definition on small integers, where every sum is exact: kinds, groups, strides, memory
// orders and dtypes.
#include "kernels/conv_float.h"

#include <doctest.h>

#include <cstdint>
#include <cstring>

#include "kernels/element.h"

namespace wick::kernels {
namespace {

uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
int32_t pick(uint32_t& state, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(next_random(state) % static_cast<uint32_t>(high - low + 1));
}

constexpr int32_t kMost = 4096;
alignas(8) uint8_t input_bytes[kMost * 8], weight_bytes[kMost * 8], bias_bytes[64 * 8], output_bytes[kMost * 8];

void fill(void* data, DType dtype, int32_t count, uint32_t& state) {
  for (int32_t i = 0; i < count; ++i) store_f32(data, dtype, i, static_cast<float>(pick(state, -4, 4)));
}

// Steps of [a][b][c][d] stored contiguously, or with b innermost.
struct Steps4 {
  int32_t a, b, c, d;
};
Steps4 steps_of(int32_t b, int32_t c, int32_t d, bool channels_last) {
  return channels_last ? Steps4{b * c * d, 1, d * b, b} : Steps4{b * c * d, c * d, d, 1};
}

struct Case {
  int32_t batch, groups, in_per_group, out_per_group;
  ConvAxis v, h;
  bool transposed, in_last, out_last, w_last;
  DType dtype;
  bool has_bias;
};

int32_t out_size(const ConvAxis& a, bool transposed, int32_t extra) {
  return transposed ? (a.in - 1) * a.stride - 2 * a.pad + a.dilation * (a.kernel - 1) + extra + 1
                    : (a.in + 2 * a.pad - a.dilation * (a.kernel - 1) - 1) / a.stride + 1;
}

float expected(const Case& k, const Steps4& in, const Steps4& w, int32_t n, int32_t o, int32_t oy, int32_t ox) {
  const int32_t g = o / k.out_per_group;
  float sum = k.has_bias ? load_f32(bias_bytes, k.dtype, o) : 0.0f;
  for (int32_t i = 0; i < k.in_per_group; ++i) {
    for (int32_t ky = 0; ky < k.v.kernel; ++ky) {
      for (int32_t kx = 0; kx < k.h.kernel; ++kx) {
        int32_t y, x;
        if (k.transposed) {
          y = oy + k.v.pad - ky * k.v.dilation;
          x = ox + k.h.pad - kx * k.h.dilation;
          if (y % k.v.stride != 0 || x % k.h.stride != 0) continue;
          y /= k.v.stride;
          x /= k.h.stride;
        } else {
          y = oy * k.v.stride - k.v.pad + ky * k.v.dilation;
          x = ox * k.h.stride - k.h.pad + kx * k.h.dilation;
        }
        if (y < 0 || y >= k.v.in || x < 0 || x >= k.h.in) continue;
        const int32_t channel = g * k.in_per_group + i;
        const int32_t w_at = k.transposed ? channel * w.a + (o % k.out_per_group) * w.b : o * w.a + i * w.b;
        sum += load_f32(input_bytes, k.dtype, n * in.a + channel * in.b + y * in.c + x * in.d) *
               load_f32(weight_bytes, k.dtype, w_at + ky * w.c + kx * w.d);
      }
    }
  }
  return sum;
}

void check(const Case& k, uint32_t seed) {
  const int32_t in_c = k.groups * k.in_per_group, out_c = k.groups * k.out_per_group;
  const Steps4 in = steps_of(in_c, k.v.in, k.h.in, k.in_last);
  const Steps4 out = steps_of(out_c, k.v.out, k.h.out, k.out_last);
  const Steps4 w = steps_of(k.transposed ? k.out_per_group : k.in_per_group, k.v.kernel, k.h.kernel, k.w_last);
  const int32_t in_count = k.batch * in.a, out_count = k.batch * out.a;
  const int32_t w_count = (k.transposed ? in_c : out_c) * w.a;
  REQUIRE(in_count <= kMost);
  REQUIRE(out_count <= kMost);
  REQUIRE(w_count <= kMost);
  fill(input_bytes, k.dtype, in_count, seed);
  fill(weight_bytes, k.dtype, w_count, seed);
  fill(bias_bytes, k.dtype, out_c, seed);
  std::memset(output_bytes, 0x7f, sizeof output_bytes);

  ConvFloat c{};
  c.v = k.v;
  c.h = k.h;
  c.v.in_step = in.c, c.v.out_step = out.c, c.v.w_step = w.c;
  c.h.in_step = in.d, c.h.out_step = out.d, c.h.w_step = w.d;
  c.batch = k.batch, c.groups = k.groups, c.in_per_group = k.in_per_group, c.out_per_group = k.out_per_group;
  c.in_batch = in.a, c.in_channel = in.b, c.out_batch = out.a, c.out_channel = out.b;
  c.w_group = (k.transposed ? k.in_per_group : k.out_per_group) * w.a;
  c.w_out = k.transposed ? w.b : w.a;
  c.w_in = k.transposed ? w.a : w.b;
  c.transposed = k.transposed;
  c.dtype = c.bias_dtype = k.dtype;
  conv_float_plan(c);
  conv_float(c, input_bytes, weight_bytes, k.has_bias ? bias_bytes : nullptr, output_bytes);

  for (int32_t n = 0; n < k.batch; ++n) {
    for (int32_t o = 0; o < out_c; ++o) {
      for (int32_t y = 0; y < k.v.out; ++y) {
        for (int32_t x = 0; x < k.h.out; ++x) {
          CAPTURE(n);
          CAPTURE(o);
          CAPTURE(y);
          CAPTURE(x);
          REQUIRE(load_f32(output_bytes, k.dtype, n * out.a + o * out.b + y * out.c + x * out.d) ==
                  expected(k, in, w, n, o, y, x));
        }
      }
    }
  }
}

ConvAxis random_axis(uint32_t& state, bool transposed) {
  for (;;) {
    ConvAxis a{};
    a.in = pick(state, 1, 11);
    a.kernel = pick(state, 1, 4);
    a.stride = pick(state, 1, 3);
    a.pad = pick(state, 0, 4);
    a.dilation = pick(state, 1, 3);
    a.out = out_size(a, transposed, transposed ? pick(state, 0, a.stride - 1) : 0);
    const bool too_small = !transposed && a.in + 2 * a.pad < a.dilation * (a.kernel - 1) + 1;
    if (!too_small && a.out >= 1 && a.out <= 30) return a;
  }
}

Case random_case(uint32_t& state) {
  for (;;) {
    Case k{};
    k.transposed = next_random(state) % 3 == 0;
    k.batch = pick(state, 1, 2);
    k.groups = pick(state, 1, 3);
    k.in_per_group = pick(state, 1, 4);
    k.out_per_group = pick(state, 1, 9);
    k.v = random_axis(state, k.transposed);
    k.h = random_axis(state, k.transposed);
    k.in_last = next_random(state) % 2 == 0;
    k.out_last = next_random(state) % 2 == 0;
    k.w_last = next_random(state) % 2 == 0;
    const uint32_t type = next_random(state) % 8;
    k.dtype = type == 0   ? DType::kFloat16
              : type == 1 ? DType::kBFloat16
              : type == 2 ? DType::kFloat64
                          : DType::kFloat32;
    k.has_bias = next_random(state) % 3 != 0;
    const int32_t in = k.batch * k.groups * k.in_per_group * k.v.in * k.h.in;
    const int32_t out = k.batch * k.groups * k.out_per_group * k.v.out * k.h.out;
    if (in <= kMost && out <= kMost) return k;
  }
}

TEST_CASE("conv_float equals the definition on random shapes") {
  uint32_t state = 20261201;
  for (int i = 0; i < 150; ++i) {
    const uint32_t seed = state;
    CAPTURE(seed);
    const Case k = random_case(state);
    CAPTURE(k.transposed);
    CAPTURE(k.groups);
    CAPTURE(k.in_per_group);
    CAPTURE(k.out_per_group);
    CAPTURE(k.v.in);
    CAPTURE(k.v.kernel);
    CAPTURE(k.v.stride);
    CAPTURE(k.v.pad);
    CAPTURE(k.v.dilation);
    CAPTURE(k.h.in);
    CAPTURE(k.h.kernel);
    CAPTURE(k.h.stride);
    CAPTURE(k.h.pad);
    CAPTURE(k.h.dilation);
    CAPTURE(static_cast<int>(k.dtype));
    check(k, seed);
  }
}

TEST_CASE("conv_float fuses a pointwise convolution's image into one row") {
  ConvFloat c{};
  c.v = ConvAxis{5, 5, 1, 1, 0, 3, 7, 7, 1};
  c.h = ConvAxis{7, 7, 1, 1, 0, 1, 1, 1, 1};
  conv_float_plan(c);
  CHECK(c.h.out == 35);
  CHECK(c.v.out == 1);
}

TEST_CASE("conv_float runs along the longer axis when rows are short") {
  ConvFloat c{};
  c.v = ConvAxis{49, 49, 3, 1, 1, 1, 1, 1, 1};
  c.h = ConvAxis{1, 1, 1, 1, 0, 1, 1, 1, 1};
  conv_float_plan(c);
  CHECK(c.h.out == 49);
}

}  // namespace
}  // namespace wick::kernels
