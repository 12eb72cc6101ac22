// INT8 depthwise convolution. 3x3 windows become planes of short rows, so that one instruction sums a window; one
// input channel makes it a convolution of short windows; the rest is depthwise_any.h's.
#include "kernels/mve/depthwise3x3.h"
#include "kernels/mve/depthwise_any.h"
#include "kernels/mve/im2col.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::mve {

namespace {

enum Path : uint32_t {
  kScalar,
  kLanes,         // any window, one channel per lane
  kPairs,         // any window, 16 channels, products of two taps added up in 16 bits
  kWindows,       // one input channel: a convolution of windows of up to 64 bytes
  kRows,          // 3x3, stride 1, five columns in and out: whole images as planes
  kStrips,        // 3x3, stride 1: strips of four columns
  kStridedStrips  // 3x3, stride 2: strips of two columns
};

constexpr int32_t kBlock = 8;          // channels at a time
constexpr int32_t kWeightBytes = 32;   // per channel (depthwise3x3.S)
constexpr int32_t kPieceBytes = 2048;  // scratch for one piece of channels
constexpr int32_t kMostRows = 64;      // of an image that lies in planes as a whole
constexpr int32_t kPlaneSlack = 14;    // what the last window reads beyond its plane's last row

Windows windows_of(const DepthwiseConv2dS8& c) {
  return {c.in_h,     c.in_w,     1,       c.out_h, c.out_w,      c.kernel_h,   c.kernel_w,
          c.stride_h, c.stride_w, c.pad_h, c.pad_w, c.dilation_h, c.dilation_w, -c.input_offset};
}

Path path_of(const DepthwiseConv2dS8& c) {
  if (!is_word_aligned(c.multiplier) || !is_word_aligned(c.shift)) return kScalar;
  if (c.bias != nullptr && !is_word_aligned(c.bias)) return kScalar;
  if (!are_positive(c.multiplier, c.out_c)) return kScalar;
  const bool fast = are_right_shifts(c.multiplier, c.shift, c.out_c) && c.input_offset >= -127 &&
                    c.input_offset <= 128 && are_bytes(c.output_offset, c.act_min, c.act_max);
  if (c.in_c == 1 && c.out_c >= 4 && fast && static_cast<int64_t>(c.kernel_h) * c.kernel_w <= kShortRow) {
    const Windows w = windows_of(c);
    if (static_cast<int64_t>(c.out_h) * c.out_w >= 4 && Band(w).fits) return kWindows;
  }
  if (c.in_c != c.out_c) return kScalar;
  const bool is_3x3 = c.kernel_h == 3 && c.kernel_w == 3 && c.dilation_h == 1 && c.dilation_w == 1 &&
                      c.stride_h == c.stride_w && c.out_h >= 4;
  const bool bytes = are_bytes(c.output_offset, c.act_min, c.act_max);
  const Path any = bytes && c.out_c >= 16 && can_pair(c) ? kPairs : kLanes;
  if (!fast || !is_3x3 || c.out_c < kBlock || c.out_c > 4096) return any;
  if (c.stride_h == 1 && c.in_w == 5 && c.out_w == 5 && c.pad_w == 1 && c.out_h >= 8 && c.out_h <= kMostRows) {
    return kRows;
  }
  // Where results go must fit the 16 bits of a scatter: three rows and three columns of outputs.
  if (static_cast<int64_t>(3 * c.out_w + 3) * c.out_c > 65535) return any;
  if (c.stride_h == 1 && c.out_w >= 4) return kStrips;
  return c.stride_h == 2 && c.out_w >= 2 ? kStridedStrips : any;
}

bool folds(const DepthwiseConv2dS8& c) { return c.input_offset != 0 || c.bias == nullptr; }
const int32_t* start_of(const DepthwiseConv2dS8& c) {
  return folds(c) ? static_cast<const int32_t*>(c.prepared) : c.bias;
}

// --- one input channel ------------------------------------------------------------------------------------------

ChannelPieces pieces_of(const DepthwiseConv2dS8& c) {
  return {c.out_c, windows_of(c).row_bytes() + kParameterBytes, kPieceBytes};
}

// Weights of the channels [first, first + count) as rows, from [tap][channel]. Two taps at a time make a half word.
void transpose_weights(const DepthwiseConv2dS8& c, int32_t first, int32_t count, int32_t row_bytes, int8_t* rows) {
  const int32_t taps = c.kernel_h * c.kernel_w;
  for (int32_t i = 0; i < count; ++i) vst1q_s8(rows + (i + 1) * row_bytes - 16, vdupq_n_s8(0));
  const uint16x8_t to = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(row_bytes));
  for (int32_t i = 0; i < count; i += 8) {
    const mve_pred16_t p = lanes16(count - i);
    const int8_t* from = c.weights + first + i;
    const int8_t* next = from + c.out_c;
    const int32_t step = 2 * c.out_c;
    int16_t* row = reinterpret_cast<int16_t*>(rows + i * row_bytes);
    if (count - i >= 8) {
      for (int32_t n = taps >> 1; n > 0; --n, from += step, next += step, ++row) {
        vstrhq_scatter_offset_s16(row, to, vsliq_n_s16(vldrbq_s16(from), vldrbq_s16(next), 8));
      }
    } else {
      for (int32_t n = taps >> 1; n > 0; --n, from += step, next += step, ++row) {
        const int16x8_t pair = vsliq_n_s16(vldrbq_z_s16(from, p), vldrbq_z_s16(next, p), 8);
        vstrhq_scatter_offset_p_s16(row, to, pair, p);
      }
    }
    if ((taps & 1) != 0) {
      vstrbq_scatter_offset_p_s16(reinterpret_cast<int8_t*>(row), to, vldrbq_z_s16(from, p), p);
    }
  }
}

