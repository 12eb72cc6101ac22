// aten::native_layer_norm, native_group_norm and _native_batch_norm_legit in its variants: which elements make a group,
// and where a group's weight, bias and statistics lie.
#include "kernels/normalize.h"
#include "runtime/ops/aten_args.h"
#include "runtime/ops/ops.h"

namespace wick::ops {

namespace {

using kernels::Normalize;
using Loops = kernels::Nest<Normalize::kOperands>;
using kernels::NormalizeData;

struct Params {
  Normalize n;
  NormalizeData data;
  void* mean;
  void* other;  // variance or reciprocal deviation
  // Running statistics that training updates, or null.
  void* running_mean;
  void* running_variance;
  double momentum;
};

Status run_given(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::normalize(p.n, p.data, p.mean, p.other);
  return {};
}

Status run_own(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  kernels::normalize_by_own(p.n, p.data, p.mean, p.other);
  return {};
}

// Also moves the running statistics: towards the mean and the unbiased variance.
Status run_training(const void* params, RunContext&) {
  const auto& p = *static_cast<const Params*>(params);
  const int32_t channels = p.n.groups.inner_size();
  const DType dtype = p.n.statistic_dtype;
  kernels::group_statistics(p.n, p.data.x, p.mean, p.other);
  const double unbiased = p.n.count > 1 ? static_cast<double>(p.n.count) / (p.n.count - 1) : 1.0;
  for (int32_t c = 0; c < channels; ++c) {
    const double mean = kernels::load_f64(p.mean, dtype, c), variance = kernels::load_f64(p.other, dtype, c);
    const double old_mean = kernels::load_f64(p.running_mean, dtype, c);
    const double old_variance = kernels::load_f64(p.running_variance, dtype, c);
    kernels::store_f64(p.running_mean, dtype, c, old_mean + p.momentum * (mean - old_mean));
    kernels::store_f64(p.running_variance, dtype, c, old_variance + p.momentum * (variance * unbiased - old_variance));
  }
  kernels::normalize_by_own(p.n, p.data, p.mean, p.other);
  return {};
}

// Weight and bias, each optional; both of one dtype.
struct Parameters {
  Tensor weight, bias;
  bool has_weight = false, has_bias = false;
};

Parameters read_parameters(Prepare& p, uint32_t weight_arg, const Tensor& x, Normalize& n) {
  Parameters r;
  r.has_weight = p.optional_tensor(weight_arg, &r.weight);
  r.has_bias = p.optional_tensor(weight_arg + 1, &r.bias);
  n.parameter_dtype = r.has_weight ? r.weight.dtype : r.has_bias ? r.bias.dtype : x.dtype;
  if (r.has_weight) require_floating(p, weight_arg, r.weight);
  if (r.has_bias) require_floating(p, weight_arg + 1, r.bias);
  if (r.has_weight && r.has_bias) require_same_dtype(p, weight_arg + 1, r.bias, r.weight);
  return r;
}

// One value for each of `channels`.
void require_per_channel(Prepare& p, uint32_t arg, const Tensor& t, int32_t channels) {
  p.require(t.rank == 1 && t.size(0) == channels, Code::kInvalidProgram, arg, "expected one value for each of ",
            channels, " channels");
}

NormalizeData data_of(const Tensor& x, const Tensor& y, const Parameters& r) {
  return {x.data, y.data, r.has_weight ? r.weight.data : nullptr, r.has_bias ? r.bias.data : nullptr};
}

// Keeps the loops; a group's elements may come in any order.
void set_loops(Prepare& p, const Loops& groups, const Loops& elements, Normalize& n) {
  n.groups = groups.narrowed<3>();
  n.elements = elements.sorted().narrowed<3>();
  p.require(!n.groups.too_deep && !n.elements.too_deep, Code::kUnsupported, 0,
            "dimensions are too scattered in memory");
}

// Statistics of a dtype of their own: written as the operator's second and third output.
void read_statistics(Prepare& p, uint32_t arg, const int32_t* sizes, uint32_t rank, Tensor out[2], Normalize& n) {
  for (uint32_t i = 0; i < 2; ++i) {
    out[i] = p.output(arg + i);
    require_floating(p, arg + i, out[i]);
    require_same_dtype(p, arg + i, out[i], out[0]);
    p.resize(arg + i, &out[i], sizes, rank);
  }
  n.statistic_dtype = out[0].dtype;
}

}  // namespace

Status aten_native_layer_norm(Prepare& p) {
  p.require_arg_count(8);
  const Tensor x = p.tensor(0);
  const IntList shape = p.int_list(1);
  Normalize n{};
  const Parameters r = read_parameters(p, 2, x, n);
  n.eps = p.number(4);
  n.dtype = x.dtype;
  Tensor y = p.output(5);
  require_floating(p, 0, x);
  require_same_dtype(p, 5, y, x);
  p.resize(5, &y, x.sizes, x.rank);
  p.require(shape.count >= 1 && shape.count <= x.rank, Code::kInvalidProgram, 1, "normalized_shape has ", shape.count,
            " entries, the input has rank ", static_cast<uint32_t>(x.rank));
  if (p.failed()) return p.status();
  const uint32_t leading = x.rank - shape.count;
  int32_t statistic_sizes[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) statistic_sizes[i] = i < leading ? x.size(i) : 1;
  for (uint32_t i = 0; i < shape.count; ++i) {
    p.require(shape.items[i] == x.size(leading + i), Code::kInvalidProgram, 1, "normalized_shape ends in ",
              shape.items[i], ", the input in ", x.size(leading + i));
  }
  const Tensor* parameters[2] = {r.has_weight ? &r.weight : nullptr, r.has_bias ? &r.bias : nullptr};
  for (uint32_t k = 0; k < 2; ++k) {
    if (parameters[k] == nullptr ||
        !p.require(parameters[k]->rank == shape.count, Code::kInvalidProgram, 2 + k, "expected the normalized shape")) {
      continue;
    }
    for (uint32_t i = 0; i < shape.count; ++i) {
      p.require(parameters[k]->size(i) == shape.items[i], Code::kInvalidProgram, 2 + k,
                "expected the normalized shape");
    }
  }
  Tensor statistics[2];
  read_statistics(p, 6, statistic_sizes, x.rank, statistics, n);
  if (p.failed()) return p.status();
  if (x.numel() == 0) return p.finish_nothing();

  int32_t x_steps[kMaxRank], y_steps[kMaxRank], w_steps[kMaxRank] = {}, b_steps[kMaxRank] = {}, s_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(y, y_steps);
  strides_of(statistics[0], s_steps);
  p.require(same_layout(statistics[0], statistics[1]), Code::kUnsupported, 7, "another dim_order than the mean's");
  if (r.has_weight) strides_of(r.weight, w_steps);
  if (r.has_bias) strides_of(r.bias, b_steps);
  Loops groups, elements;
  for (uint32_t i = 0; i < leading; ++i) groups.add(x.size(i), {x_steps[i], y_steps[i], 0, 0, s_steps[i]});
  n.count = 1;
  for (uint32_t i = 0; i < shape.count; ++i) {
    const uint32_t dim = leading + i;
    n.count *= x.size(dim);
    elements.add(x.size(dim), {x_steps[dim], y_steps[dim], w_steps[i], b_steps[i], 0});
  }
  set_loops(p, groups, elements, n);
  return p.finish(run_own, Params{n, data_of(x, y, r), statistics[0].data, statistics[1].data, nullptr, nullptr, 0.0});
}

Status aten_native_group_norm(Prepare& p) {
  p.require_arg_count(11);
  const Tensor x = p.tensor(0);
  Normalize n{};
  const Parameters r = read_parameters(p, 1, x, n);
  const int32_t batch = p.int32(3), channels = p.int32(4), area = p.int32(5),
                group_count = p.int32_in(6, 1, kMaxExtent);
  n.eps = p.number(7);
  n.dtype = x.dtype;
  Tensor y = p.output(8);
  require_floating(p, 0, x);
  require_same_dtype(p, 8, y, x);
  p.resize(8, &y, x.sizes, x.rank);
  p.require(x.rank >= 2, Code::kInvalidProgram, 0, "expected rank 2 or more");
  if (p.failed()) return p.status();
  p.require(x.size(0) == batch && x.size(1) == channels, Code::kInvalidProgram, 3, "says ", batch, " images of ",
            channels, " channels, the input has ", x.size(0), " of ", x.size(1));
  int64_t spatial = 1;
  for (uint32_t i = 2; i < x.rank; ++i) spatial *= x.size(i);
  p.require(spatial == area, Code::kInvalidProgram, 5, "says ", area, " positions, the input has ", spatial);
  p.require(channels % group_count == 0, Code::kInvalidProgram, 6, channels, " channels do not divide into ",
            group_count, " groups");
  if (r.has_weight) require_per_channel(p, 1, r.weight, channels);
  if (r.has_bias) require_per_channel(p, 2, r.bias, channels);
  const int32_t sizes[2] = {batch, group_count};
  Tensor statistics[2];
  read_statistics(p, 9, sizes, 2, statistics, n);
  if (p.failed()) return p.status();
  p.require(same_layout(statistics[0], statistics[1]), Code::kUnsupported, 10, "another dim_order than the mean's");
  if (x.numel() == 0) return p.finish_nothing();

  int32_t x_steps[kMaxRank], y_steps[kMaxRank], s_steps[kMaxRank];
  strides_of(x, x_steps);
  strides_of(y, y_steps);
  strides_of(statistics[0], s_steps);
  const int32_t per_group = channels / group_count;
  n.count = per_group * area;
  Loops groups, elements;
  groups.add(batch, {x_steps[0], y_steps[0], 0, 0, s_steps[0]});
  groups.add(group_count, {x_steps[1] * per_group, y_steps[1] * per_group, per_group, per_group, s_steps[1]});
  elements.add(per_group, {x_steps[1], y_steps[1], 1, 1, 0});
  for (uint32_t i = 2; i < x.rank; ++i) elements.add(x.size(i), {x_steps[i], y_steps[i], 0, 0, 0});
  set_loops(p, groups, elements, n);
  return p.finish(run_own, Params{n, data_of(x, y, r), statistics[0].data, statistics[1].data, nullptr, nullptr, 0.0});
}

namespace {

// Batch normalisation's input and first output; groups are channels.
struct Batch {
  Tensor x, y;
  Parameters parameters;
  int32_t channels;
};

Batch read_batch(Prepare& p, uint32_t out_arg, Normalize& n) {
  Batch b{};
  b.x = p.tensor(0);
  b.parameters = read_parameters(p, 1, b.x, n);
  b.y = p.output(out_arg);
  n.dtype = b.x.dtype;
  require_floating(p, 0, b.x);
  require_same_dtype(p, out_arg, b.y, b.x);
  p.resize(out_arg, &b.y, b.x.sizes, b.x.rank);
  p.require(b.x.rank >= 2, Code::kInvalidProgram, 0, "expected rank 2 or more");
  if (p.failed()) return b;
  b.channels = b.x.size(1);
  if (b.parameters.has_weight) require_per_channel(p, 1, b.parameters.weight, b.channels);
  if (b.parameters.has_bias) require_per_channel(p, 2, b.parameters.bias, b.channels);
  if (p.failed()) return b;
  int32_t x_steps[kMaxRank], y_steps[kMaxRank];
  strides_of(b.x, x_steps);
  strides_of(b.y, y_steps);
  Loops groups, elements;
  groups.add(b.channels, {x_steps[1], y_steps[1], 1, 1, 1});
  n.count = 1;
  for (uint32_t i = 0; i < b.x.rank; ++i) {
    if (i == 1) continue;
    n.count *= b.x.size(i);
    elements.add(b.x.size(i), {x_steps[i], y_steps[i], 0, 0, 0});
  }
  set_loops(p, groups, elements, n);
  return b;
}

// By running statistics. The other outputs are left empty, as PyTorch does.
Status batch_norm_given(Prepare& p, uint32_t eps_arg) {
  Normalize n{};
  const uint32_t out = eps_arg + 1;
  const Batch b = read_batch(p, out, n);
  const Tensor mean = p.tensor(3), variance = p.tensor(4);
  n.eps = p.number(eps_arg);
  require_floating(p, 3, mean);
  require_same_dtype(p, 4, variance, mean);
  static constexpr int32_t kEmpty[1] = {0};
  for (uint32_t i = 1; i < 3; ++i) {
    Tensor unused = p.output(out + i);
    p.resize(out + i, &unused, kEmpty, 1);
  }
  if (p.failed()) return p.status();
  require_per_channel(p, 3, mean, b.channels);
  require_per_channel(p, 4, variance, b.channels);
  if (p.failed()) return p.status();
  n.statistic_dtype = mean.dtype;
  if (b.x.numel() == 0) return p.finish_nothing();
  return p.finish(run_given,
                  Params{n, data_of(b.x, b.y, b.parameters), mean.data, variance.data, nullptr, nullptr, 0.0});
}

// By the batch's own statistics, which go out as mean and reciprocal deviation.
Status batch_norm_own(Prepare& p, uint32_t eps_arg, bool has_running) {
  Normalize n{};
  const uint32_t out = eps_arg + 1;
  const Batch b = read_batch(p, out, n);
  n.eps = p.number(eps_arg);
  const double momentum = p.number(eps_arg - 1);
  Tensor statistics[2];
  const int32_t sizes[1] = {b.channels};
  if (p.failed()) return p.status();
  read_statistics(p, out + 1, sizes, 1, statistics, n);
  Tensor running[2];
  for (uint32_t i = 0; has_running && i < 2; ++i) {
    running[i] = p.output(3 + i);
    if (p.failed()) return p.status();
    require_same_dtype(p, 3 + i, running[i], statistics[0]);
    require_per_channel(p, 3 + i, running[i], b.channels);
  }
  if (p.failed()) return p.status();
  if (b.x.numel() == 0) return p.finish_nothing();
  return p.finish(has_running ? run_training : run_own,
                  Params{n, data_of(b.x, b.y, b.parameters), statistics[0].data, statistics[1].data, running[0].data,
                         running[1].data, momentum});
}

}  // namespace

Status aten_native_batch_norm_legit_no_training(Prepare& p) {
  p.require_arg_count(10);
  return batch_norm_given(p, 6);
}

Status aten_native_batch_norm_legit(Prepare& p) {
  p.require_arg_count(11);
  return p.boolean(5) ? batch_norm_own(p, 7, true) : batch_norm_given(p, 7);
}

Status aten_native_batch_norm_legit_no_stats(Prepare& p) {
  p.require_arg_count(9);
  p.require(p.boolean(3), Code::kInvalidProgram, 3, "without running statistics, training must be true");
  return batch_norm_own(p, 5, false);
}

}  // namespace wick::ops
