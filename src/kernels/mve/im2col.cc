// Short windows as rows (im2col.h): one gather fills eight or sixteen bytes of a row, whatever the window's shape.
#include "kernels/mve/im2col.h"

namespace wick::kernels::mve {

namespace {

constexpr int32_t kBandBytes = 1024;  // aimed at; one band may need more, up to
constexpr int32_t kMostBandBytes = 32768;

int32_t span(int32_t count, int32_t stride, int32_t kernel, int32_t dilation) {
  return (count - 1) * stride + (kernel - 1) * dilation + 1;
}

// Copies what lies inside the image; the rest of `band` holds the pad value.
void fill_band(const Windows& w, const Band& band, const int8_t* image, int32_t first_row, int8_t* to) {
  fill(to, band.scratch_bytes(), w.pad_value);
  const int32_t width = span(w.out_w, w.stride_w, w.kernel_w, w.dilation_w) - w.pad_w;
  const int32_t count = (width < w.in_w ? width : w.in_w) * w.in_c;
  const int32_t y = first_row - w.pad_h, top = y > 0 ? y : 0;
  const int32_t bottom = y + band.image_rows < w.in_h ? y + band.image_rows : w.in_h;
  if (count <= 0) return;
  const int32_t line = w.in_w * w.in_c, band_line = band.row_bytes;
  const int8_t* from = image + top * line;
  to += (top - y) * band_line + w.pad_w * w.in_c;
  if (count <= 16) {
    const mve_pred16_t p = lanes8(count);
    for (int32_t n = bottom - top; n > 0; --n, from += line, to += band_line) {
      vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
    }
    return;
  }
  for (int32_t n = bottom - top; n > 0; --n, from += line, to += band_line) copy_bytes(to, from, count);
}

// Where the windows of neighbouring output pixels lie.
struct Walk {
  const int8_t* window;
  int32_t x, out_w;
  int32_t step, wrap;  // to the next window, and from the end of an output row to the next
};

// Fills `count` rows of kBlocks * 16 bytes. Offsets of up to eight vectors stay in registers.
template <int kBlocks, bool kHalves>
[[gnu::noinline]] void gather_rows(const Walk& walk, const uint16_t* offsets, int8_t* row, int32_t count) {
  constexpr int kVectors = kHalves ? kBlocks : 2 * kBlocks;
  uint16x8_t offset[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) offset[i] = vld1q_u16(offsets + 8 * i);
  const int8_t* window = walk.window;
  const int32_t step = walk.step, wrap = walk.wrap, out_w = walk.out_w;
  int32_t to_wrap = out_w - walk.x;
  for (;;) {
    const int32_t run = count < to_wrap ? count : to_wrap;
    for (int32_t n = run; n > 0; --n, window += step, row += kBlocks * 16) {
#pragma GCC unroll 8
      for (int i = 0; i < kVectors; ++i) {
        if constexpr (kHalves) {
          const uint16_t* halves = reinterpret_cast<const uint16_t*>(window);
          vst1q_s8(row + 16 * i, vreinterpretq_s8_u16(vldrhq_gather_offset_u16(halves, offset[i])));
        } else {
          vstrbq_s16(row + 8 * i, vldrbq_gather_offset_s16(window, offset[i]));
        }
      }
    }
    count -= run;
    if (count <= 0) return;
    window += wrap;
    to_wrap = out_w;
  }
}

template <bool kHalves>
void gather_rows(int32_t blocks, const Walk& walk, const uint16_t* offsets, int8_t* row, int32_t count) {
  switch (blocks) {
    case 1:
      return gather_rows<1, kHalves>(walk, offsets, row, count);
    case 2:
      return gather_rows<2, kHalves>(walk, offsets, row, count);
    case 3:
      return gather_rows<3, kHalves>(walk, offsets, row, count);
    default:
      return gather_rows<4, kHalves>(walk, offsets, row, count);
  }
}

}  // namespace

Band::Band(const Windows& w) {
  const int32_t width = span(w.out_w, w.stride_w, w.kernel_w, w.dilation_w);
  const int32_t height = span(w.out_h, w.stride_h, w.kernel_h, w.dilation_h);
  // A border of less than none is how half an image starts further down (split.h).
  padded = w.pad_h != 0 || w.pad_w > 0 || width > w.in_w || height > w.in_h;
  const int64_t line = static_cast<int64_t>(padded ? width : w.in_w) * w.in_c;
  if (line > kMostBandBytes) return;
  const int64_t window = (line + 1) * ((w.kernel_h - 1) * w.dilation_h + 1);
  // Offsets in a window are 16-bit, and bands shall not be larger than what they save.
  if (window > kMostBandBytes) return;
  row_bytes = static_cast<int32_t>(padded ? (line + 1) & ~int64_t{1} : line);
  if (!padded) {
    rows = w.out_h;
    image_rows = height;
    fits = static_cast<int64_t>(rows) * w.out_w >= 4;
    return;
  }
  const int32_t first = static_cast<int32_t>(window);
  const int64_t step = static_cast<int64_t>(w.stride_h) * row_bytes;
  rows = first < kBandBytes ? 1 + static_cast<int32_t>((kBandBytes - first) / step) : 1;
  const int32_t least = (3 + w.out_w) / w.out_w;
  if (rows < least) rows = least;
  if (rows > w.out_h) rows = w.out_h;
  image_rows = span(rows, w.stride_h, w.kernel_h, w.dilation_h);
  fits = rows * w.out_w >= 4 && static_cast<int64_t>(image_rows) * row_bytes <= kMostBandBytes;
}

RowOffsets::RowOffsets(const Windows& w, const Band& band, uint32_t places, uint16_t* memory) : offsets(memory) {
  // Bytes that lie together in every window: a whole row of taps, or one tap's channels.
  const int32_t runs = w.dilation_w == 1 ? 1 : w.kernel_w, length = w.kernel_w / runs * w.in_c;
  places |= static_cast<uint32_t>(band.row_bytes) | static_cast<uint32_t>(w.stride_w * w.in_c) |
            static_cast<uint32_t>(w.dilation_w * w.in_c * (runs - 1)) | static_cast<uint32_t>(length);
  halves = (places & 1) == 0;
  const int32_t width = halves ? 2 : 1;
  uint16_t* const end = memory + w.row_bytes() / width;
  for (int32_t ky = 0; ky < w.kernel_h; ++ky) {
    int32_t from = ky * w.dilation_h * band.row_bytes;
    for (int32_t run = 0; run < runs; ++run, from += w.dilation_w * w.in_c) {
      for (int32_t i = 0; i < length; i += width) *memory++ = static_cast<uint16_t>(from + i);
    }
  }
  // Any byte will do beyond the taps: its weight is 0.
  while (memory < end) *memory++ = 0;
}

uint32_t ShortConvolution::scratch_bytes(const Windows& w) {
  return static_cast<uint32_t>(kPanelBytes + Band(w).scratch_bytes()) + RowOffsets::scratch_bytes(w);
}

ShortConvolution::ShortConvolution(const Windows& windows, const int8_t* image, WickMveGemm* core, int8_t* scratch)
    : windows_(windows),
      core_(core),
      band_(windows),
      panel_(scratch),
      padded_(scratch + kPanelBytes),
      // Images of a batch all lie at even addresses only where their size is even.
      offsets_(windows, band_,
               band_.padded ? 0
                            : static_cast<uint32_t>(reinterpret_cast<uintptr_t>(image)) |
                                  static_cast<uint32_t>(windows.in_h * windows.in_w * windows.in_c),
               reinterpret_cast<uint16_t*>(padded_ + band_.scratch_bytes())) {}

void ShortConvolution::run(const int8_t* image, const int8_t* w, const int32_t* parameters, const GemmOut& out,
                           int32_t quads) {
  const int32_t row_bytes = windows_.row_bytes(), out_w = windows_.out_w;
  const int8_t* base = band_.padded ? padded_ : image;
  const int32_t step = windows_.stride_w * windows_.in_c, line = windows_.stride_h * band_.row_bytes;
  const int32_t pixels = band_.rows * out_w, most = kPanelBytes / row_bytes / 4;
  for (int32_t done = 0; done < windows_.out_h; done += band_.rows) {
    const int32_t row = done + band_.rows <= windows_.out_h ? done : windows_.out_h - band_.rows;
    if (band_.padded && filled_ != image) fill_band(windows_, band_, image, row * windows_.stride_h, padded_);
    for (int32_t pixel = 0; pixel < pixels;) {
      const int32_t left = pixels - pixel;
      const int32_t groups = left >= 4 * most ? most : left >= 4 ? left / 4 : 1;
      if (left < 4) pixel = pixels - 4;
      const int32_t y = pixel / out_w, x = pixel - y * out_w;
      const Walk walk = {base + y * line + x * step, x, out_w, step, line - out_w * step};
      if (offsets_.halves) {
        gather_rows<true>(row_bytes / 16, walk, offsets_.offsets, panel_, 4 * groups);
      } else {
        gather_rows<false>(row_bytes / 16, walk, offsets_.offsets, panel_, 4 * groups);
      }
      run_core(core_, panel_, 4 * row_bytes, w, parameters, out.at((row * out_w + pixel) * out.stride), quads, groups);
      pixel += 4 * groups;
    }
  }
  if (band_.rows == windows_.out_h) filled_ = image;
}

}  // namespace wick::kernels::mve
