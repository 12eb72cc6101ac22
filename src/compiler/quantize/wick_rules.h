// wick's own quantizer: everything that integer operators can compute becomes int8, and what they cannot is first
// written in terms of what they can. Float islands are left only where a rule for them is missing or where the caller
// wants float. Refuses to know how any of it is lowered.
#pragma once

#include <functional>

#include "compiler/graph.h"
#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

struct WickRules {
  bool per_channel = true;  // scales of convolutions' weights, and of linear layers' where it gains
  // Those of linear layers with one row of input too: as a 1x1 convolution these take two to three times as long.
  bool per_channel_single_rows = false;
  // Nodes that must stay float; null: none.
  std::function<bool(const Node&)> keep_float;
};

// Rewrites in the float domain: normalisations into weights or parts, means as sums of products, one-dimensional
// convolutions and pools as two-dimensional ones, softmax over the last axis, broadcasts written out.
void prepare_for_wick(Graph& graph, const WickRules& rules);

// A linear layer with one row of input whose weights would gain by a scale for each output.
bool is_single_row_that_gains(const Node& node);

QuantizePlan plan_for_wick(const Graph& graph, const WickRules& rules);

}  // namespace wick::compiler
