// aten::mm, bmm, addmm and linear: one matrix product, repeated over whatever leads it.
#include "kernels/matmul_float.h"
#include "kernels/nest.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

// Leading dimensions: steps of x, w and out from one product to the next, in elements.
using Lead = kernels::Nest<3, 4>;

struct Params {
  kernels::Matmul matmul;
  Lead lead;
  const uint8_t* x;
  const uint8_t* w;
  const uint8_t* bias;
  uint8_t* out;
};

Status run_one(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::matmul(p.matmul, p.x, p.w, p.bias, p.out);
  return {};
}

Status run_many(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  const int32_t bytes = static_cast<int32_t>(dtype_bytes(p.matmul.dtype));
  p.lead.for_each_run([&](const int32_t(&at)[3]) {
    int32_t x = at[0], w = at[1], out = at[2];
    for (int32_t i = 0; i < p.lead.inner_size(); ++i) {
      kernels::matmul(p.matmul, p.x + x * bytes, p.w + w * bytes, p.bias, p.out + out * bytes);
      x += p.lead.inner_step(0);
      w += p.lead.inner_step(1);
      out += p.lead.inner_step(2);
    }
  });
  return {};
}

Status finish(Prepare& p, Params& params, const Tensor& x, const Tensor& w, const Tensor* bias, const Tensor& out) {
  if (p.failed()) return p.status();
  if (out.numel() == 0) return p.finish_nothing();
  p.require(!params.lead.too_deep, Code::kUnsupported, 0, "leading dimensions are too scattered in memory");
  params.matmul.dtype = x.dtype;
  params.matmul.bias_dtype = bias != nullptr ? bias->dtype : x.dtype;
  params.x = x.as<const uint8_t>();
  params.w = w.as<const uint8_t>();
  params.bias = bias != nullptr ? bias->as<const uint8_t>() : nullptr;
  params.out = out.as<uint8_t>();
  return p.finish(params.lead.loops > 0 ? run_many : run_one, params);
}

void require_number(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(dtype_bytes(t.dtype) != 0 && t.dtype != DType::kBool, Code::kUnsupported, arg, "is ", dtype_name(t.dtype),
            ", expected numbers");
}

// [rows, depth] x [depth, columns], in the last two dimensions of tensors of the given rank.
void read_product(Prepare& p, uint32_t x_arg, const Tensor& x, uint32_t w_arg, const Tensor& w, uint32_t out_arg,
                  Tensor& out, uint32_t rank, kernels::Matmul& m) {
  require_number(p, x_arg, x);
  require_same_dtype(p, w_arg, w, x);
  require_same_dtype(p, out_arg, out, x);
  p.require_rank(x_arg, x, rank);
  p.require_rank(w_arg, w, rank);
  if (p.failed()) return;
  const uint32_t r = rank - 2, c = rank - 1;
  p.require(x.size(c) == w.size(r), Code::kInvalidProgram, w_arg, "has ", w.size(r), " rows, expected ", x.size(c));
  p.require(rank == 2 || x.size(0) == w.size(0), Code::kInvalidProgram, w_arg, "has batch ", w.size(0), ", expected ",
            x.size(0));
  const int32_t sizes[3] = {rank == 2 ? x.size(r) : x.size(0), rank == 2 ? w.size(c) : x.size(r), w.size(c)};
  p.resize(out_arg, &out, sizes, rank);
  if (p.failed()) return;
  int32_t x_steps[kMaxRank], w_steps[kMaxRank], out_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(w, w_steps);
  strides_of(out, out_steps);
  m.rows = x.size(r), m.depth = x.size(c), m.columns = w.size(c);
  m.x_row = x_steps[r], m.x_depth = x_steps[c];
  m.w_depth = w_steps[r], m.w_column = w_steps[c];
  m.out_row = out_steps[r], m.out_column = out_steps[c];
}

}  // namespace

Status aten_mm(Prepare& p) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0), w = p.tensor(1);
  Tensor out = p.output(2);
  Params params{};
  read_product(p, 0, x, 1, w, 2, out, 2, params.matmul);
  return finish(p, params, x, w, nullptr, out);
}

