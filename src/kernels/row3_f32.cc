// Weights stay in registers. When outputs follow each other as the taps do, so does the window: each output then takes
// one new column instead of three. A tap outside the input counts as a column of zeros.
#include "kernels/row3_f32.h"

namespace wick::kernels {

namespace {

template <int kRows>
[[gnu::always_inline]] inline void load_column(const float* (&x)[kRows], int32_t step, float (&column)[kRows]) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    column[r] = *x[r];
    x[r] += step;
  }
}

template <int kRows>
[[gnu::always_inline]] inline void load_or_skip_column(bool skip, const float* (&x)[kRows], int32_t step,
                                                       float (&column)[kRows]) {
  if (!skip) return load_column<kRows>(x, step, column);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    column[r] = 0.0f;
    x[r] += step;
  }
}

template <int kRows>
[[gnu::always_inline]] inline float sum_columns(float bias, const float (&w)[3][kRows], const float (&a)[kRows],
                                                const float (&b)[kRows], const float (&c)[kRows]) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) bias += a[r] * w[0][r];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) bias += b[r] * w[1][r];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) bias += c[r] * w[2][r];
  return bias;
}

template <int kRows>
[[gnu::noinline]] void run(const Row3& s, const float* x, const float* weights, float bias, float* out, int32_t count,
                           bool first_cut, bool last_cut) {
  float w[3][kRows], a[kRows], b[kRows], c[kRows];
  const float* xs[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    xs[r] = x + r * s.x_row;
#pragma GCC unroll 4
    for (int k = 0; k < 3; ++k) w[k][r] = weights[r * s.w_row + k * s.w_tap];
  }
  const int32_t step = s.x_tap, out_step = s.out_output;
  load_or_skip_column<kRows>(first_cut, xs, step, a);
  if (s.x_output == step) {
    int32_t whole = last_cut ? count - 1 : count;
    load_column<kRows>(xs, step, b);
    while (whole > 0) {
      load_column<kRows>(xs, step, c);
      *out = sum_columns<kRows>(bias, w, a, b, c);
      out += out_step;
      if (--whole == 0) break;
      load_column<kRows>(xs, step, a);
      *out = sum_columns<kRows>(bias, w, b, c, a);
      out += out_step;
      if (--whole == 0) break;
      load_column<kRows>(xs, step, b);
      *out = sum_columns<kRows>(bias, w, c, a, b);
      out += out_step;
      --whole;
    }
    if (!last_cut) return;
      // The last window begins one tap after the last whole one, wherever the rotation stood.
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) xs[r] -= 2 * step;
    load_column<kRows>(xs, step, a);
    load_column<kRows>(xs, step, b);
    load_or_skip_column<kRows>(true, xs, step, c);
    *out = sum_columns<kRows>(bias, w, a, b, c);
    return;
  }
  const int32_t onward = s.x_output - 2 * step;
  for (;;) {
    load_column<kRows>(xs, step, b);
    load_or_skip_column<kRows>(last_cut && count == 1, xs, onward, c);
    *out = sum_columns<kRows>(bias, w, a, b, c);
    out += out_step;
    if (--count == 0) return;
    load_column<kRows>(xs, step, a);
  }
}

}  // namespace

void row3_f32(const Row3& r, int32_t rows, const float* x, const float* w, float bias, float* out, int32_t count,
              bool first_cut, bool last_cut) {
  if (rows == 3) {
    run<3>(r, x, w, bias, out, count, first_cut, last_cut);
  } else {
    run<2>(r, x, w, bias, out, count, first_cut, last_cut);
  }
}

}  // namespace wick::kernels
