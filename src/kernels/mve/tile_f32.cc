// Blocks of float sums have no Helium form: handed to scalar:: as they are.
#include "kernels/tile_f32.h"

namespace wick::kernels::mve {

void block_4x4_f32(const TileData& data, const Taps& taps, const BlockSteps& steps, const BlockStart& start) {
  scalar::block_4x4_f32(data, taps, steps, start);
}

}  // namespace wick::kernels::mve
