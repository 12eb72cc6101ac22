#include "compiler/quantize/float_math.h"

#include <algorithm>
#include <utility>

namespace wick::compiler {

namespace {

int64_t volume(const int64_t (&sizes)[3]) { return sizes[0] * sizes[1] * sizes[2]; }

// Vectors of what the machine has; no result depends on their length.
#if defined(__x86_64__)
#define WICK_WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WICK_WIDEST
#endif

// acc[j] += x * row[j]: columns are independent.
WICK_WIDEST void add_scaled(double* acc, const double* row, double x, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) acc[j] += x * row[j];
}

// A fused multiply-add: the product is exact in double, the sum is rounded to float32.
float fused(float sum, double x, double y) { return static_cast<float>(static_cast<double>(sum) + x * y); }
WICK_WIDEST void add_fused(float* acc, const double* row, double x, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) acc[j] = fused(acc[j], x, row[j]);
}

// Visits every kernel position that lies inside the input: visit(index in the kernel, index in a channel's plane).
template <typename Visit>
void for_each_tap(const ConvShape& s, const int64_t (&at)[3], Visit visit) {
  int64_t start[3];
  for (int d = 0; d < 3; ++d) start[d] = at[d] * s.stride[d] - s.padding[d];
  for (int64_t a = 0; a < s.kernel[0]; ++a) {
    const int64_t z = start[0] + a * s.dilation[0];
    if (z < 0 || z >= s.in[0]) continue;
    for (int64_t b = 0; b < s.kernel[1]; ++b) {
      const int64_t y = start[1] + b * s.dilation[1];
      if (y < 0 || y >= s.in[1]) continue;
      for (int64_t c = 0; c < s.kernel[2]; ++c) {
        const int64_t x = start[2] + c * s.dilation[2];
        if (x < 0 || x >= s.in[2]) continue;
        visit((a * s.kernel[1] + b) * s.kernel[2] + c, (z * s.in[1] + y) * s.in[2] + x);
      }
    }
  }
}

}  // namespace

void convolve(const ConvShape& s, const float* input, const float* weight, const float* bias, float* out) {
  const int64_t taps = volume(s.kernel), in_plane = volume(s.in), out_plane = volume(s.out);
  const int64_t in_group = s.in_channels / s.groups, out_group = s.out_channels / s.groups;
  // Weights by [group][input channel][tap][output channel], so that the innermost loop runs over outputs.
  std::vector<double> turned(static_cast<size_t>(s.groups * in_group * taps * out_group));
  for (int64_t o = 0; o < s.out_channels; ++o) {
    for (int64_t i = 0; i < in_group * taps; ++i) {
      turned[static_cast<size_t>(((o / out_group) * in_group * taps + i) * out_group + o % out_group)] =
          static_cast<double>(weight[o * in_group * taps + i]);
    }
  }
  std::vector<float> acc(static_cast<size_t>(out_group));
  std::vector<std::pair<int64_t, int64_t>> inside;  // taps that fall on the input, and where
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t p = 0; p < out_plane; ++p) {
      const int64_t at[3] = {p / (s.out[1] * s.out[2]), p / s.out[2] % s.out[1], p % s.out[2]};
      inside.clear();
      for_each_tap(s, at, [&inside](int64_t tap, int64_t place) { inside.emplace_back(tap, place); });
      for (int64_t g = 0; g < s.groups; ++g) {
        const float* from = input + (n * s.in_channels + g * in_group) * in_plane;
        const double* rows = turned.data() + g * in_group * taps * out_group;
        std::fill(acc.begin(), acc.end(), 0.0f);
        for (int64_t i = 0; i < in_group; ++i) {
          for (const auto& [tap, place] : inside) {
            const auto x = static_cast<double>(from[i * in_plane + place]);
            if (out_group == 1) {
              acc[0] = fused(acc[0], x, rows[i * taps + tap]);
            } else if (x != 0) {
              add_fused(acc.data(), rows + (i * taps + tap) * out_group, x, out_group);
            }
          }
        }
        for (int64_t o = 0; o < out_group; ++o) {
          const int64_t channel = g * out_group + o;
          out[(n * s.out_channels + channel) * out_plane + p] =
              acc[static_cast<size_t>(o)] + (bias == nullptr ? 0.0f : bias[channel]);
        }
      }
    }
  }
}

void convolve_transposed(const ConvShape& s, const float* input, const float* weight, const float* bias, float* out) {
  const int64_t taps = volume(s.kernel), in_plane = volume(s.in), out_plane = volume(s.out);
  const int64_t in_group = s.in_channels / s.groups, out_group = s.out_channels / s.groups;
  // An output of this convolution is an input of the ordinary one that runs backwards.
  ConvShape back = s;
  std::swap_ranges(back.in, back.in + 3, back.out);
  std::vector<float> sums(static_cast<size_t>(out_plane));
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const int64_t g = o / out_group;
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (int64_t i = g * in_group; i < (g + 1) * in_group; ++i) {
        const float* kernel = weight + (i * out_group + o % out_group) * taps;
        for (int64_t p = 0; p < in_plane; ++p) {
          const int64_t at[3] = {p / (s.in[1] * s.in[2]), p / s.in[2] % s.in[1], p % s.in[2]};
          const auto x = static_cast<double>(input[(n * s.in_channels + i) * in_plane + p]);
          for_each_tap(back, at, [&](int64_t tap, int64_t place) {
            float& sum = sums[static_cast<size_t>(place)];
            sum = fused(sum, x, static_cast<double>(kernel[tap]));
          });
        }
      }
      for (int64_t p = 0; p < out_plane; ++p) {
        out[(n * s.out_channels + o) * out_plane + p] =
            sums[static_cast<size_t>(p)] + (bias == nullptr ? 0.0f : bias[o]);
      }
    }
  }
}

void multiply(const MatmulShape& s, const float* left, const float* right, const float* bias, float* out) {
  std::vector<double> turned(static_cast<size_t>(s.inner * s.columns)), acc(static_cast<size_t>(s.columns));
  for (int64_t k = 0; k < s.inner; ++k) {
    for (int64_t j = 0; j < s.columns; ++j) {
      turned[static_cast<size_t>(k * s.columns + j)] =
          static_cast<double>(right[k * s.right_k_stride + j * s.right_j_stride]);
    }
  }
  for (int64_t i = 0; i < s.rows; ++i) {
    for (int64_t j = 0; j < s.columns; ++j) {
      acc[static_cast<size_t>(j)] = bias == nullptr ? 0.0 : static_cast<double>(bias[j]);
    }
    for (int64_t k = 0; k < s.inner; ++k) {
      add_scaled(acc.data(), turned.data() + k * s.columns, static_cast<double>(left[i * s.inner + k]), s.columns);
    }
    for (int64_t j = 0; j < s.columns; ++j) out[i * s.columns + j] = static_cast<float>(acc[static_cast<size_t>(j)]);
  }
}

}  // namespace wick::compiler
