// INT8 convolution: picks a matrix core when the layer is planned and lays its rows out when it runs. Groups, short
// shapes and requantization to the left go window by window.
#include "kernels/mve/gemm.h"
#include "kernels/mve/im2col.h"
#include "kernels/scalar/window.h"

namespace wick::kernels::mve {

namespace {

enum Path : uint32_t {
  kWindows,  // any convolution: one window, one channel at a time
  kPixels,   // 1x1, stride 1, 16 to 64 channels in whole blocks: the image's rows as they lie
  kShort,    // windows of up to 64 bytes: rows by gathers, weights padded into scratch
  kColumns,  // 3x3, stride 1, 16 channels: columns shared between neighbours
  kLong,     // any other window: panels of four pixels
};

constexpr int32_t kPieceBytes = 2048;  // scratch for one piece of channels
constexpr int32_t kPieceParameters = 64 * kParameterBytes;

Windows windows_of(const Conv2dS8& c) {
  return {c.in_h,     c.in_w,     c.in_c,  c.out_h, c.out_w,      c.kernel_h,   c.kernel_w,
          c.stride_h, c.stride_w, c.pad_h, c.pad_w, c.dilation_h, c.dilation_w, -c.input_offset};
}

bool is_pointwise(const Conv2dS8& c) {
  return c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_h == 0 && c.pad_w == 0 &&
         c.out_h == c.in_h && c.out_w == c.in_w;
}

Path path_of(const Conv2dS8& c) {
  const int64_t pixels = static_cast<int64_t>(c.out_h) * c.out_w;
  if (c.groups != 1 || c.out_c < 4 || pixels < 4 || c.in_c < 1) return kWindows;
  if (c.input_offset < -127 || c.input_offset > 128 || !are_bytes(c.output_offset, c.act_min, c.act_max)) {
    return kWindows;
  }
  if (!are_right_shifts(c.multiplier, c.shift, c.out_c) || (c.bias != nullptr && !is_word_aligned(c.bias))) {
    return kWindows;
  }
  const int64_t taps = static_cast<int64_t>(c.kernel_h) * c.kernel_w * c.in_c;
  if (taps <= kShortRow) {
    if (is_pointwise(c) && taps % 16 == 0 && is_word_aligned(c.weights)) return kPixels;
    const Windows w = windows_of(c);
    if (Band(w).fits) return kShort;
    return taps > 16 && c.dilation_h == 1 && c.dilation_w == 1 ? kLong : kWindows;
  }
  if (c.dilation_h != 1 || c.dilation_w != 1 || taps > 65535) return kWindows;
  if (c.kernel_h == 3 && c.kernel_w == 3 && c.stride_h == 1 && c.stride_w == 1 && c.in_c == 16 && c.out_w >= 4 &&
      c.out_w <= 256 && is_word_aligned(c.weights)) {
    return kColumns;
  }
  return kLong;
}

// Where each channel's accumulation starts: bias with the input offset folded in.
bool folds(const Conv2dS8& c) { return c.input_offset != 0 || c.bias == nullptr; }
Channels channels_of(const Conv2dS8& c) {
  return {folds(c) ? static_cast<const int32_t*>(c.prepared) : c.bias, c.multiplier, c.shift};
}

ChannelPieces pieces_of(const Conv2dS8& c, uint32_t path) {
  if (path == kShort) return {c.out_c, windows_of(c).row_bytes() + kParameterBytes, kPieceBytes};
  return {c.out_c, kParameterBytes, kPieceParameters};
}

void run_pixels(const Conv2dS8& c, const int8_t* input, int8_t* output, Scratch scratch) {
  const ChannelPieces pieces = pieces_of(c, kPixels);
  PieceMemory memory(pieces, channels_of(c), c.output_offset, &scratch);
  WickMveGemm* core = short_core(c.in_c, c.output_offset == c.act_min);
  const int32_t pixels = c.batch * c.out_h * c.out_w, rest = pixels - 4;
  for (int32_t first = 0, count = 0; pieces.next(&first, &count);) {
    const int32_t* parameters = memory.parameters(first, count);
    const int8_t* w = c.weights + first * c.in_c;
    const GemmOut out = memory.out(output + first);
    run_core(core, input, 4 * c.in_c, w, parameters, out, count / 4, pixels / 4);
    // The last four pixels, some of them for the second time.
    if ((pixels & 3) != 0)
      run_core(core, input + rest * c.in_c, 0, w, parameters, out.at(rest * c.out_c), count / 4, 1);
  }
}

void run_short(const Conv2dS8& c, const int8_t* input, int8_t* output, Scratch scratch) {
  const Windows windows = windows_of(c);
  const int32_t taps = windows.taps(), row_bytes = windows.row_bytes();
  const ChannelPieces pieces = pieces_of(c, kShort);
  PieceMemory memory(pieces, channels_of(c), c.output_offset, &scratch);
  int8_t* rows = scratch.take(pieces.size * row_bytes);
  ShortConvolution convolution(windows, input, short_core(row_bytes, c.output_offset == c.act_min), scratch.at);
  for (int32_t first = 0, count = 0; pieces.next(&first, &count);) {
    const int32_t* parameters = memory.parameters(first, count);
    for (int32_t i = 0; i < count; ++i) {
      int8_t* row = rows + i * row_bytes;
      vst1q_s8(row + row_bytes - 16, vdupq_n_s8(0));
      copy_bytes(row, c.weights + (first + i) * taps, taps);
    }
    for (int32_t n = 0; n < c.batch; ++n) {
      convolution.run(input + n * c.in_h * c.in_w * c.in_c, rows, parameters,
                      memory.out(output + n * c.out_h * c.out_w * c.out_c + first), count / 4);
    }
  }
}

// One output row's columns: [out_w + 2][3][16].
void fill_columns(const Conv2dS8& c, const int8_t* image, int32_t first_row, int8_t* columns) {
  const int32_t total = c.out_w + 2;
  const int32_t left = c.pad_w < total ? c.pad_w : total;
  const int32_t inside = total - left < c.in_w ? total - left : c.in_w;
  const int8x16_t pad = vdupq_n_s8(static_cast<int8_t>(-c.input_offset));
  for (int32_t ky = 0; ky < 3; ++ky) {
    const int32_t y = first_row + ky;
    int8_t* to = columns + ky * 16;
    const int32_t count = y >= 0 && y < c.in_h ? inside : 0, before = count > 0 ? left : 0;
    for (int32_t i = before; i > 0; --i, to += 48) vst1q_s8(to, pad);
    const int8_t* from = image + y * c.in_w * 16;
    int32_t i = count;
    for (; i >= 2; i -= 2, to += 96, from += 32) {
      const int8x16_t a = vld1q_s8(from), b = vld1q_s8(from + 16);
      vst1q_s8(to, a);
      vst1q_s8(to + 48, b);
    }
    if (i > 0) {
      vst1q_s8(to, vld1q_s8(from));
      to += 48;
    }
    for (i = total - before - count; i > 0; --i, to += 48) vst1q_s8(to, pad);
  }
}

void run_columns(const Conv2dS8& c, const int8_t* input, int8_t* output, Scratch scratch) {
  const ChannelPieces pieces = pieces_of(c, kColumns);
  PieceMemory memory(pieces, channels_of(c), c.output_offset, &scratch);
  int8_t* columns = scratch.take((c.out_w + 2) * 48);
  const int32_t rest = c.out_w - 4;
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * c.in_w * 16) {
    for (int32_t y = 0; y < c.out_h; ++y, output += c.out_w * c.out_c) {
      fill_columns(c, input, y - c.pad_h, columns);
      for (int32_t first = 0, count = 0; pieces.next(&first, &count);) {
        const int32_t* parameters = memory.parameters(first, count);
        const int8_t* w = c.weights + first * 144;
        const GemmOut out = memory.out(output + first);
        run_core(wick_mve_conv3x3_c16, columns, 4 * 48, w, parameters, out, count / 4, c.out_w / 4);
        if ((c.out_w & 3) != 0) {
          run_core(wick_mve_conv3x3_c16, columns + rest * 48, 0, w, parameters, out.at(rest * c.out_c), count / 4, 1);
        }
      }
    }
  }
}

// Writes a window's bytes, padding included, to `row`.
void copy_window(const Conv2dS8& c, const int8_t* image, int32_t y, int32_t x, int8_t* row) {
  const int32_t line = c.kernel_w * c.in_c;
  const int32_t left = x < 0 ? -x : 0, right = x + c.kernel_w > c.in_w ? c.in_w - x : c.kernel_w;
  const int8_t* from = image + (y * c.in_w + x) * c.in_c;
  for (int32_t ky = 0; ky < c.kernel_h; ++ky, ++y, row += line, from += c.in_w * c.in_c) {
    const bool inside = y >= 0 && y < c.in_h && right > left;
    if (!inside || left > 0 || right < c.kernel_w) fill(row, line, -c.input_offset);
    if (inside) copy_bytes(row + left * c.in_c, from + left * c.in_c, (right - left) * c.in_c);
  }
}

// Row `pixel` of a panel (gemm_long.S) from `taps` bytes.
void write_panel_row(int8_t* panel, int32_t pixel, const int8_t* row, int32_t taps) {
  int8_t* to = panel + pixel * 16;
  int32_t blocks = taps / 16;
  const int8_t* from = row;
  for (; blocks >= 2; blocks -= 2, from += 32, to += 128) {
    const int8x16_t a = vldrbq_s8(from), b = vldrbq_s8(from + 16);
    vst1q_s8(to, a);
    vst1q_s8(to + 64, b);
  }
  if (blocks > 0) {
    vst1q_s8(to, vldrbq_s8(from));
    to += 64;
  }
  const int32_t tail = taps & 15;
  if (tail != 0) {
    const mve_pred16_t last = static_cast<mve_pred16_t>(0xFFFF << (16 - tail));
    vst1q_s8(to, vldrbq_z_s8(row + taps - 16, last));
  }
}

// The same from the image, where a tap's channels are whole blocks.
void copy_blocks(int8_t* to, const int8_t* from, int32_t count) {
  for (int32_t n = count >> 1; n > 0; --n, from += 32, to += 128) {
    const int8x16_t a = vldrbq_s8(from), b = vldrbq_s8(from + 16);
    vst1q_s8(to, a);
    vst1q_s8(to + 64, b);
  }
  if ((count & 1) != 0) vst1q_s8(to, vldrbq_s8(from));
}
void fill_blocks(int8_t* to, int32_t count, int8x16_t value) {
  for (; count > 0; --count, to += 64) vst1q_s8(to, value);
}
void write_panel_blocks(const Conv2dS8& c, const int8_t* image, int32_t y, int32_t x, int8_t* to) {
  const int8x16_t pad = vdupq_n_s8(static_cast<int8_t>(-c.input_offset));
  const int32_t depth = c.in_c / 16, line = c.kernel_w * depth;
  const int32_t left = x < 0 ? -x : 0, right = x + c.kernel_w > c.in_w ? c.in_w - x : c.kernel_w;
  const int8_t* from = image + (y * c.in_w + x + left) * c.in_c;
  for (int32_t ky = 0; ky < c.kernel_h; ++ky, ++y, to += line * 64, from += c.in_w * c.in_c) {
    if (y < 0 || y >= c.in_h || right <= left) {
      fill_blocks(to, line, pad);
      continue;
    }
    if (left > 0) fill_blocks(to, left * depth, pad);
    copy_blocks(to + left * depth * 64, from, (right - left) * depth);
    if (right < c.kernel_w) fill_blocks(to + right * depth * 64, (c.kernel_w - right) * depth, pad);
  }
}

void run_long(const Conv2dS8& c, const int8_t* input, int8_t* output, Scratch scratch) {
  const int32_t taps = c.kernel_h * c.kernel_w * c.in_c;
  const ChannelPieces pieces = pieces_of(c, kLong);
  PieceMemory memory(pieces, channels_of(c), c.output_offset, &scratch);
  int8_t* panel = scratch.take(round_up(taps, 16) * 4);
  int8_t* row = scratch.take(taps);
  const bool in_place = is_pointwise(c), in_blocks = c.in_c % 16 == 0;
  const int32_t pixels = c.out_h * c.out_w;
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * c.in_w * c.in_c, output += pixels * c.out_c) {
    for (int32_t done = 0; done < pixels; done += 4) {
      const int32_t pixel = done + 4 <= pixels ? done : pixels - 4;
      int32_t y = pixel / c.out_w, x = pixel - y * c.out_w;
      for (int32_t i = 0; i < 4; ++i) {
        const int32_t in_y = y * c.stride_h - c.pad_h, in_x = x * c.stride_w - c.pad_w;
        if (in_place) {
          write_panel_row(panel, i, input + (pixel + i) * taps, taps);
        } else if (in_blocks) {
          write_panel_blocks(c, input, in_y, in_x, panel + i * 16);
        } else {
          copy_window(c, input, in_y, in_x, row);
          write_panel_row(panel, i, row, taps);
        }
        if (++x == c.out_w) {
          x = 0;
          ++y;
        }
      }
      for (int32_t first = 0, count = 0; pieces.next(&first, &count);) {
        const int32_t* parameters = memory.parameters(first, count);
        const GemmOut out = memory.out(output + pixel * c.out_c + first);
        const int8_t* w = c.weights + first * taps;
        const int32_t quads = count / 4;
        if (out.in_words()) {
          wick_mve_gemm_long(panel, w, parameters, out.out, out.offset, quads, taps, out.stride);
        } else {
          wick_mve_gemm_long(panel, w, parameters, out.stage, out.offset, quads, taps, 4 * quads);
          out.unstage(quads);
        }
      }
    }
  }
}

