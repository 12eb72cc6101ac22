// Output types of convolutions, matrix products, pools, normalisation, resampling and recurrent layers.
#include <algorithm>
#include <cmath>

#include "compiler/type_rules.h"

namespace wick::compiler {

namespace {

constexpr int64_t kMost = int64_t{1} << 31;

void require_same_dtype(const Call& call, const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype) call.fail("operands are ", dtype_name(a.dtype), " and ", dtype_name(b.dtype));
}

void require_vector(const Call& call, size_t i, int64_t length, std::string_view name) {
  const TensorType* type = call.optional_tensor(i);
  if (type != nullptr && type->sizes != Shape{length}) {
    call.fail(name, " is ", describe(*type), ", but must have ", length, " elements in one dimension");
  }
}

struct Windows {
  Ints stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;
};

// What all convolutions share: input [N, C, spatial...] or [C, spatial...], weight [O, C / groups, spatial...], or
// [C, O / groups, spatial...] where transposed.
Types convolved(const Call& call, const Windows& windows) {
  const TensorType& x = call.tensor(0);
  const TensorType& weight = call.tensor(1);
  require_same_dtype(call, x, weight);
  const size_t rank = weight.sizes.size();
  call.require(rank >= 3 && rank <= 5, "weight must have three to five dimensions");
  call.require(x.sizes.size() == rank || x.sizes.size() == rank - 1, "input and weight differ in rank");
  const bool batched = x.sizes.size() == rank;
  const size_t spatial = rank - 2;
  const size_t channels_at = batched ? 1 : 0;
  const int64_t groups = windows.groups;
  call.require(groups > 0, "groups must be positive");
  const int64_t channels = x.sizes[channels_at];
  const int64_t per_group = windows.transposed ? weight.sizes[0] : weight.sizes[1] * groups;
  call.require(channels == per_group && channels % groups == 0, "weight does not fit the input's channels");
  call.require(windows.transposed || weight.sizes[0] % groups == 0, "output channels must be a multiple of groups");
  const int64_t out_channels = windows.transposed ? weight.sizes[1] * groups : weight.sizes[0];
  require_vector(call, 2, out_channels, "bias");
  Shape sizes;
  if (batched) sizes.push_back(x.sizes[0]);
  sizes.push_back(out_channels);
  const auto at = [spatial, &call](const Ints& list, size_t i, int64_t least) {
    call.require(list.size() == spatial || list.size() == 1, "stride, padding or dilation has a wrong length");
    const int64_t value = list.size() == 1 ? list[0] : list[i];
    call.require(value >= least && value <= kMost, "stride, padding or dilation is out of range");
    return value;
  };
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t in = x.sizes[channels_at + 1 + i], window = weight.sizes[2 + i];
    const int64_t stride = at(windows.stride, i, 1), padding = at(windows.padding, i, 0);
    const int64_t dilation = at(windows.dilation, i, 1);
    call.require(window > 0, "the window is empty");
    if (windows.transposed) {
      const int64_t extra = at(windows.output_padding, i, 0);
      sizes.push_back((in - 1) * stride - 2 * padding + dilation * (window - 1) + extra + 1);
    } else {
      sizes.push_back(window_count(call, in, window, stride, padding, dilation, false));
    }
  }
  return {checked_type(call, x.dtype, std::move(sizes), batched ? x.dim_order : std::vector<uint8_t>{})};
}

Types convolution(const Call& call) {
  return convolved(call, {call.ints(3), call.ints(4), call.ints(5), call.ints(7), call.flag(6), call.integer(8)});
}

Types conv_nd(const Call& call) {
  const size_t spatial = static_cast<size_t>(call.op()[10] - '0');
  call.require(call.tensor(1).sizes.size() == spatial + 2, "weight has a wrong rank");
  return convolved(call, {call.ints(3), call.ints(4), call.ints(5), {}, false, call.integer(6)});
}

