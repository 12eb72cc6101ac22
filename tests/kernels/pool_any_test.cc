// Float and generic pools against worked examples and, on random shapes and memory orders, against their definition.
#include "kernels/pool_any.h"

#include <doctest.h>

#include <cmath>
#include <cstdint>

#include "kernels/element.h"
#include "support/random.h"

namespace wick::kernels {
namespace {

using test::Random;

constexpr int32_t kMost = 4096;
alignas(8) uint8_t input[kMost * 8], output[kMost * 8];
int64_t indices[kMost];

ImageSteps steps_of(int32_t c, int32_t h, int32_t w, bool channels_last) {
  return channels_last ? ImageSteps{c * h * w, 1, w * c, c} : ImageSteps{c * h * w, h * w, w, 1};
}
int32_t at(const ImageSteps& s, int32_t n, int32_t c, int32_t y, int32_t x) {
  return n * s.batch + c * s.channel + y * s.row + x * s.column;
}
void put(DType dtype, int32_t i, int32_t value) {
  if (is_floating(dtype)) return store_f32(input, dtype, i, static_cast<float>(value));
  store_i64(input, dtype, i, value);
}
double get(const void* data, DType dtype, int32_t i) {
  return is_floating(dtype) ? load_f64(data, dtype, i) : static_cast<double>(load_i64(data, dtype, i));
}

PoolAxis random_axis(Random& random, bool dilated, bool ceil_mode) {
  for (;;) {
    PoolAxis a{};
    a.in = random.in(1, 9);
    a.kernel = random.in(1, 4);
    a.stride = random.in(1, 3);
    a.dilation = dilated ? random.in(1, 2) : 1;
    const int32_t reach = a.dilation * (a.kernel - 1) + 1;
    a.pad = random.in(0, reach / 2);
    const int32_t room = a.in + 2 * a.pad - reach;
    if (room < 0) continue;
    a.out = (room + (ceil_mode ? a.stride - 1 : 0)) / a.stride + 1;
    if (ceil_mode && (a.out - 1) * a.stride >= a.in + a.pad) --a.out;
    return a;
  }
}

Pool random_pool(Random& random, bool dilated, DType dtype) {
  Pool c{};
  const bool ceil_mode = random.in(0, 1) != 0;
  c.v = random_axis(random, dilated, ceil_mode);
  c.h = random_axis(random, dilated, ceil_mode);
  c.batch = random.in(1, 2);
  c.channels = random.in(1, 4);
  c.in_steps = steps_of(c.channels, c.v.in, c.h.in, random.in(0, 1) != 0);
  c.out_steps = steps_of(c.channels, c.v.out, c.h.out, random.in(0, 1) != 0);
  c.index_steps = steps_of(c.channels, c.v.out, c.h.out, random.in(0, 1) != 0);
  c.dtype = dtype;
  for (int32_t i = 0; i < c.batch * c.in_steps.batch; ++i) put(dtype, i, random.in(-20, 20));
  return c;
}

TEST_CASE("maximum_pool equals the definition in every dtype and memory order") {
  const DType dtypes[] = {DType::kFloat32, DType::kInt8,  DType::kFloat16, DType::kFloat64,
                          DType::kInt16,   DType::kInt32, DType::kInt64,   DType::kBFloat16};
  Random random(7);
  for (int i = 0; i < 160; ++i) {
    const Pool c = random_pool(random, true, dtypes[i % 8]);
    maximum_pool(c, input, output, indices);
    CAPTURE(i);
    for (int32_t n = 0; n < c.batch; ++n) {
      for (int32_t ch = 0; ch < c.channels; ++ch) {
        for (int32_t oy = 0; oy < c.v.out; ++oy) {
          for (int32_t ox = 0; ox < c.h.out; ++ox) {
            double best = -1e30;
            int64_t where = -1;
            for (int32_t ky = 0; ky < c.v.kernel; ++ky) {
              for (int32_t kx = 0; kx < c.h.kernel; ++kx) {
                const int32_t y = oy * c.v.stride - c.v.pad + ky * c.v.dilation;
                const int32_t x = ox * c.h.stride - c.h.pad + kx * c.h.dilation;
                if (y < 0 || y >= c.v.in || x < 0 || x >= c.h.in) continue;
                const double value = get(input, c.dtype, at(c.in_steps, n, ch, y, x));
                if (value > best) best = value, where = y * c.h.in + x;
              }
            }
            if (where < 0) continue;  // the window misses the image
            REQUIRE(get(output, c.dtype, at(c.out_steps, n, ch, oy, ox)) == best);
            REQUIRE(indices[at(c.index_steps, n, ch, oy, ox)] == where);
          }
        }
      }
    }
  }
}

TEST_CASE("maximum_pool lets the first of equal elements win and passes NaN on") {
  Pool c{};
  c.v = {1, 1, 1, 1, 0, 1};
  c.h = {4, 2, 2, 2, 0, 1};
  c.batch = c.channels = 1;
  c.in_steps = c.out_steps = c.index_steps = {4, 4, 4, 1};
  c.dtype = DType::kFloat32;
  const float x[4] = {3.0f, 3.0f, NAN, 5.0f};
  float y[2];
  maximum_pool(c, x, y, indices);
  CHECK(y[0] == 3.0f);
  CHECK(indices[0] == 0);
  CHECK(std::isnan(y[1]));
  CHECK(indices[1] == 2);
}

TEST_CASE("average_pool divides as asked") {
  Random random(11);
  for (int i = 0; i < 120; ++i) {
    const DType dtype = i % 3 == 0 ? DType::kFloat64 : DType::kFloat32;
    Pool c = random_pool(random, false, dtype);
    c.count_include_pad = random.in(0, 1) != 0;
    c.divisor = random.in(0, 2) == 0 ? 4 : 0;
    average_pool(c, input, output);
    CAPTURE(i);
    for (int32_t ch = 0; ch < c.channels; ++ch) {
      for (int32_t oy = 0; oy < c.v.out; ++oy) {
        for (int32_t ox = 0; ox < c.h.out; ++ox) {
          double sum = 0;
          int32_t inside = 0, padded = 0;
          for (int32_t ky = 0; ky < c.v.kernel; ++ky) {
            for (int32_t kx = 0; kx < c.h.kernel; ++kx) {
              const int32_t y = oy * c.v.stride - c.v.pad + ky, x = ox * c.h.stride - c.h.pad + kx;
              if (y >= c.v.in + c.v.pad || x >= c.h.in + c.h.pad) continue;
              ++padded;
              if (y < 0 || y >= c.v.in || x < 0 || x >= c.h.in) continue;
              ++inside;
              sum += get(input, dtype, at(c.in_steps, 0, ch, y, x));
            }
          }
          const int32_t divisor = c.divisor != 0 ? 4 : c.count_include_pad ? padded : inside;
          const double mean = inside == 0 ? 0 : sum / divisor;
          REQUIRE(get(output, dtype, at(c.out_steps, 0, ch, oy, ox)) == doctest::Approx(mean).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("average_pool adapts its windows to the output's size") {
  Pool c{};
  c.v = {1, 1, 0, 0, 0, 0};
  c.h = {5, 3, 0, 0, 0, 0};
  c.batch = c.channels = 1;
  c.in_steps = c.out_steps = {5, 5, 5, 1};
  c.dtype = DType::kFloat32;
  c.adaptive = true;
  const float x[5] = {1, 2, 3, 4, 5};
  float y[3];
  average_pool(c, x, y);
  CHECK(y[0] == 1.5f);  // 0, 1
  CHECK(y[1] == 3.0f);  // 1, 2, 3
  CHECK(y[2] == 4.5f);  // 3, 4
}

}  // namespace
}  // namespace wick::kernels