void run_windows(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, Scratch scratch) {
  const Windows windows = windows_of(c);
  const int32_t row_bytes = windows.row_bytes();
  const ChannelPieces pieces = pieces_of(c);
  PieceMemory memory(pieces, {start_of(c), c.multiplier, c.shift}, c.output_offset, &scratch);
  int8_t* rows = scratch.take(pieces.size * row_bytes);
  ShortConvolution convolution(windows, input, short_core(row_bytes, c.output_offset == c.act_min), scratch.at);
  for (int32_t first = 0, count = 0; pieces.next(&first, &count);) {
    const int32_t* parameters = memory.parameters(first, count);
    transpose_weights(c, first, count, row_bytes, rows);
    for (int32_t n = 0; n < c.batch; ++n) {
      convolution.run(input + n * c.in_h * c.in_w, rows, parameters,
                      memory.out(output + n * c.out_h * c.out_w * c.out_c + first), count / 4);
    }
  }
}

// --- 3x3 --------------------------------------------------------------------------------------------------------

// One path's geometry: how an image is cut into planes.
struct Planes {
  int32_t stride, strip, columns;  // output and input columns of a strip
  int32_t row;                     // bytes of a plane's row
  int32_t rows;                    // of outputs in a band
  int32_t plane_bytes;

  Planes(const DepthwiseConv2dS8& c, uint32_t path) : stride(c.stride_h) {
    strip = path == kRows ? 5 : path == kStrips ? 4 : 2;
    columns = path == kRows ? 5 : path == kStrips ? 6 : 5;
    row = path == kStridedStrips ? 5 : 6;
    const int32_t most = path == kRows ? kMostRows : path == kStrips ? 32 : 16;
    const int32_t bands = (c.out_h + most - 1) / most;
    rows = (c.out_h + bands - 1) / bands;
    plane_bytes = image_rows() * row + kPlaneSlack;
  }
  int32_t image_rows() const { return (rows - 1) * stride + 3; }
  int32_t scratch_bytes() const {
    return round_up(kBlock * plane_bytes, 8) + kBlock * kWeightBytes + kBlock * kParameterBytes;
  }
};

