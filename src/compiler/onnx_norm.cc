// ONNX's normalisations as ATen's.
#include <algorithm>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

void batch_norm(OnnxCall& call) {
  call.require(call.integer("training_mode", 0) == 0, "the model is in training mode; export it for inference");
  const double momentum = 0.1, epsilon = call.real("epsilon", 1e-5);
  call.set(call("aten::_native_batch_norm_legit_no_training",
                {call.in(0), call.in(1), call.in(2), call.in(3), call.in(4), momentum, epsilon}));
}

// Each channel of each image by itself: groups of one channel.
void group_norm(OnnxCall& call, int64_t groups, Value* scale, Value* bias) {
  const Shape s = call.sizes(0);
  call.require(s.size() >= 3 && groups >= 1 && s[1] % groups == 0, "takes images whose channels form whole groups");
  int64_t plane = 1;
  for (size_t i = 2; i < s.size(); ++i) plane *= s[i];
  call.set(call("aten::native_group_norm",
                {call.in(0), scale, bias, s[0], s[1], plane, groups, call.real("epsilon", 1e-5)}));
}

void instance_norm(OnnxCall& call) {
  call.require(call.rank(0) >= 3, "takes images");
  group_norm(call, call.sizes(0)[1], call.in(1), call.in(2));
}

// Scale and bias for each channel, or (opset 18) for each group.
void group_normalization(OnnxCall& call) {
  const int64_t groups = call.integer("num_groups", 0);
  call.require(call.rank(0) >= 3 && groups >= 1, "takes images and groups");
  const int64_t channels = call.sizes(0)[1];
  const auto per_channel = [&](Value* x) {
    if (x->type.numel() == channels) return x;
    call.require(x->type.numel() == groups && channels % groups == 0, "its scale fits neither channels nor groups");
    Value* wide = call("aten::expand_copy", {call.view(x, {groups, 1}), Ints{groups, channels / groups}});
    return call.view(wide, {channels});
  };
  group_norm(call, groups, per_channel(call.in(1)), per_channel(call.in(2)));
}

void layer_norm(OnnxCall& call) {
  const Shape& s = call.sizes(0);
  const size_t axis = call.axis(-1, s.size());
  const Shape normalized(s.begin() + static_cast<int64_t>(axis), s.end());
  call.require(!call.wants(1) && !call.wants(2), "its mean and deviation are not supported as outputs");
  const auto whole = [&](Value* x) {
    if (x == nullptr || x->type.sizes == normalized) return x;
    int64_t count = 1;
    for (const int64_t one : normalized) count *= one;
    return x->type.numel() == count ? call.view(x, normalized) : call("aten::expand_copy", {x, normalized});
  };
  call.set(call("aten::native_layer_norm",
                {call.in(0), normalized, whole(call.in(1)), whole(call.optional(2)), call.real("epsilon", 1e-5)}));
}

void rms_norm(OnnxCall& call) {
  const size_t axis = call.axis(-1, call.sizes(0).size());
  Ints dims;
  for (size_t i = axis; i < call.sizes(0).size(); ++i) dims.push_back(static_cast<int64_t>(i));
  Value* x = call.in(0);
  Value* square = call("aten::mean.dim", {call("aten::mul.Tensor", {x, x}), dims, true});
  Value* shifted = call("aten::add.Tensor", {square, call.scalar_like(square, call.real("epsilon", 1e-5))});
  Value* y = call("aten::mul.Tensor", {x, call("aten::rsqrt", {shifted})});
  call.set(call("aten::mul.Tensor", {y, call.in(1)}));
}

void lp_norm(OnnxCall& call) {
  const auto dim = static_cast<int64_t>(call.axis(-1, call.sizes(0).size()));
  const int64_t p = call.integer("p", 2);
  call.require(p == 1 || p == 2, "takes p 1 or 2");
  Value* x = call.in(0);
  Value* each = p == 1 ? call("aten::abs", {x}) : call("aten::mul.Tensor", {x, x});
  Value* sum = call("aten::sum.dim_IntList", {each, Ints{dim}, true, x->type.dtype});
  Value* norm = p == 1 ? sum : call("aten::sqrt", {sum});
  // What has no length stays 0.
  norm = call("aten::where.self", {call("aten::eq.Scalar", {norm, 0}), call.scalar_like(norm, 1), norm});
  call.set(call("aten::div.Tensor", {x, norm}));
}

void mean_variance(OnnxCall& call) {
  const Ints dims = call.ints("axes", {0, 2, 3});
  Value* x = call.in(0);
  Value* centred = call("aten::sub.Tensor", {x, call("aten::mean.dim", {x, dims, true})});
  Value* square = call("aten::mean.dim", {call("aten::mul.Tensor", {centred, centred}), dims, true});
  Value* deviation = call("aten::add.Tensor", {call("aten::sqrt", {square}), call.scalar_like(square, 1e-9)});
  call.set(call("aten::div.Tensor", {centred, deviation}));
}

// Across channels: a pool over them of the squares.
void local_response(OnnxCall& call) {
  const Shape s = call.sizes(0);
  const int64_t size = call.integer("size", 1);
  call.require(s.size() == 4 && size >= 1 && size < 4096, "takes images and a size");
  Value* x = call.in(0);
  Value* square = call.view(call("aten::mul.Tensor", {x, x}), {s[0], 1, s[1], s[2] * s[3]});
  square = call("aten::constant_pad_nd", {square, Ints{0, 0, (size - 1) / 2, size / 2}, 0.0});
  Value* mean = call("aten::avg_pool2d", {square, Ints{size, 1}, Ints{1, 1}, Ints{0, 0}, false, true, Argument()});
  mean = call.view(mean, s);
  Value* base = call("aten::mul.Tensor", {mean, call.scalar_like(mean, call.real("alpha", 1e-4))});
  base = call("aten::add.Tensor", {base, call.scalar_like(base, call.real("bias", 1))});
  call.set(call("aten::div.Tensor", {x, call("aten::pow.Tensor_Scalar", {base, call.real("beta", 0.75)})}));
}

}  // namespace

void add_onnx_norm_rules(OnnxRules& rules) {
  rules["BatchNormalization"] = batch_norm;
  rules["GroupNormalization"] = group_normalization;
  rules["InstanceNormalization"] = instance_norm;
  rules["LRN"] = local_response;
  rules["LayerNormalization"] = layer_norm;
  rules["LpNormalization"] = lp_norm;
  rules["MeanVarianceNormalization"] = mean_variance;
  rules["RMSNormalization"] = rms_norm;
}

}  // namespace wick::compiler
