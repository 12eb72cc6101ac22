// What an int8 tensor's integers mean: one scale and zero point for the whole tensor.
#pragma once

#include <cstdint>

namespace wick::compiler {

// real = scale * (q - zero_point).
struct QParams {
  double scale = 1;
  int64_t zero_point = 0;
  bool operator==(const QParams&) const = default;
};

}  // namespace wick::compiler