class Run3x3 {
 public:
  Run3x3(const DepthwiseConv2dS8& c, Scratch scratch)
      : c_(c),
        planes_(c, c.path),
        plane_memory_(scratch.take(kBlock * planes_.plane_bytes)),
        weights_(scratch.take(kBlock * kWeightBytes)),
        parameters_(reinterpret_cast<int32_t*>(scratch.take(kBlock * kParameterBytes))) {
    fill(weights_, kBlock * kWeightBytes, 0);
    // Eight results lie in the order 0 4 1 5 2 6 3 7.
    for (int32_t i = 0; i < 8; ++i) {
      const int32_t result = (i >> 1) + 4 * (i & 1);
      const int32_t pixel = c.path == kRows ? result : result / planes_.strip * c.out_w + result % planes_.strip;
      const int32_t next = c.path == kRows ? 8 : 2 * c.out_w;
      offsets_[i] = static_cast<uint16_t>(pixel * c.out_c);
      offsets_[i + 8] = static_cast<uint16_t>((pixel + next) * c.out_c);
    }
  }

  void run(const int8_t* image, int8_t* output) {
    for (int32_t done = 0; done < c_.out_h; done += planes_.rows) {
      const int32_t y = done + planes_.rows <= c_.out_h ? done : c_.out_h - planes_.rows;
      for (int32_t x = 0; x < c_.out_w; x += planes_.strip) {
        run_strip(image, y, x + planes_.strip <= c_.out_w ? x : c_.out_w - planes_.strip, output);
      }
    }
  }

 private:
  void run_strip(const int8_t* image, int32_t out_y, int32_t out_x, int8_t* output) {
    const int32_t y = out_y * c_.stride_h - c_.pad_h;
    // With five columns, the right border of a row is the left border of the next.
    const int32_t x = c_.path == kRows ? 0 : out_x * c_.stride_w - c_.pad_w;
    const scalar::Taps rows = scalar::taps_inside(y, planes_.image_rows(), 1, c_.in_h);
    const scalar::Taps columns = scalar::taps_inside(x, planes_.columns, 1, c_.in_w);
    if (c_.path == kRows || rows.count() < planes_.image_rows() || columns.count() < planes_.columns) {
      fill(plane_memory_, kBlock * planes_.plane_bytes, -c_.input_offset);
    }
    const bool inside = rows.count() > 0 && columns.count() > 0;
    const int8_t* from = inside ? image + ((y + rows.begin) * c_.in_w + x + columns.begin) * c_.in_c : image;
    int8_t* to = plane_memory_ + rows.begin * planes_.row + columns.begin + (c_.path == kRows ? 1 : 0);
    int8_t* out = output + (out_y * c_.out_w + out_x) * c_.out_c;
    for (int32_t done = 0; done < c_.out_c; done += kBlock) {
      // The last block overlaps the one before.
      const int32_t first = done + kBlock <= c_.out_c ? done : c_.out_c - kBlock;
      if (inside) {
        const ToPlanes copy = {from + first,        to,         rows.count(),
                               columns.count(),     c_.in_c,    (c_.in_w - columns.count()) * c_.in_c,
                               planes_.plane_bytes, planes_.row};
        wick_mve_to_planes(&copy);
      }
      write_block(first);
      run_block(out + first);
    }
  }

  // Weights and parameters of eight channels.
  void write_block(int32_t first) {
    const uint16x8_t channel = vmulq_n_u16(vidupq_n_u16(0, 1), kWeightBytes);
    const int8_t* from = c_.weights + first;
    int8_t* to = weights_ + planes_.stride;
#pragma GCC unroll 3
    for (int32_t ky = 0; ky < 3; ++ky, to += planes_.row) {
#pragma GCC unroll 3
      for (int32_t kx = 0; kx < 3; ++kx, from += c_.out_c) {
        vstrbq_scatter_offset_s16(to + kx, channel, vldrbq_s16(from));
      }
    }
    const uint32x4_t place = vmulq_n_u32(vidupq_n_u32(0, 1), kParameterBytes);
    const int32_t* start = start_of(c_) + first;
#pragma GCC unroll 2
    for (int32_t i = 0; i < kBlock; i += 4) {
      int32_t* to_parameters = parameters_ + 3 * i;
      vstrwq_scatter_offset_s32(to_parameters, place, vldrwq_s32(start + i));
      vstrwq_scatter_offset_s32(to_parameters + 1, place, vldrwq_s32(c_.multiplier + first + i));
      vstrwq_scatter_offset_s32(to_parameters + 2, place, vldrwq_s32(c_.shift + first + i));
    }
  }