// acc + sum of (x + offset) * w
int32_t dot(int32_t acc, const int8_t* x, const int8_t* w, int32_t count, int32_t offset) {
  int32_t weights = 0;
  for (int32_t i = 0; i < count; i += 16) {
    const mve_pred16_t p = lanes8(count - i);
    const int8x16_t b = vldrbq_z_s8(w + i, p);
    acc = vmladavaq_p_s8(acc, vldrbq_z_s8(x + i, p), b, p);
    weights = vaddvaq_p_s8(weights, b, p);
  }
  return wrap_add(acc, wrap_mul(offset, weights));
}

// One output pixel; `rows` and `columns` are the taps inside the image, `first` the byte under the first of them.
void run_window(const Conv2dS8& c, scalar::Taps rows, scalar::Taps columns, const int8_t* first, int8_t* output) {
  const int32_t depth = c.in_c / c.groups, outputs = c.out_c / c.groups;
  const bool one_run = c.groups == 1 && c.dilation_w == 1;
  const int32_t runs = one_run ? 1 : columns.count(), length = one_run ? columns.count() * depth : depth;
  const int8_t* weights = c.weights + (rows.begin * c.kernel_w + columns.begin) * depth;
  for (int32_t o = 0; o < c.out_c; ++o, weights += c.kernel_h * c.kernel_w * depth) {
    const int8_t* input = first + o / outputs * depth;
    const int8_t* w = weights;
    int32_t acc = c.bias != nullptr ? c.bias[o] : 0;
    for (int32_t ky = 0; ky < rows.count(); ++ky) {
      for (int32_t run = 0; run < runs; ++run) {
        acc = dot(acc, input + run * c.dilation_w * c.in_c, w + run * depth, length, c.input_offset);
      }
      input += c.dilation_h * c.in_w * c.in_c;
      w += c.kernel_w * depth;
    }
    const int32_t out = wrap_add(requantize(acc, c.multiplier[o], c.shift[o]), c.output_offset);
    output[o] = static_cast<int8_t>(clamp(out, c.act_min, c.act_max));
  }
}

