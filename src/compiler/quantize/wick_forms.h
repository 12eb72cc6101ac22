// Pieces that wick's rewrites are made of: constants, views, sums along a dimension, broadcasts written out.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph.h"
#include "compiler/type_of.h"

namespace wick::compiler {

// Largest constant that is written out to spare a broadcast, in elements.
inline constexpr int64_t kMostBroadcast = 65536;

const float* floats(const Value* constant);
files::Array array_of(const std::vector<float>& values, const Shape& sizes);
// Of sizes[from] to sizes[to - 1].
int64_t product(const Shape& sizes, size_t from, size_t to);
// The value itself where nothing changes.
Value* reshaped(Builder& build, Value* value, const Shape& sizes);
Value* permuted(Builder& build, Value* value, const std::vector<size_t>& order);
// Sums over the last dimension times `factor`, plus `more`: [.., 1].
Value* summed_last(Builder& build, Value* x, double factor, const std::string& name, float more = 0);
// [N, C, L] as [N, C, 1, L].
Shape with_height(const Shape& sizes);
// Copies of `value` until it has `sizes`; constants are written out.
Value* broadcast(Builder& build, Value* value, const Shape& sizes);

// A node's first output in other operators, built before the node; null where the rule does not apply.
Value* layer_norm_in_parts(Builder& build, const Node& node);
Value* batch_norm_as_convolution(Builder& build, const Node& node);

}  // namespace wick::compiler
