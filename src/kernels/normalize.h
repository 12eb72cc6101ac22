// Normalisation: y = (x - mean) / sqrt(var + eps) * weight + bias over groups of elements, whose mean and (biased)
// variance are computed or given. Layer, group and batch normalisation differ only in what a group is. Knows strides in
// elements; refuses to know what a tensor is.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/nest.h"

namespace wick::kernels {

struct Normalize {
  enum Operand : uint32_t { kX, kY, kWeight, kBias, kStatistic, kOperands };
  Nest<kOperands, 3> groups;    // from group to group
  Nest<kOperands, 3> elements;  // inside a group; no step in the statistics
  int32_t count = 0;            // elements in a group
  double eps = 0.0;
  DType dtype, parameter_dtype, statistic_dtype;
};

struct NormalizeData {
  const void* x;
  void* y;
  const void* weight;  // or null: 1
  const void* bias;    // or null: 0
};

// The statistics are given.
void normalize(const Normalize& n, const NormalizeData& data, const void* mean, const void* variance);
// The statistics are computed; mean and 1 / sqrt(var + eps) are written.
void normalize_by_own(const Normalize& n, const NormalizeData& data, void* mean, void* reciprocal_deviation);
// Statistics alone: mean and biased variance of each group.
void group_statistics(const Normalize& n, const void* x, void* mean, void* variance);

}  // namespace wick::kernels