void run_windows(const Conv2dS8& c, const int8_t* input, int8_t* output) {
  for (int32_t n = 0; n < c.batch; ++n, input += c.in_h * c.in_w * c.in_c) {
    for (int32_t oy = 0; oy < c.out_h; ++oy) {
      const int32_t y = oy * c.stride_h - c.pad_h;
      const scalar::Taps rows = scalar::taps_inside(y, c.kernel_h, c.dilation_h, c.in_h);
      for (int32_t ox = 0; ox < c.out_w; ++ox, output += c.out_c) {
        const int32_t x = ox * c.stride_w - c.pad_w;
        const scalar::Taps columns = scalar::taps_inside(x, c.kernel_w, c.dilation_w, c.in_w);
        const int8_t* first = input;
        if (rows.count() > 0 && columns.count() > 0) {
          first += ((y + rows.begin * c.dilation_h) * c.in_w + x + columns.begin * c.dilation_w) * c.in_c;
        }
        run_window(c, rows, columns, first, output);
      }
    }
  }
}

}  // namespace

KernelMemory conv2d_s8_plan(Conv2dS8& c) {
  c.path = path_of(c);
  if (c.path == kWindows) return {};
  const ChannelPieces pieces = pieces_of(c, c.path);
  const int32_t taps = c.kernel_h * c.kernel_w * c.in_c;
  KernelMemory memory = {folds(c) ? static_cast<uint32_t>(c.out_c) * 4 : 0,
                         static_cast<uint32_t>(PieceMemory::scratch_bytes(pieces))};
  if (c.path == kShort) {
    const Windows w = windows_of(c);
    memory.scratch_bytes += static_cast<uint32_t>(pieces.size * w.row_bytes()) + ShortConvolution::scratch_bytes(w);
  } else if (c.path == kColumns) {
    memory.scratch_bytes += static_cast<uint32_t>((c.out_w + 2) * 48);
  } else if (c.path == kLong) {
    memory.scratch_bytes += static_cast<uint32_t>(round_up(taps, 16) * 4 + round_up(taps, 8));
  }
  return memory;
}

void conv2d_s8_prepare(Conv2dS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.path == kWindows || !folds(c)) return;
  fold_bias(static_cast<int32_t*>(prepared), c.bias, c.weights, c.out_c, c.kernel_h * c.kernel_w * c.in_c,
            c.input_offset);
}

void conv2d_s8(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  const Scratch memory = {static_cast<int8_t*>(scratch)};
  switch (c.path) {
    case kPixels:
      run_pixels(c, input, output, memory);
      break;
    case kShort:
      run_short(c, input, output, memory);
      break;
    case kColumns:
      run_columns(c, input, output, memory);
      break;
    case kLong:
      run_long(c, input, output, memory);
      break;
    default:
      run_windows(c, input, output);
      return;
  }
  clamp_in_place(output, static_cast<uint32_t>(c.batch * c.out_h * c.out_w * c.out_c), c.act_min, c.act_max);
}

}  // namespace wick::kernels::mve
