#include "compiler/lower_cortex_m/scratch.h"

#include <algorithm>

namespace wick::compiler {

namespace {

int64_t align4(int64_t n) { return (n + 3) / 4 * 4; }

int64_t generic_bytes(int64_t taps, Isa isa) { return isa == Isa::kMve ? 64 * ((taps + 15) / 16) : 4 * align4(taps); }

bool is_1x1(const ConvShape& s) {
  return s.pad_h == 0 && s.pad_w == 0 && s.kernel_h == 1 && s.kernel_w == 1 && s.dilation_h == 1 && s.dilation_w == 1 &&
         s.groups == 1;
}

bool is_1xn(const ConvShape& s) {
  return s.in_h == 1 && s.dilation_w == 1 && s.kernel_h == 1 && (s.stride_w * s.in_c) % 4 == 0 && s.groups == 1;
}

// One row of an image with borders, for Helium.
int64_t row_bytes(const ConvShape& s) {
  const int64_t c = s.in_c, kx = s.kernel_w, sx = s.stride_w, px = s.pad_w;
  const int64_t asym = ((s.out_w - 1) * sx + kx - s.in_w) % 2;
  const int64_t right = px + asym != 0 ? std::max<int64_t>(1, (px + asym + sx - 1) / sx) : 0;
  const int64_t left = px != 0 ? std::max<int64_t>(1, (px + sx - 1) / sx) : 0;
  const int64_t middle = std::max<int64_t>(s.out_w - right - left, 0);
  if (right + middle + left != s.out_w) return generic_bytes(s.kernel_h * kx * c, Isa::kMve);
  return std::max(kx * c + px * c, (kx - 1) * c + (asym != 0 ? right * c : px * c));
}

}  // namespace

int64_t conv_scratch_bytes(const ConvShape& s, Isa isa) {
  if (is_1x1(s)) return 0;
  if (isa == Isa::kMve && is_1xn(s)) return row_bytes(s);
  return generic_bytes(s.kernel_h * s.kernel_w * s.in_c, isa);
}

int64_t depthwise_scratch_bytes(const ConvShape& s, Isa isa) {
  const int64_t taps = s.kernel_h * s.kernel_w;
  const bool plain = s.in_c == s.out_c && s.batch == 1 && s.dilation_h == 1 && s.dilation_w == 1;
  if (isa == Isa::kMve && s.in_c == 1 && s.out_c > 1)
    return std::max(496 * taps, generic_bytes(taps, isa) + taps * s.out_c);
  if (!plain || isa == Isa::kScalar) return 0;
  if (isa == Isa::kMve) return 496 * taps;
  const bool small = s.kernel_h == 3 && s.kernel_w == 3 && s.pad_h <= 1 && s.pad_w <= 1;
  return small ? 0 : 2 * s.in_c * taps;
}

TransposeScratch transpose_conv_scratch_bytes(const ConvShape& s, Isa isa) {
  if (s.stride_h <= 2 && s.stride_w <= 2 && s.in_c > 16) {
    return {generic_bytes(s.kernel_h * s.kernel_w * s.in_c, isa), s.in_c * s.kernel_w * s.kernel_h * s.out_c};
  }
  // The larger stride too: what the kernel writes is that wide.
  const int64_t width = (s.in_w - 1) * s.stride_w + std::max({s.kernel_w, s.stride_h, s.stride_w});
  return {4 * width * s.out_c * std::max(s.kernel_h, s.stride_h), 0};
}

int64_t avg_pool_scratch_bytes(int64_t channels, Isa isa) { return isa == Isa::kDsp ? 4 * channels : 0; }
int64_t batch_matmul_scratch_bytes(int64_t columns, Isa isa) { return isa == Isa::kMve ? 4 * columns : 0; }

}  // namespace wick::compiler