// padding is "valid" or "same"
Types conv_padding(const Call& call) {
  Types types = convolved(call, {call.ints(3), {0}, call.ints(5), {}, false, call.integer(6)});
  if (call.text(4) == "valid") return types;
  call.require(call.text(4) == "same", "padding must be 'valid' or 'same'");
  const TensorType& x = call.tensor(0);
  const size_t spatial = call.tensor(1).sizes.size() - 2;
  for (const int64_t stride : call.ints(3)) call.require(stride == 1, "padding 'same' needs stride 1");
  std::copy(x.sizes.end() - static_cast<int64_t>(spatial), x.sizes.end(),
            types[0].sizes.end() - static_cast<int64_t>(spatial));
  return types;
}

Types conv_transpose(const Call& call) {
  return convolved(call, {call.ints(3), call.ints(4), call.ints(7), call.ints(5), true, call.integer(6)});
}

Types linear(const Call& call) {
  const TensorType& x = call.tensor(0);
  const TensorType& weight = call.tensor(1);
  require_same_dtype(call, x, weight);
  call.require(weight.sizes.size() == 2 && !x.sizes.empty() && x.sizes.back() == weight.sizes[1],
               "weight does not fit the input's last dimension");
  require_vector(call, 2, weight.sizes[0], "bias");
  Shape sizes = x.sizes;
  sizes.back() = weight.sizes[0];
  return {checked_type(call, x.dtype, std::move(sizes))};
}

Types product(const Call& call, const TensorType& a, const TensorType& b, size_t rank) {
  require_same_dtype(call, a, b);
  call.require(a.sizes.size() == rank && b.sizes.size() == rank, "the operands have a wrong rank");
  call.require(a.sizes[rank - 1] == b.sizes[rank - 2], "the operands do not fit");
  call.require(rank == 2 || a.sizes[0] == b.sizes[0], "the batches differ");
  Shape sizes = a.sizes;
  sizes[rank - 1] = b.sizes[rank - 1];
  return {checked_type(call, a.dtype, std::move(sizes))};
}

Types mm(const Call& call) { return product(call, call.tensor(0), call.tensor(1), 2); }
Types bmm(const Call& call) { return product(call, call.tensor(0), call.tensor(1), 3); }

Types addmm_of(const Call& call, size_t rank) {
  Types types = product(call, call.tensor(1), call.tensor(2), rank);
  call.require(broadcast(call, call.tensor(0).sizes, types[0].sizes) == types[0].sizes, "self does not broadcast");
  return types;
}

Types addmm(const Call& call) { return addmm_of(call, 2); }
Types baddbmm(const Call& call) { return addmm_of(call, 3); }

Types mv(const Call& call) {
  const TensorType& a = call.tensor(0);
  call.require(a.sizes.size() == 2 && call.tensor(1).sizes == Shape{a.sizes[1]}, "the operands do not fit");
  return {checked_type(call, a.dtype, {a.sizes[0]})};
}

Types dot(const Call& call) {
  call.require(call.tensor(0).sizes.size() == 1 && call.tensor(0).sizes == call.tensor(1).sizes,
               "the operands do not fit");
  return {TensorType{call.tensor(0).dtype, {}, {}}};
}

Types outer(const Call& call) {
  call.require(call.tensor(0).sizes.size() == 1 && call.tensor(1).sizes.size() == 1, "takes vectors");
  return {checked_type(call, call.tensor(0).dtype, {call.tensor(0).sizes[0], call.tensor(1).sizes[0]})};
}

Types matmul(const Call& call) {
  const TensorType& a = call.tensor(0);
  const TensorType& b = call.tensor(1);
  require_same_dtype(call, a, b);
  Shape left = a.sizes, right = b.sizes;
  call.require(!left.empty() && !right.empty(), "the operands need dimensions");
  if (left.size() == 1) left.insert(left.begin(), 1);
  if (right.size() == 1) right.push_back(1);
  call.require(left.back() == right[right.size() - 2], "the operands do not fit");
  Shape sizes = broadcast(call, Shape(left.begin(), left.end() - 2), Shape(right.begin(), right.end() - 2));
  if (a.sizes.size() > 1) sizes.push_back(left[left.size() - 2]);
  if (b.sizes.size() > 1) sizes.push_back(right.back());
  return {checked_type(call, a.dtype, std::move(sizes))};
}

