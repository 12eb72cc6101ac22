// How C++ calls the matrix cores (gemm.h). Knows outputs and pieces of channels; refuses to know convolutions.
#include "kernels/mve/gemm.h"

namespace wick::kernels::mve {

ChannelPieces::ChannelPieces(int32_t channels, int32_t bytes_per_channel, int32_t bytes) : channels(channels) {
  const int32_t whole = channels & ~3;
  int32_t most = bytes / bytes_per_channel & ~3;
  if (most < 4) most = 4;
  const int32_t pieces = (whole + most - 1) / most;
  size = round_up((whole + pieces - 1) / pieces, 4);
}

bool ChannelPieces::next(int32_t* first, int32_t* count) const {
  const int32_t done = *first + *count;
  if (done >= channels) return false;
  const int32_t left = channels - done;
  *first = left < 4 ? channels - 4 : done;
  *count = left < 4 ? 4 : left < size ? left & ~3 : size;
  return true;
}

WickMveGemm* short_core(int32_t k, bool relu) {
  if (k <= 16) return wick_mve_gemm_k16;
  if (k <= 32) return wick_mve_gemm_k32;
  if (k <= 48) return relu ? wick_mve_gemm_k48_relu : wick_mve_gemm_k48;
  return relu ? wick_mve_gemm_k64_relu : wick_mve_gemm_k64;
}

void GemmOut::unstage(int32_t quads) const {
  const int8_t* from = stage;
  int8_t* to = out;
  for (int32_t pixel = 0; pixel < 4; ++pixel, to += stride) {
    for (int32_t i = 0; i < 4 * quads; i += 4, from += 4) vstrbq_s32(to + i, vldrbq_s32(from));
  }
}

void run_core(WickMveGemm* core, const int8_t* x, int32_t x_step, const int8_t* w, const int32_t* parameters,
              const GemmOut& to, int32_t quads, int32_t groups) {
  if (to.in_words()) {
    core(x, w, parameters, to.out, to.offset, quads, groups, to.stride);
    return;
  }
  for (int32_t group = 0; group < groups; ++group) {
    core(x + group * x_step, w, parameters, to.stage, to.offset, quads, 1, 4 * quads);
    to.at(group * 4 * to.stride).unstage(quads);
  }
}

}  // namespace wick::kernels::mve
