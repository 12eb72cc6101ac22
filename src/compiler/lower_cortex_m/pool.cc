// Pools and means over an image's rows and columns, and borders.
#include <algorithm>

#include "compiler/lower_cortex_m/rules.h"
#include "compiler/lower_cortex_m/scratch.h"

namespace wick::compiler {

namespace {

struct Pool {
  Ints kernel, stride, padding;
  bool ceil_mode = false, count_include_pad = false;
};

Value* average(const Site& site, const Quantized& x, const Pool& pool) {
  Value* input = x.q;
  Ints padding = pool.padding;
  // The kernel counts valid elements only; borders that count are made of the zero point first.
  if (pool.count_include_pad && (padding[0] != 0 || padding[1] != 0)) {
    input = site.build()("aten::constant_pad_nd",
                         {input, Ints{padding[1], padding[1], padding[0], padding[0]}, x.params.zero_point});
    padding = {0, 0};
  }
  const FixedPoint factor = fixed_point(x.params.scale);
  Value* result = site.build()(
      "cortex_m::quantized_avg_pool2d",
      {input, pool.kernel, pool.stride, padding, pool.ceil_mode, x.params.zero_point, int64_t{factor.multiplier},
       int64_t{factor.shift}, site.scratch(avg_pool_scratch_bytes(x.q->type.sizes[1], site.options.isa))},
      site.name);
  return site.requantized(result, x.params, site.output);
}

bool is_rows_and_columns(const Argument& argument) {
  const Ints* dims = argument.get<Ints>();
  if (dims == nullptr || dims->size() != 2) return false;
  Ints sorted = *dims;
  for (int64_t& dim : sorted) dim = dim < 0 ? dim + 4 : dim;
  std::sort(sorted.begin(), sorted.end());
  return sorted == Ints{2, 3};
}

// The whole image in one window.
Value* global_average(const Site& site, const Quantized& x) {
  const Shape& sizes = x.q->type.sizes;
  Value* result = average(site, x, {{sizes[2], sizes[3]}, {1, 1}, {0, 0}, false, false});
  return site.view(result, site.node->output()->type.sizes);
}

Value* maximum(const Site& site, const Quantized& x) {
  const Node& node = *site.node;
  const Ints kernel = pair_of(node.arg(1), {1, 1}), stride = pair_of(node.arg(2), kernel),
             padding = pair_of(node.arg(3), {0, 0}), dilation = pair_of(node.arg(4), {1, 1});
  const bool ceil_mode = *node.arg(5).get<bool>();
  if (dilation != Ints{1, 1} || ceil_mode) {
    const bool bounded = site.low != -128 || site.high != 127;
    if (bounded || !(x.params == site.output)) return nullptr;
    Node* pool =
        site.build().node("aten::max_pool2d_with_indices", {x.q, kernel, stride, padding, dilation, ceil_mode});
    return pool->output();
  }
  // Bounds are of the output's meaning, the pool's own is the input's.
  if (!(x.params == site.output) && (site.low != -128 || site.high != 127)) return nullptr;
  Value* result = site.build()(
      "cortex_m::quantized_max_pool2d",
      {x.q, kernel, stride, padding, dilation, false, x.params.zero_point, x.params.zero_point, site.low, site.high},
      site.name);
  return site.requantized(result, x.params, site.output);
}

}  // namespace

Value* lower_pool(const Site& site) {
  const Node& node = *site.node;
  const std::string name = family(node.op);
  if (node.args().empty()) return nullptr;
  const auto x = quantized(node.arg(0).tensor());
  if (!x || x->q->type.sizes.size() != 4) return nullptr;
  if (name == "aten::max_pool2d" || (name == "aten::max_pool2d_with_indices" && node.output(1)->users().empty())) {
    return maximum(site, *x);
  }
  if (site.low != -128 || site.high != 127) return nullptr;
  if (name == "aten::avg_pool2d") {
    if (!node.arg(6).is_none()) return nullptr;
    const Ints kernel = pair_of(node.arg(1), {1, 1});
    return average(site, *x,
                   {kernel, pair_of(node.arg(2), kernel), pair_of(node.arg(3), {0, 0}), *node.arg(4).get<bool>(),
                    *node.arg(5).get<bool>()});
  }
  if (name == "aten::_adaptive_avg_pool2d" && !site.options.executorch_only) {
    const Shape& out = node.output()->type.sizes;
    if (out[2] == 1 && out[3] == 1) return global_average(site, *x);
  }
  if (node.op == "aten::mean.dim" && !site.options.executorch_only && is_rows_and_columns(node.arg(1))) {
    return global_average(site, *x);
  }
  return nullptr;
}

Value* lower_pad(const Site& site) {
  const Node& node = *site.node;
  const bool constant_mode = node.op == "aten::pad" && node.arg(2).get<std::string>() != nullptr &&
                             *node.arg(2).get<std::string>() == "constant";
  if (node.op != "aten::constant_pad_nd" && !constant_mode) return nullptr;
  const auto x = quantized(node.arg(0).tensor());
  const Ints* pads = node.arg(1).get<Ints>();
  if (!x || pads == nullptr) return nullptr;
  const double value = node.args().back().number().value_or(0);
  Value* result = site.build()("aten::constant_pad_nd", {x->q, *pads, quantized_bound(value, x->params)}, site.name);
  return site.requantized(result, x->params, site.output);
}

}  // namespace wick::compiler