Types attention(const Call& call) {
  const TensorType& query = call.tensor(0);
  const Shape &key = call.tensor(1).sizes, &value = call.tensor(2).sizes;
  const size_t rank = query.sizes.size();
  call.require(rank >= 2 && key.size() == rank && value.size() == rank, "query, key and value differ in rank");
  call.require(query.sizes[rank - 1] == key[rank - 1] && key[rank - 2] == value[rank - 2],
               "query, key and value do not fit");
  Shape sizes = query.sizes;
  sizes[rank - 1] = value[rank - 1];
  return {checked_type(call, query.dtype, std::move(sizes))};
}

int64_t channels_of(const Call& call, const TensorType& x) {
  call.require(x.sizes.size() >= 2, "the input needs a channel dimension");
  return x.sizes[1];
}

Types batch_norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  const int64_t channels = channels_of(call, x);
  for (size_t i = 1; i <= 4; ++i) require_vector(call, i, channels, "a parameter");
  return {x};
}

Types batch_norm_no_training(const Call& call) {
  Types types = batch_norm(call);
  types.push_back({types[0].dtype, {0}, {}});
  types.push_back({types[0].dtype, {0}, {}});
  return types;
}

void require_norm_weights(const Call& call, const Shape& normalized, size_t first) {
  for (const size_t i : {first, first + 1}) {
    const TensorType* type = call.optional_tensor(i);
    call.require(type == nullptr || type->sizes == normalized, "weight or bias has other sizes than normalized_shape");
  }
}

Shape normalized_tail(const Call& call, const TensorType& x) {
  const Ints& normalized = call.ints(1);
  call.require(!normalized.empty() && normalized.size() <= x.sizes.size() &&
                   std::equal(normalized.rbegin(), normalized.rend(), x.sizes.rbegin()),
               "normalized_shape is not how the input's sizes end");
  return normalized;
}

Types layer_norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  require_norm_weights(call, normalized_tail(call, x), 2);
  return {x};
}

Types rms_norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  const Shape normalized = normalized_tail(call, x);
  const TensorType* weight = call.optional_tensor(2);
  call.require(weight == nullptr || weight->sizes == normalized, "weight has other sizes than normalized_shape");
  return {x};
}

Types native_layer_norm(const Call& call) {
  Types types = layer_norm(call);
  types[0].dim_order.clear();
  Shape outer = types[0].sizes;
  std::fill(outer.end() - static_cast<int64_t>(call.ints(1).size()), outer.end(), 1);
  types.push_back({types[0].dtype, outer, {}});
  types.push_back({types[0].dtype, outer, {}});
  return types;
}

Types group_norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  const int64_t channels = channels_of(call, x);
  call.require(call.integer(1) > 0 && channels % call.integer(1) == 0, "channels must be a multiple of num_groups");
  require_norm_weights(call, {channels}, 2);
  return {x};
}

Types native_group_norm(const Call& call) {
  const TensorType& x = call.tensor(0);
  const int64_t batch = call.integer(3), channels = call.integer(4), area = call.integer(5), group = call.integer(6);
  call.require(x.sizes.size() >= 2 && x.sizes[0] == batch && x.sizes[1] == channels && group > 0 &&
                   channels % group == 0 && area >= 0 && batch * channels * area == x.numel(),
               "N, C, HxW and group do not fit the input");
  require_norm_weights(call, {channels}, 1);
  const TensorType stats{x.dtype, {batch, group}, {}};
  return {x, stats, stats};
}

Types instance_norm(const Call& call) {
  const int64_t channels = channels_of(call, call.tensor(0));
  for (size_t i = 1; i <= 4; ++i) require_vector(call, i, channels, "a parameter");
  return {call.tensor(0)};
}

