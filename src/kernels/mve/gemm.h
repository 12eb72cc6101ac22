// The assembly matrix cores and how C++ calls them: which core, where its output goes when rows are not made of whole
// words, and how channels are cut so that scratch stays small.
#pragma once

#include "kernels/mve/requantize.h"

extern "C" {
using WickMveGemm = void(const int8_t* x, const int8_t* w, const int32_t* parameters, int8_t* out, int32_t out_offset,
                         int32_t quads, int32_t groups, int32_t out_stride);
WickMveGemm wick_mve_gemm_k16, wick_mve_gemm_k32, wick_mve_gemm_k48, wick_mve_gemm_k64;
WickMveGemm wick_mve_gemm_k48_relu, wick_mve_gemm_k64_relu;
WickMveGemm wick_mve_conv3x3_c16;
void wick_mve_gemm_long(const int8_t* panel, const int8_t* w, const int32_t* parameters, int8_t* out,
                        int32_t out_offset, int32_t quads, int32_t k, int32_t out_stride);
}

namespace wick::kernels::mve {

constexpr int32_t round_up(int32_t value, int32_t step) { return (value + step - 1) / step * step; }

// Rows up to here go through an unrolled core.
constexpr int32_t kShortRow = 64;
constexpr int32_t kParameterBytes = 12;  // per channel

// Output channels in pieces of at most `size`, a multiple of 4. Where 4 does not divide them, the last piece is the
// last four channels, some of them for the second time.
struct ChannelPieces {
  int32_t channels, size;
  // At least 4 channels; `bytes` is the budget for all of a piece's channels.
  ChannelPieces(int32_t channels, int32_t bytes_per_channel, int32_t bytes);
  // Moves to the next piece; starts from {0, 0}.
  bool next(int32_t* first, int32_t* count) const;
};

// What requantization needs of each output channel, word-aligned.
struct Channels {
  const int32_t* start;  // bias with the input offset folded in
  const int32_t* multiplier;
  const int32_t* shift;
};

// Hands out scratch, 8-byte aligned.
struct Scratch {
  int8_t* at;
  int8_t* take(int32_t bytes) {
    int8_t* p = at;
    at += round_up(bytes, 8);
    return p;
  }
};

// The unrolled core for rows of `k` bytes, a multiple of 16 up to kShortRow.
WickMveGemm* short_core(int32_t k, bool relu);

// Runs a core on groups of four pixels. An output that is not word-aligned is gathered in `stage` (16 bytes per quad)
// and copied byte by byte.
struct GemmOut {
  int8_t* out;
  int32_t stride, offset;
  int8_t* stage;
  bool in_words() const { return ((reinterpret_cast<uintptr_t>(out) | static_cast<uintptr_t>(stride)) & 3) == 0; }
  GemmOut at(int32_t bytes) const { return {out + bytes, stride, offset, stage}; }
  // Copies the staged group of four pixels out.
  void unstage(int32_t quads) const;
};
// `x_step` is the distance between groups in x.
void run_core(WickMveGemm* core, const int8_t* x, int32_t x_step, const int8_t* w, const int32_t* parameters,
              const GemmOut& to, int32_t quads, int32_t groups);

// What every convolution takes from scratch first: parameter blocks of one piece of channels, and the stage.
class PieceMemory {
 public:
  static int32_t scratch_bytes(const ChannelPieces& pieces) {
    return round_up(pieces.size * kParameterBytes, 8) + round_up(pieces.size * 4, 8);
  }
  PieceMemory(const ChannelPieces& pieces, const Channels& channels, int32_t output_offset, Scratch* scratch)
      : channels_(channels),
        parameters_(reinterpret_cast<int32_t*>(scratch->take(pieces.size * kParameterBytes))),
        stage_(scratch->take(pieces.size * 4)),
        stride_(pieces.channels),
        offset_(output_offset) {}

  // Written only when another piece's lie there.
  const int32_t* parameters(int32_t first, int32_t count) {
    if (first != first_ || count != count_) {
      first_ = first;
      count_ = count;
      write_quad_parameters(parameters_, channels_.start + first, channels_.multiplier + first, channels_.shift + first,
                            count / 4);
    }
    return parameters_;
  }
  GemmOut out(int8_t* at) const { return {at, stride_, offset_, stage_}; }

 private:
  Channels channels_;
  int32_t* parameters_;
  int8_t* stage_;
  int32_t stride_, offset_, first_ = -1, count_ = 0;
};

}  // namespace wick::kernels::mve
