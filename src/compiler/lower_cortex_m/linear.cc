// Linear layers and matrix products.
#include <numeric>

#include "compiler/lower_cortex_m/rules.h"
#include "compiler/lower_cortex_m/scratch.h"

namespace wick::compiler {

namespace {

// One multiplier for each output: as a 1x1 convolution over as many rows as there are.
Value* per_channel(const Site& site, const Quantized& x, const QuantizedConstant& w,
                   const std::optional<std::vector<int64_t>>& bias) {
  const int64_t out = w.q->type.sizes[0], in = w.q->type.sizes[1], rows = x.q->type.numel() / in;
  std::vector<int64_t> multipliers, shifts;
  for (int64_t o = 0; o < out; ++o) {
    const FixedPoint factor = fixed_point(x.params.scale * w.scale_of(static_cast<size_t>(o)) / site.output.scale);
    multipliers.push_back(factor.multiplier);
    shifts.push_back(factor.shift);
  }
  // Rows are pixels of one column; in memory nothing moves.
  Value* image = site.build()("aten::permute_copy", {site.view(x.q, {1, rows, 1, in}), Ints{0, 3, 1, 2}});
  Value* result = site.build()(
      "cortex_m::quantized_conv2d",
      {image, site.int8_constant("_weight_nhwc", {out, 1, 1, in}, integers(*w.q)),
       bias ? site.int32_constant("_bias", *bias) : nullptr, Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, -x.params.zero_point,
       site.output.zero_point, site.int32_constant("_quantized_multiplier", multipliers),
       site.int32_constant("_quantized_shift", shifts), site.low, site.high, site.scratch(0)},
      site.name);
  result = site.build()("aten::permute_copy", {result, Ints{0, 2, 3, 1}});
  return site.view(result, site.node->output()->type.sizes);
}

}  // namespace

Value* lower_linear(const Site& site) {
  if (site.node->op != "aten::linear") return nullptr;
  const auto x = quantized(site.node->arg(0).tensor());
  const auto w = quantized_constant(site.node->arg(1).tensor());
  if (!x || !w || w->q->type.dtype != DType::kInt8 || !w->symmetric()) return nullptr;
  if (w->per_channel() && w->axis != 0) return nullptr;
  const int64_t out = w->q->type.sizes[0], in = w->q->type.sizes[1];
  std::vector<double> bias_scale;
  for (int64_t o = 0; o < out; ++o) bias_scale.push_back(x->params.scale * w->scale_of(static_cast<size_t>(o)));
  const Value* real_bias = site.node->arg(2).tensor();
  const auto bias = int32_bias(real_bias, bias_scale);
  if (real_bias != nullptr && !bias) return nullptr;
  if (w->per_channel()) return per_channel(site, *x, *w, bias);

  const FixedPoint factor = fixed_point(x->params.scale * w->scale[0] / site.output.scale);
  Value *bias_value = nullptr, *kernel_sum = nullptr;
  const std::vector<int64_t> weights = integers(*w->q);
  if (site.options.isa == Isa::kMve) {
    // All that does not depend on the input: Helium's kernel takes it ready made.
    std::vector<int64_t> sums;
    for (int64_t o = 0; o < out; ++o) {
      const auto row = weights.begin() + o * in;
      const int64_t sum = std::accumulate(row, row + in, int64_t{0});
      sums.push_back(-x->params.zero_point * sum + (bias ? (*bias)[static_cast<size_t>(o)] : 0));
    }
    kernel_sum = site.int32_constant("_kernel_sum", sums);
    kernel_sum = site.view(kernel_sum, {1, out});
  } else if (bias) {
    bias_value = site.int32_constant("_bias", *bias);
  }
  Value* weight = site.int8_constant("_weight", {out, in}, weights);
  return site.build()("cortex_m::quantized_linear",
                      {x->q, weight, bias_value, kernel_sum, -x->params.zero_point, int64_t{0}, site.output.zero_point,
                       Ints{factor.multiplier}, Ints{factor.shift}, site.high, site.low},
                      site.name);
}

Value* lower_matmul(const Site& site) {
  const std::string& op = site.node->op;
  const bool any_rank = op == "aten::matmul" || op == "aten::mm";
  if (op != "aten::bmm" && !(any_rank && !site.options.executorch_only)) return nullptr;
  const auto left = quantized(site.node->arg(0).tensor()), right = quantized(site.node->arg(1).tensor());
  if (!left || !right || site.low != -128 || site.high != 127) return nullptr;
  const Shape &a = left->q->type.sizes, &b = right->q->type.sizes;
  const size_t rank = a.size();
  // Leading dimensions must be the same: they become one.
  if (rank < 2 || b.size() != rank || !std::equal(a.begin(), a.end() - 2, b.begin())) return nullptr;
  const int64_t batch = std::accumulate(a.begin(), a.end() - 2, int64_t{1}, std::multiplies<>());
  const int64_t m = a[rank - 2], k = a[rank - 1], n = b[rank - 1];
  const FixedPoint factor = fixed_point(left->params.scale * right->params.scale / site.output.scale);
  Value* transposed = site.build()("cortex_m::transpose", {site.view(right->q, {batch, k, n}), Ints{0, 2, 1}});
  Value* result = site.build()("cortex_m::quantized_batch_matmul",
                               {site.view(left->q, {batch, m, k}), -left->params.zero_point, transposed,
                                -right->params.zero_point, site.output.zero_point, int64_t{factor.multiplier},
                                int64_t{factor.shift}, site.scratch(batch_matmul_scratch_bytes(n, site.options.isa))},
                               site.name);
  return site.view(result, site.node->output()->type.sizes);
}

}  // namespace wick::compiler