  void run_block(int8_t* out) {
    const int32_t unit = c_.path == kRows ? 8 : 4;
    const int32_t units = planes_.rows / unit, left = planes_.rows - units * unit;
    const bool tail = c_.path == kRows && left == 1;
    call(plane_memory_, out, units, tail ? 3 * c_.out_c : 0);
    if (left != 0 && !tail) {
      const int32_t row = planes_.rows - unit;
      call(plane_memory_ + row * planes_.stride * planes_.row, out + row * c_.out_w * c_.out_c, 1, 0);
    }
  }

  void call(const int8_t* planes, int8_t* out, int32_t units, int32_t tail) {
    const int32_t step = c_.path == kRows ? 16 * c_.out_c : 4 * c_.out_w * c_.out_c;
    Depthwise3x3 arguments = {planes, weights_, parameters_,         out,  offsets_, c_.output_offset,
                              kBlock, units,    planes_.plane_bytes, step, tail};
    if (c_.path == kStrips) return wick_mve_depthwise3x3_strip(&arguments);
    if (c_.path == kStridedStrips) return wick_mve_depthwise3x3_strip_s2(&arguments);
    if (c_.output_offset == c_.act_min) return wick_mve_depthwise3x3_run_relu(&arguments);
    wick_mve_depthwise3x3_run(&arguments);
  }

  const DepthwiseConv2dS8& c_;
  const Planes planes_;
  int8_t* plane_memory_;
  int8_t* weights_;
  int32_t* parameters_;
  alignas(4) uint16_t offsets_[16];
};

}  // namespace

KernelMemory depthwise_conv2d_s8_plan(DepthwiseConv2dS8& c) {
  const Path path = path_of(c);
  c.path = path;
  if (path == kScalar) return scalar::depthwise_conv2d_s8_plan(c);
  if (path == kLanes) return {};
  KernelMemory memory = {folds(c) ? static_cast<uint32_t>(c.out_c) * 4 : 0, 0};
  if (path == kWindows) {
    const ChannelPieces pieces = pieces_of(c);
    const Windows w = windows_of(c);
    memory.scratch_bytes =
        static_cast<uint32_t>(PieceMemory::scratch_bytes(pieces) + round_up(pieces.size * w.row_bytes(), 8)) +
        ShortConvolution::scratch_bytes(w);
  } else if (path != kPairs) {
    memory.scratch_bytes = static_cast<uint32_t>(Planes(c, path).scratch_bytes());
  }
  return memory;
}

void depthwise_conv2d_s8_prepare(DepthwiseConv2dS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.path == kScalar) return scalar::depthwise_conv2d_s8_prepare(c, prepared);
  if (c.path == kLanes || !folds(c)) return;
  int32_t* folded = static_cast<int32_t*>(prepared);
  for (int32_t ch = 0; ch < c.out_c; ch += 4) {
    const mve_pred16_t p = lanes32(c.out_c - ch);
    const int8_t* w = c.weights + ch;
    int32x4_t sum = vdupq_n_s32(0);
    for (int32_t n = c.kernel_h * c.kernel_w; n > 0; --n, w += c.out_c) sum = vaddq_s32(sum, vldrbq_z_s32(w, p));
    sum = vmulq_n_s32(sum, c.input_offset);
    if (c.bias != nullptr) sum = vaddq_s32(sum, vldrwq_z_s32(c.bias + ch, p));
    vstrwq_p_s32(folded + ch, sum, p);
  }
}

void depthwise_conv2d_s8(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  const Scratch memory = {static_cast<int8_t*>(scratch)};
  switch (c.path) {
    case kScalar:
      return scalar::depthwise_conv2d_s8(c, input, output, scratch);
    case kLanes:
      return depthwise_any(c, nullptr, input, output);
    case kPairs:
      return depthwise_any(c, start_of(c), input, output);
    case kWindows:
      run_windows(c, input, output, memory);
      break;
    default: {
      Run3x3 run(c, memory);
      for (int32_t n = 0; n < c.batch; ++n) {
        run.run(input + n * c.in_h * c.in_w * c.in_c, output + n * c.out_h * c.out_w * c.out_c);
      }
    }
  }
  clamp_in_place(output, static_cast<uint32_t>(c.batch * c.out_h * c.out_w * c.out_c), c.act_min, c.act_max);
}

}  // namespace wick::kernels::mve
