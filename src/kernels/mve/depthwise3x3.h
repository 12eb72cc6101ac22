// What C++ hands to the assembly of the 3x3 depthwise convolution (depthwise3x3.S).
#pragma once

#include <cstdint>

namespace wick::kernels::mve {

// The order of the members is the assembly's contract.
struct Depthwise3x3 {
  const int8_t* planes;
  const int8_t* weights;
  const int32_t* parameters;
  int8_t* out;
  const uint16_t* offsets;
  int32_t out_offset, channels, units, plane_bytes, out_step, tail;
};
struct ToPlanes {
  const int8_t* from;
  int8_t* to;
  int32_t rows, columns, channels, row_step, plane_bytes, plane_row;
};

}  // namespace wick::kernels::mve

extern "C" {
using WickMveDepthwise = void(wick::kernels::mve::Depthwise3x3* arguments);
WickMveDepthwise wick_mve_depthwise3x3_run, wick_mve_depthwise3x3_run_relu;
WickMveDepthwise wick_mve_depthwise3x3_strip, wick_mve_depthwise3x3_strip_s2;
void wick_mve_to_planes(const wick::kernels::mve::ToPlanes* arguments);
}