// kernel at 1, stride at 2 (empty: kernel), padding at 3
TensorType pooled(const Call& call, size_t spatial, const Ints& dilation, bool ceil_mode) {
  const TensorType& x = call.tensor(0);
  const Ints& kernel = call.ints(1, spatial, 1);
  const Ints& stride = call.ints(2).empty() ? kernel : call.ints(2, spatial, 1);
  const Ints& padding = call.ints(3, spatial, 0);
  call.require(x.sizes.size() == spatial + 1 || x.sizes.size() == spatial + 2, "the input has a wrong rank");
  Shape sizes = x.sizes;
  for (size_t i = 0; i < spatial; ++i) {
    call.require(padding[i] <= kernel[i] / 2, "padding is more than half the kernel");
    int64_t& size = sizes[sizes.size() - spatial + i];
    size = window_count(call, size, kernel[i], stride[i], padding[i], dilation[i], ceil_mode);
  }
  return checked_type(call, x.dtype, std::move(sizes), x.dim_order);
}

Types max_pool2d(const Call& call) { return {pooled(call, 2, call.ints(4, 2, 1), call.flag(5))}; }
Types max_pool1d(const Call& call) { return {pooled(call, 1, call.ints(4, 1, 1), call.flag(5))}; }
Types avg_pool2d(const Call& call) { return {pooled(call, 2, {1, 1}, call.flag(4))}; }
Types avg_pool1d(const Call& call) { return {pooled(call, 1, {1}, call.flag(4))}; }

Types max_pool2d_with_indices(const Call& call) {
  Types types = max_pool2d(call);
  types.push_back(types[0]);
  types[1].dtype = DType::kInt64;
  return types;
}

Types adaptive(const Call& call) {
  const bool one = call.op().ends_with("1d");
  const size_t spatial = one ? 1 : 2;
  TensorType type = call.tensor(0);
  const Ints& wanted = call.ints(1, spatial, 1);
  call.require(type.sizes.size() > spatial, "the input has a wrong rank");
  std::copy(wanted.begin(), wanted.end(), type.sizes.end() - static_cast<int64_t>(spatial));
  type = checked_type(call, type.dtype, type.sizes, type.dim_order);
  if (call.op().find("max") == std::string::npos) return {type};
  return {type, {DType::kInt64, type.sizes, type.dim_order}};
}

// output_size at 1, scale_factors at the end
Types upsample(const Call& call) {
  TensorType type = call.tensor(0);
  const size_t spatial = call.op().find("1d") != std::string::npos ? 1 : 2;
  call.require(type.sizes.size() == spatial + 2, "the input has a wrong rank");
  const size_t factors_at = call.size() - 1;
  call.require(call.has(1) != call.has(factors_at), "one of output_size and scale_factors must be given");
  for (size_t i = 0; i < spatial; ++i) {
    int64_t& size = type.sizes[2 + i];
    if (call.has(1)) {
      size = call.ints(1, spatial, 1)[i];
      continue;
    }
    const std::vector<double> factors = call.doubles(factors_at, spatial);
    const double wanted = std::floor(static_cast<double>(size) * factors[i]);
    call.require(wanted >= 1 && wanted < 2147483648.0, "a scale factor is out of range");
    size = static_cast<int64_t>(wanted);
  }
  return {checked_type(call, type.dtype, type.sizes, type.dim_order)};
}