Status aten_bmm(Prepare& p) {
  p.require_arg_count(3);
  const Tensor x = p.tensor(0), w = p.tensor(1);
  Tensor out = p.output(2);
  Params params{};
  read_product(p, 0, x, 1, w, 2, out, 3, params.matmul);
  if (p.failed()) return p.status();
  int32_t x_steps[kMaxRank], w_steps[kMaxRank], out_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(w, w_steps);
  strides_of(out, out_steps);
  params.lead.add(x.size(0), {x_steps[0], w_steps[0], out_steps[0]});
  return finish(p, params, x, w, nullptr, out);
}

Status aten_addmm(Prepare& p) {
  p.require_arg_count(6);
  const Tensor self = p.tensor(0), x = p.tensor(1), w = p.tensor(2);
  const double beta = p.number(3), alpha = p.number(4);
  Tensor out = p.output(5);
  Params params{};
  kernels::Matmul& m = params.matmul;
  read_product(p, 1, x, 2, w, 5, out, 2, m);
  require_same_dtype(p, 0, self, x);
  p.require(self.rank <= 2, Code::kInvalidProgram, 0, "expected rank 0 to 2, found ", static_cast<uint32_t>(self.rank));
  if (p.failed()) return p.status();
  int32_t steps[kMaxRank];
  strides_of(self, steps);
  // Aligned from the right; a size of 1 serves all.
  const int32_t sizes[2] = {m.rows, m.columns};
  int32_t bias_steps[2] = {0, 0};
  for (uint32_t i = 0; i < self.rank; ++i) {
    const uint32_t dim = 2 - self.rank + i;
    p.require(self.size(i) == sizes[dim] || self.size(i) == 1, Code::kInvalidProgram, 0, "size ", self.size(i),
              " of dimension ", i, " does not broadcast to ", sizes[dim]);
    bias_steps[dim] = self.size(i) == 1 ? 0 : steps[i];
  }
  m.bias_row = bias_steps[0], m.bias_column = bias_steps[1];
  m.alpha = alpha, m.beta = beta;
  // PyTorch ignores self, not even passing its NaN on, when beta is 0.
  return finish(p, params, x, w, beta == 0.0 ? nullptr : &self, out);
}

Status aten_linear(Prepare& p) {
  p.require_arg_count(4);
  const Tensor x = p.tensor(0), w = p.tensor(1);
  Tensor bias;
  const bool has_bias = p.optional_tensor(2, &bias);
  Tensor out = p.output(3);
  require_number(p, 0, x);
  require_same_dtype(p, 1, w, x);
  require_same_dtype(p, 3, out, x);
  p.require(x.rank >= 1, Code::kInvalidProgram, 0, "expected rank 1 or more");
  p.require_rank(1, w, 2);
  if (p.failed()) return p.status();
  const uint32_t last = x.rank - 1u;
  p.require(w.size(1) == x.size(last), Code::kInvalidProgram, 1, "is for ", w.size(1), " features, expected ",
            x.size(last));
  if (has_bias) {
    require_same_dtype(p, 2, bias, x);
    p.require(bias.rank <= 1 && (bias.numel() == 1 || bias.size(0) == w.size(0)), Code::kInvalidProgram, 2,
              "expected one value for each of ", w.size(0), " outputs");
  }
  int32_t sizes[kMaxRank];
  for (uint32_t i = 0; i < last; ++i) sizes[i] = x.size(i);
  sizes[last] = w.size(0);
  p.resize(3, &out, sizes, x.rank);
  if (p.failed()) return p.status();

  int32_t x_steps[kMaxRank], w_steps[kMaxRank], out_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(w, w_steps);
  strides_of(out, out_steps);
  Params params{};
  kernels::Matmul& m = params.matmul;
  // The innermost of the fused leading dimensions gives the rows, the others repeat the product.
  Lead lead;
  for (uint32_t i = 0; i < last; ++i) lead.add(x.size(i), {x_steps[i], 0, out_steps[i]});
  m.rows = lead.inner_size(), m.depth = x.size(last), m.columns = w.size(0);
  m.x_row = lead.inner_step(0), m.x_depth = x_steps[last];
  m.out_row = lead.inner_step(2), m.out_column = out_steps[last];
  m.w_depth = w_steps[1], m.w_column = w_steps[0];
  m.bias_column = has_bias && bias.numel() == 1 ? 0 : 1;
  if (lead.loops > 0) --lead.loops;
  params.lead = lead;
  return finish(p, params, x, w, has_bias ? &bias : nullptr, out);
}

}  // namespace wick::ops
