// Outer loops of float convolution. Both kinds come down to lattices: outputs at regular distances whose taps lie at
// regular distances in the input. A plain convolution is one lattice per axis; a transposed one has `stride` of them,
// one for each phase, so that no product is computed for nothing and every output is written once.
#include "kernels/conv_float.h"

#include <utility>

#include "core/quant.h"
#include "kernels/row3_f32.h"
#include "kernels/tile_f32.h"

namespace wick::kernels {

namespace {

// Output number t of a lattice lies at first + t * step; its tap j reads input base + t * per_output + j * per_tap with
// kernel position k_first + j * k_step.
struct Lattice {
  int32_t first, step, count;
  int32_t base, per_output, per_tap;
  int32_t taps, k_first, k_step;
  int32_t full_begin, full_end;  // the outputs whose taps are all inside the input
};

struct TapRange {
  int32_t begin, end;
};

// The taps of output t that are inside the input: an interval, whichever way they run.
TapRange inside(const Lattice& l, int32_t in, int32_t t) {
  const int32_t at = l.base + t * l.per_output;
  TapRange range{0, l.taps};
  const auto outside = [&](int32_t tap) {
    const int32_t position = at + tap * l.per_tap;
    return position < 0 || position >= in;
  };
  while (range.begin < range.end && outside(range.begin)) ++range.begin;
  while (range.begin < range.end && outside(range.end - 1)) --range.end;
  return range;
}

void find_full(Lattice& l, int32_t in) {
  const auto full = [&](int32_t t) {
    const TapRange range = inside(l, in, t);
    return range.end - range.begin == l.taps;
  };
  l.full_begin = 0;
  l.full_end = l.count;
  while (l.full_begin < l.full_end && !full(l.full_begin)) ++l.full_begin;
  while (l.full_begin < l.full_end && !full(l.full_end - 1)) --l.full_end;
}

Lattice plain_lattice(const ConvAxis& a) {
  Lattice l{};
  l.step = 1;
  l.count = a.out;
  l.base = -a.pad;
  l.per_output = a.stride;
  l.per_tap = a.dilation;
  l.taps = a.kernel;
  l.k_step = 1;
  find_full(l, a.in);
  return l;
}

int32_t gcd(int32_t a, int32_t b) {
  while (b != 0) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The outputs at phase, phase + stride, ...: the kernel positions that meet them repeat with the period
// stride / gcd(dilation, stride), and consecutive ones read inputs a fixed distance apart, backwards.
Lattice transposed_lattice(const ConvAxis& a, int32_t phase) {
  Lattice l{};
  l.first = phase;
  l.step = a.stride;
  l.count = phase < a.out ? (a.out - phase - 1) / a.stride + 1 : 0;
  l.per_output = 1;
  l.k_step = a.stride / gcd(a.dilation, a.stride);
  l.per_tap = -(a.dilation / gcd(a.dilation, a.stride));
  while (l.k_first < l.k_step && l.k_first < a.kernel && (phase + a.pad - l.k_first * a.dilation) % a.stride != 0) {
    ++l.k_first;
  }
  if (l.k_first < l.k_step && l.k_first < a.kernel) {
    l.taps = (a.kernel - l.k_first - 1) / l.k_step + 1;
    l.base = (phase + a.pad - l.k_first * a.dilation) / a.stride;
  }
  find_full(l, a.in);
  return l;
}

// What a block of channels has in common.
struct Block {
  const TileData& data;
  const Tile& tile;
  bool many_channels;
  BlockSteps steps;
  BlockStart start;
};

// The taps of a window by how much of it is inside; the last answer is kept, as neighbours mostly ask the same.
class TapsOf {
 public:
  TapsOf(const ConvFloat& c, const Lattice& v, const Lattice& h)
      : channels_{c.in_per_group, c.in_channel, c.w_in},
        rows_{-1, wrap_mul(v.per_tap, c.v.in_step), wrap_mul(v.k_step, c.v.w_step)},
        columns_{-1, wrap_mul(h.per_tap, c.h.in_step), wrap_mul(h.k_step, c.h.w_step)} {}

  const Taps& operator()(int32_t rows, int32_t columns) {
    if (rows != rows_.count || columns != columns_.count) {
      rows_.count = rows;
      columns_.count = columns;
      taps_ = order_taps(channels_, rows_, columns_);
    }
    return taps_;
  }
  const TapLoop& rows() const { return rows_; }
  const TapLoop& columns() const { return columns_; }

 private:
  TapLoop channels_, rows_, columns_;
  Taps taps_{};
};

// `count` outputs in a line with the same taps: in blocks, the last of which may overlap the one before.
void convolve_line(const Block& block, const BlockSteps& steps, const Taps& taps, const BlockStart& first,
                   int32_t count) {
  const BlockSum one = block.tile.sum[0][block.many_channels], many = block.tile.sum[1][block.many_channels];
  const int32_t pixels = block.tile.pixels;
  int32_t t = 0;
  while (t < count) {
    const int32_t left = count - t;
    const bool block_fits = left >= pixels || (left >= 2 && count >= pixels);
    if (block_fits && left < pixels) t = count - pixels;
    BlockStart start = first;
    start.x += t * steps.x_pixel;
    start.out += t * steps.out_pixel;
    (block_fits ? many : one)(block.data, taps, steps, start);
    t += block_fits ? pixels : 1;
  }
}

// A row for single channels in and out, with three taps of which at most one is outside.
void convolve_row_3(const ConvFloat& c, const Lattice& h, const Block& block, const TapsOf& taps,
                    const BlockStart& row) {
  const Row3 r{taps.rows().x, taps.columns().x, block.steps.x_pixel,
               taps.rows().w, taps.columns().w, block.steps.out_pixel};
  const auto* bias = static_cast<const float*>(block.data.bias);
  row3_f32(r, taps.rows().count, static_cast<const float*>(block.data.x) + row.x + h.base * c.h.in_step,
           static_cast<const float*>(block.data.w) + row.w + h.k_first * c.h.w_step,
           bias != nullptr ? bias[row.bias] : 0.0f, static_cast<float*>(block.data.out) + row.out, h.count,
           h.full_begin > 0, h.full_end < h.count);
}

bool fits_row_3(const ConvFloat& c, const Lattice& h, const Block& block) {
  if (block.tile.pixels == 1 || block.many_channels || c.in_per_group != 1 || h.taps != 3) return false;
  if (h.full_begin > 1 || h.full_end < h.count - 1 || h.full_begin >= h.full_end) return false;
  const TapRange first = inside(h, c.h.in, 0), last = inside(h, c.h.in, h.count - 1);
  return first.begin <= 1 && first.end == 3 && last.begin == 0 && last.end >= 2;
}

// Where the window of output t of a row starts, with the taps in `range`.
BlockStart in_row(const ConvFloat& c, const Lattice& h, const Block& block, const BlockStart& row, int32_t t,
                  const TapRange& range) {
  BlockStart start = row;
  if (range.begin < range.end) {
    start.x += (h.base + t * h.per_output + range.begin * h.per_tap) * c.h.in_step;
    start.w += (h.k_first + range.begin * h.k_step) * c.h.w_step;
  }
  start.out += t * block.steps.out_pixel;
  return start;
}

// The same for row t of an image.
BlockStart in_image(const ConvFloat& c, const Lattice& v, const Lattice& h, const Block& block, int32_t t,
                    const TapRange& range) {
  BlockStart start = block.start;
  if (range.begin < range.end) {
    start.x += (v.base + t * v.per_output + range.begin * v.per_tap) * c.v.in_step;
    start.w += (v.k_first + range.begin * v.k_step) * c.v.w_step;
  }
  start.out += (v.first + t * v.step) * c.v.out_step + h.first * c.h.out_step;
  return start;
}

// All outputs of two lattices for a block of channels: their weights stay in a cache meanwhile. What a row's ends cut
// off runs down the columns, where neighbours have the same taps.
void convolve_block(const ConvFloat& c, const Lattice& v, const Lattice& h, const Block& block) {
  TapsOf full_taps(c, v, h), edge_taps(c, v, h);
  const bool row_3 = fits_row_3(c, h, block);
  const BlockSteps down{wrap_mul(v.per_output, c.v.in_step), block.steps.w_channel,  0, 1,
                        wrap_mul(v.step, c.v.out_step),      block.steps.out_channel};
  const auto cut_outputs = [&](auto each) {
    for (int32_t t = 0; t < h.full_begin; ++t) each(t);
    for (int32_t t = h.full_end; t < h.count; ++t) each(t);
  };
  for (int32_t t = 0; t < v.count; ++t) {
    const TapRange range = inside(v, c.v.in, t);
    const int32_t rows = range.end - range.begin;
    const BlockStart row = in_image(c, v, h, block, t, range);
    const Taps& taps = full_taps(rows, h.taps);
    if (row_3 && (rows == 2 || rows == 3)) {
      convolve_row_3(c, h, block, full_taps, row);
      continue;
    }
    if (h.full_begin < h.full_end) {
      convolve_line(block, block.steps, taps, in_row(c, h, block, row, h.full_begin, {0, h.taps}),
                    h.full_end - h.full_begin);
    }
    if (!row_3 && t >= v.full_begin && t < v.full_end) continue;
    cut_outputs([&](int32_t o) {
      const TapRange columns = inside(h, c.h.in, o);
      convolve_line(block, block.steps, edge_taps(rows, columns.end - columns.begin),
                    in_row(c, h, block, row, o, columns), 1);
    });
  }
  if (row_3 || v.full_begin >= v.full_end) return;
  const BlockStart first = in_image(c, v, h, block, v.full_begin, {0, v.taps});
  cut_outputs([&](int32_t o) {
    const TapRange columns = inside(h, c.h.in, o);
    convolve_line(block, down, edge_taps(v.taps, columns.end - columns.begin), in_row(c, h, block, first, o, columns),
                  v.full_end - v.full_begin);
  });
}

void convolve_lattice(const ConvFloat& c, const Lattice& v, const Lattice& h, const TileData& data, const Tile& tile) {
  if (v.count == 0 || h.count == 0) return;
  const BlockSteps steps{wrap_mul(h.per_output, c.h.in_step), c.w_out,      0, 1,
                         wrap_mul(h.step, c.h.out_step),      c.out_channel};
  for (int32_t n = 0; n < c.batch; ++n) {
    for (int32_t g = 0; g < c.groups; ++g) {
      int32_t o = 0;
      while (o < c.out_per_group) {
        const int32_t channel = g * c.out_per_group + o;
        const BlockStart start{n * c.in_batch + g * c.in_per_group * c.in_channel, g * c.w_group + o * c.w_out, channel,
                               n * c.out_batch + channel * c.out_channel};
        const int32_t left = c.out_per_group - o;
        const bool many = left >= tile.channels;
        convolve_block(c, v, h, Block{data, tile, many, steps, start});
        o += many ? tile.channels : 1;
      }
    }
  }
}

// True when the axis does nothing but carry positions over.
bool is_pointwise(const ConvAxis& a) { return a.kernel == 1 && a.stride == 1 && a.pad == 0 && a.in == a.out; }

}  // namespace

void conv_float_plan(ConvFloat& c) {
  for (ConvAxis* a : {&c.v, &c.h}) {
    // Steps that are never taken; set so that products with them stay small.
    if (a->kernel == 1) a->dilation = 1;
    if (!c.transposed && a->out == 1) a->stride = 1;
  }
  if (is_pointwise(c.v) && is_pointwise(c.h)) {
    if (c.v.in_step == c.h.in * c.h.in_step && c.v.out_step == c.h.out * c.h.out_step) {
      c.h.in = c.h.out = c.v.in * c.h.in;
      c.v.in = c.v.out = 1;
    } else if (c.h.in_step == c.v.in * c.v.in_step && c.h.out_step == c.v.out * c.v.out_step) {
      c.v.in = c.v.out = c.v.in * c.h.in;
      c.h.in = c.h.out = 1;
    }
  }
  // Blocks of pixels run along the inner axis, and its ends cost most: let it be the longer one.
  if (c.v.out > c.h.out) std::swap(c.v, c.h);
}

void conv_float(const ConvFloat& c, const void* input, const void* weights, const void* bias, void* output) {
  const TileData data{input, weights, bias, output, c.dtype, c.bias_dtype};
  const Tile& tile = tile_for(data);
  if (!c.transposed) return convolve_lattice(c, plain_lattice(c.v), plain_lattice(c.h), data, tile);
  for (int32_t phase_v = 0; phase_v < c.v.stride && phase_v < c.v.out; ++phase_v) {
    const Lattice v = transposed_lattice(c.v, phase_v);
    for (int32_t phase_h = 0; phase_h < c.h.stride && phase_h < c.h.out; ++phase_h) {
      convolve_lattice(c, v, transposed_lattice(c.h, phase_h), data, tile);
    }
  }
}

}  // namespace wick::kernels
