// Short windows (at most 64 bytes) as rows: what the unrolled matrix cores read. Knows windows, padding and bands of
// image rows; refuses to know weights' arithmetic.
#pragma once

#include "kernels/mve/gemm.h"

namespace wick::kernels::mve {

struct Windows {
  int32_t in_h, in_w, in_c, out_h, out_w;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int32_t pad_value;

  int32_t taps() const { return kernel_h * kernel_w * in_c; }
  int32_t row_bytes() const { return round_up(taps(), 16); }
};

// A band of image rows that is padded once and then read by `rows` rows of outputs. Where no window hangs over, the
// image itself is the band.
struct Band {
  int32_t rows = 0;        // rows of outputs; the last band overlaps the one before
  int32_t image_rows = 0;  // that they read
  int32_t row_bytes = 0;
  bool padded = false;
  bool fits = false;  // a window's offsets have 16 bits, and a band at least four pixels

  explicit Band(const Windows& w);
  int32_t scratch_bytes() const { return padded ? round_up(image_rows * row_bytes, 8) : 0; }
};

// Where each byte of a row comes from, relative to the window's first byte: bytes or, where all lie in pairs, halves.
struct RowOffsets {
  static uint32_t scratch_bytes(const Windows& w) { return static_cast<uint32_t>(w.row_bytes()) * 2; }
  // `places` has a bit set in each position where some band's address has one.
  RowOffsets(const Windows& w, const Band& band, uint32_t places, uint16_t* memory);

  const uint16_t* offsets;
  bool halves;
};

// The convolution of images with `quads` * 4 channels at a time: out.at(pixel * out.stride) gets them.
class ShortConvolution {
 public:
  static uint32_t scratch_bytes(const Windows& w);
  ShortConvolution(const Windows& windows, const int8_t* image, WickMveGemm* core, int8_t* scratch);
  void run(const int8_t* image, const int8_t* w, const int32_t* parameters, const GemmOut& out, int32_t quads);

 private:
  static constexpr int32_t kPanelBytes = 768;  // rows built at a time: 12 to 48
  const Windows& windows_;
  WickMveGemm* core_;
  const Band band_;
  int8_t* panel_;
  int8_t* padded_;
  const RowOffsets offsets_;
  const int8_t* filled_ = nullptr;  // the image that the band holds as a whole
};

}  // namespace wick::kernels::mve