// Recurrent layers: input, state, parameters, has_biases, num_layers, dropout, train, bidirectional, batch_first.
// Parameters per layer and direction: w_ih [gates * H, in], w_hh [gates * H, H or projection], biases.
Types recurrent(const Call& call) {
  const bool lstm = call.op() == "aten::lstm.input";
  const int64_t gates = lstm ? 4 : call.op() == "aten::gru.input" ? 3 : 1;
  const TensorType& x = call.tensor(0);
  const auto parameters = call.tensors(2);
  const bool biases = call.flag(3), bidirectional = call.flag(7), batch_first = call.flag(8);
  const int64_t layers = call.integer(4), directions = bidirectional ? 2 : 1;
  call.require(x.sizes.size() == 3 || x.sizes.size() == 2, "the input has a wrong rank");
  call.require(layers > 0 && layers < 1000, "num_layers is out of range");
  const size_t each = biases ? 4 : 2;
  call.require(parameters.size() == each * static_cast<size_t>(layers * directions),
               "the number of parameters is wrong, or the layer has a projection, which is not supported");
  call.require(parameters[1] != nullptr && parameters[1]->sizes.size() == 2, "a weight has a wrong rank");
  const int64_t hidden = parameters[1]->sizes[1];
  const TensorType& state = lstm ? *[&call] {
    const auto states = call.tensors(1);
    call.require(states.size() == 2 && states[0] != nullptr && states[1] != nullptr && *states[0] == *states[1],
                 "hx must be two tensors alike");
    return states[0];
  }() : call.tensor(1);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const int64_t in = i / each < static_cast<size_t>(directions) ? x.sizes.back() : hidden * directions;
    const size_t which = i % each;
    const Shape expected = which == 0   ? Shape{gates * hidden, in}
                           : which == 1 ? Shape{gates * hidden, hidden}
                                        : Shape{gates * hidden};
    call.require(parameters[i] != nullptr && parameters[i]->sizes == expected, "a parameter has wrong sizes");
  }
  Shape state_sizes{layers * directions};
  if (x.sizes.size() == 3) state_sizes.push_back(x.sizes[batch_first ? 0 : 1]);
  state_sizes.push_back(hidden);
  call.require(state.sizes == state_sizes, "hx has wrong sizes");
  Shape sizes = x.sizes;
  sizes.back() = hidden * directions;
  Types types{checked_type(call, x.dtype, std::move(sizes)), {x.dtype, state_sizes, {}}};
  if (lstm) types.push_back(types[1]);
  return types;
}

Types glu(const Call& call) {
  TensorType type = call.tensor(0);
  call.require(!type.sizes.empty(), "the input has no dimensions");
  int64_t& size = type.sizes[wrap(call.integer(1), type.sizes.size(), call.op() + ": dimension")];
  call.require(size % 2 == 0, "the dimension must be even");
  size /= 2;
  type.dim_order.clear();
  return {type};
}

Types dropout_with_mask(const Call& call) {
  TensorType mask = call.tensor(0);
  mask.dtype = DType::kBool;
  return {call.tensor(0), mask};
}

void add(TypeRules& rules, TypeRule rule, std::initializer_list<const char*> names) {
  for (const char* name : names) rules[std::string("aten::") + name] = rule;
}

}  // namespace

void add_nn_rules(TypeRules& rules) {
  add(rules, convolution, {"convolution", "_convolution"});
  add(rules, conv_nd, {"conv1d", "conv2d", "conv3d"});
  add(rules, conv_padding, {"conv1d.padding", "conv2d.padding"});
  add(rules, conv_transpose, {"conv_transpose1d", "conv_transpose2d.input"});
  add(rules, linear, {"linear"});
  add(rules, mm, {"mm"});
  add(rules, bmm, {"bmm"});
  add(rules, addmm, {"addmm"});
  add(rules, baddbmm, {"baddbmm"});
  add(rules, mv, {"mv"});
  add(rules, dot, {"dot"});
  add(rules, outer, {"outer"});
  add(rules, matmul, {"matmul"});
  add(rules, attention, {"scaled_dot_product_attention"});
  add(rules, batch_norm, {"batch_norm"});
  add(rules, batch_norm_no_training, {"_native_batch_norm_legit_no_training"});
  add(rules, layer_norm, {"layer_norm"});
  add(rules, rms_norm, {"rms_norm"});
  add(rules, native_layer_norm, {"native_layer_norm"});
  add(rules, group_norm, {"group_norm"});
  add(rules, native_group_norm, {"native_group_norm"});
  add(rules, instance_norm, {"instance_norm"});
  add(rules, max_pool2d, {"max_pool2d"});
  add(rules, max_pool1d, {"max_pool1d"});
  add(rules, avg_pool2d, {"avg_pool2d"});
  add(rules, avg_pool1d, {"avg_pool1d"});
  add(rules, max_pool2d_with_indices, {"max_pool2d_with_indices"});
  add(rules, adaptive,
      {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_max_pool1d",
       "adaptive_max_pool2d"});
  add(rules, upsample,
      {"upsample_nearest2d.vec", "upsample_bilinear2d.vec", "upsample_nearest1d.vec", "upsample_linear1d.vec"});
  add(rules, recurrent, {"lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input"});
  add(rules, glu, {"glu"});
  add(rules, dropout_with_mask, {"native_dropout"});
}

}  // namespace wick::compiler
