// Carries out a plan: puts quantize and dequantize nodes where tensors become int8 and where they are read, and int8
// and int32 constants behind dequantize nodes in the place of weights and biases. Rounding is torchao's, in float32.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/graph.h"
#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

// Layers' mean inputs by channel, whose weights' rounding errors the bias then makes up for.
using InputMeans = std::unordered_map<const Node*, std::vector<double>>;

// `qparams` by QuantizePlan::find.
void insert_qdq(Graph& graph, const QuantizePlan& plan, std::span<const QParams> qparams,
                const InputMeans& input_means = {});

}  // namespace wick::compiler
