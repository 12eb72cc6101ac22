// Layers: convolutions, pools, normalisations, attention and matrix products of any rank.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/passes/decompose.h"
#include "files/array.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

Replacement conv(Builder& b, const Node& node) {
  const Ints none(ints_arg(node, 3).size(), 0);
  return {b("aten::convolution",
            {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), node.arg(5), false, none, node.arg(6)},
            node.name)};
}

// "same" and "valid" as numbers; borders that differ by one on the two sides are made first.
Replacement conv_padding(Builder& b, const Node& node) {
  const Ints &stride = ints_arg(node, 3), &dilation = ints_arg(node, 5);
  const Shape& weight = sizes_of(node, 1);
  Ints padding(stride.size(), 0), borders;
  bool even = true;
  if (*node.arg(4).get<std::string>() == "same") {
    for (size_t i = 0; i < stride.size(); ++i) {
      const int64_t total = dilation[i] * (weight[i + 2] - 1);
      padding[i] = total / 2;
      even = even && total % 2 == 0;
      borders.insert(borders.begin(), {total / 2, total - total / 2});
    }
  }
  Value* x = node.arg(0).tensor();
  if (!even) {
    x = b("aten::constant_pad_nd", {x, borders, 0.0});
    padding.assign(stride.size(), 0);
  }
  return {b("aten::convolution",
            {x, node.arg(1), node.arg(2), stride, padding, dilation, false, Ints(stride.size(), 0), node.arg(6)},
            node.name)};
}

Replacement conv_transpose(Builder& b, const Node& node) {
  return {
      b("aten::convolution",
        {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), node.arg(7), true, node.arg(5), node.arg(6)},
        node.name)};
}

Replacement batch_norm(Builder& b, const Node& node) {
  if (bool_arg(node, 5) || node.arg(3).tensor() == nullptr || node.arg(4).tensor() == nullptr) {
    files::fail(describe(node), ": batch normalisation in training mode; export the model after model.eval()");
  }
  return {b("aten::_native_batch_norm_legit_no_training",
            {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), node.arg(6), node.arg(7)}, node.name)};
}

Replacement layer_norm(Builder& b, const Node& node) {
  return {b("aten::native_layer_norm", {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4)}, node.name)};
}

Value* grouped(Builder& b, const Node& node, Value* x, int64_t groups, const Argument& weight, const Argument& bias,
               const Argument& eps) {
  const Shape& sizes = x->type.sizes;
  const int64_t inner = std::accumulate(sizes.begin() + 2, sizes.end(), int64_t{1}, std::multiplies<>());
  return b("aten::native_group_norm", {x, weight, bias, sizes[0], sizes[1], inner, groups, eps}, node.name);
}

Replacement group_norm(Builder& b, const Node& node) {
  return {grouped(b, node, node.arg(0).tensor(), int_arg(node, 1), node.arg(2), node.arg(3), node.arg(4))};
}

Replacement instance_norm(Builder& b, const Node& node) {
  if (!bool_arg(node, 5)) {
    return {b("aten::_native_batch_norm_legit_no_training",
              {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), node.arg(6), node.arg(7)}, node.name)};
  }
  return {grouped(b, node, node.arg(0).tensor(), sizes_of(node)[1], node.arg(1), node.arg(2), node.arg(7))};
}

Replacement rms_norm(Builder& b, const Node& node) {
  Value* x = node.arg(0).tensor();
  Ints dims;
  for (size_t i = ints_arg(node, 1).size(); i > 0; --i) dims.push_back(-static_cast<int64_t>(i));
  Value* square = b("aten::mean.dim", {b("aten::mul.Tensor", {x, x}), dims, true});
  const double eps = node.arg(3).number().value_or(1.1920928955078125e-07);
  Value* scaled = b("aten::mul.Tensor", {x, b("aten::rsqrt", {b("aten::add.Scalar", {square, eps})})});
  if (node.arg(2).tensor() == nullptr) return {scaled};
  return {b("aten::mul.Tensor", {scaled, node.arg(2)}, node.name)};
}

Replacement max_pool2d(Builder& b, const Node& node) {
  return {b("aten::max_pool2d_with_indices",
            {node.arg(0), node.arg(1), node.arg(2), node.arg(3), node.arg(4), node.arg(5)}, node.name)};
}

// One dimension as an image of one row.
Value* as_image(Builder& b, Value* x) {
  Shape sizes = x->type.sizes;
  sizes.insert(sizes.end() - 1, 1);
  return b("aten::view_copy", {x, sizes});
}
Ints with_row(const Argument& argument, int64_t row) {
  const Ints& list = *argument.get<Ints>();
  return list.empty() ? Ints() : Ints{row, list[0]};
}

Replacement max_pool1d(Builder& b, const Node& node) {
  Value* pooled = b("aten::max_pool2d_with_indices",
                    {as_image(b, node.arg(0).tensor()), with_row(node.arg(1), 1), with_row(node.arg(2), 1),
                     with_row(node.arg(3), 0), with_row(node.arg(4), 1), node.arg(5)});
  return {b("aten::view_copy", {pooled, node.output()->type.sizes}, node.name)};
}

Replacement avg_pool1d(Builder& b, const Node& node) {
  Value* pooled =
      b("aten::avg_pool2d", {as_image(b, node.arg(0).tensor()), with_row(node.arg(1), 1), with_row(node.arg(2), 1),
                             with_row(node.arg(3), 0), node.arg(4), node.arg(5), Argument()});
  return {b("aten::view_copy", {pooled, node.output()->type.sizes}, node.name)};
}

Replacement adaptive_avg_pool2d(Builder& b, const Node& node) {
  return {b("aten::_adaptive_avg_pool2d", {node.arg(0), node.arg(1)}, node.name)};
}

Replacement adaptive_avg_pool1d(Builder& b, const Node& node) {
  const int64_t size = ints_arg(node, 1)[0];
  Value* pooled = b("aten::adaptive_avg_pool2d", {as_image(b, node.arg(0).tensor()), Ints{1, size}});
  return {b("aten::view_copy", {pooled, node.output()->type.sizes}, node.name)};
}

Replacement softmax(Builder& b, const Node& node) {
  return {b("aten::_softmax", {node.arg(0), node.arg(1), false}, node.name)};
}
Replacement log_softmax(Builder& b, const Node& node) {
  return {b("aten::_log_softmax", {node.arg(0), node.arg(1), false}, node.name)};
}

Replacement dropout(Builder&, const Node& node) {
  if (bool_arg(node, 2) && number_arg(node, 1) != 0) {
    files::fail(describe(node), ": dropout in training mode; export the model after model.eval()");
  }
  return {node.arg(0).tensor()};
}

Replacement pad(Builder& b, const Node& node) {
  const Ints& pads = ints_arg(node, 1);
  const std::string& mode = *node.arg(2).get<std::string>();
  if (mode == "constant") {
    return {b("aten::constant_pad_nd", {node.arg(0), pads, node.arg(3).number().value_or(0)}, node.name)};
  }
  const std::string dims = std::to_string(pads.size() / 2) + "d";
  if (mode == "reflect") return {b("aten::reflection_pad" + dims, {node.arg(0), pads}, node.name)};
  if (mode == "replicate") return {b("aten::replication_pad" + dims, {node.arg(0), pads}, node.name)};
  files::fail(describe(node), ": padding mode '", mode, "' is not supported; use constant, reflect or replicate");
}

// Negative borders cut off.
Replacement constant_pad(Builder& b, const Node& node) {
  const Ints& pads = ints_arg(node, 1);
  if (std::none_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; })) return {};
  Value* x = node.arg(0).tensor();
  Ints positive = pads;
  const size_t rank = x->type.sizes.size();
  for (size_t i = 0; i + 1 < pads.size(); i += 2) {
    const size_t dim = rank - 1 - i / 2;
    const int64_t start = std::max<int64_t>(-pads[i], 0), end = x->type.sizes[dim] + std::min<int64_t>(pads[i + 1], 0);
    positive[i] = std::max<int64_t>(pads[i], 0), positive[i + 1] = std::max<int64_t>(pads[i + 1], 0);
    if (start > 0 || end < x->type.sizes[dim]) {
      x = b("aten::slice_copy.Tensor", {x, static_cast<int64_t>(dim), start, end, 1});
    }
  }
  return {b("aten::constant_pad_nd", {x, positive, node.arg(2)}, node.name)};
}

Replacement upsample_nearest(Builder& b, const Node& node) {
  const Shape& out = node.output()->type.sizes;
  return {b("aten::upsample_nearest2d.vec", {node.arg(0), Ints{out[2], out[3]}, Argument()}, node.name)};
}
Replacement upsample_bilinear(Builder& b, const Node& node) {
  const Shape& out = node.output()->type.sizes;
  return {b("aten::upsample_bilinear2d.vec", {node.arg(0), Ints{out[2], out[3]}, node.arg(2), Argument()}, node.name)};
}

// Matrix products: leading dimensions spread over each other and become one.
Value* product(Builder& b, Value* left, Value* right) {
  const Shape a = left->type.sizes, c = right->type.sizes;
  const size_t leading = std::max(a.size(), c.size()) - 2;
  Shape batch(leading, 1);
  const auto size_at = [leading](const Shape& s, size_t i) {
    const size_t missing = leading + 2 - s.size();
    return i < missing ? int64_t{1} : s[i - missing];
  };
  for (size_t i = 0; i < leading; ++i) batch[i] = std::max(size_at(a, i), size_at(c, i));
  const int64_t count = std::accumulate(batch.begin(), batch.end(), int64_t{1}, std::multiplies<>());
  const auto as_batch = [&](Value* x) {
    Shape wide = batch;
    const Shape& s = x->type.sizes;
    wide.insert(wide.end(), s.end() - 2, s.end());
    const Shape flat = {count, wide[leading], wide[leading + 1]};
    if (x->type.sizes != wide) x = b("aten::expand_copy", {x, wide});
    return x->type.sizes == flat ? x : b("aten::view_copy", {x, flat});
  };
  Shape out = batch;
  out.insert(out.end(), {a[a.size() - 2], c.back()});
  Value* result = b("aten::bmm", {as_batch(left), as_batch(right)});
  return result->type.sizes == out ? result : b("aten::view_copy", {result, out});
}

Replacement matmul(Builder& b, const Node& node) {
  Value *left = node.arg(0).tensor(), *right = node.arg(1).tensor();
  if (left->type.sizes.size() == 1) left = b("aten::view_copy", {left, Shape{1, left->type.sizes[0]}});
  if (right->type.sizes.size() == 1) right = b("aten::view_copy", {right, Shape{right->type.sizes[0], 1}});
  Value* result;
  if (right->type.sizes.size() == 2) {
    const int64_t k = left->type.sizes.back();
    Value* rows = left->type.sizes.size() == 2 ? left : b("aten::view_copy", {left, Shape{left->type.numel() / k, k}});
    result = b("aten::mm", {rows, right}, node.name);
  } else {
    result = product(b, left, right);
  }
  const Shape& out = node.output()->type.sizes;
  return {result->type.sizes == out ? result : b("aten::view_copy", {result, out})};
}

Replacement baddbmm(Builder& b, const Node& node) {
  Value* result = b("aten::bmm", {node.arg(1), node.arg(2)});
  const double beta = number_arg(node, 3), alpha = number_arg(node, 4);
  if (alpha != 1) result = b("aten::mul.Scalar", {result, alpha});
  Value* bias = node.arg(0).tensor();
  if (beta != 1) bias = b("aten::mul.Scalar", {bias, beta});
  return {b("aten::add.Tensor", {result, bias}, node.name)};
}

// softmax(q k^T scale + mask) v.
Replacement attention(Builder& b, const Node& node) {
  Value *q = node.arg(0).tensor(), *k = node.arg(1).tensor(), *v = node.arg(2).tensor(), *mask = node.arg(3).tensor();
  const size_t rank = k->type.sizes.size();
  if (number_arg(node, 4) != 0) files::fail(describe(node), ": attention with dropout; export after model.eval()");
  if (bool_arg(node, 7)) files::fail(describe(node), ": grouped-query attention is not supported; repeat the keys");
  const double scale = node.arg(6).number().value_or(1 / std::sqrt(static_cast<double>(q->type.sizes.back())));
  Ints dims(rank);
  std::iota(dims.begin(), dims.end(), int64_t{0});
  std::swap(dims[rank - 1], dims[rank - 2]);
  Value* scores = product(b, b("aten::mul.Scalar", {q, scale}), b("aten::permute_copy", {k, dims}));
  constexpr float kNever = -1e9f;  // finite, so that a row that may see nothing is no NaN
  if (bool_arg(node, 5)) {
    const int32_t rows = static_cast<int32_t>(q->type.sizes[rank - 2]),
                  columns = static_cast<int32_t>(k->type.sizes[rank - 2]);
    files::Array causal = files::filled(DType::kFloat32, {rows, columns}, 0);
    for (int32_t r = 0; r < rows; ++r) {
      for (int32_t c = r + 1; c < columns; ++c)
        files::set_element(causal, static_cast<uint64_t>(r * columns + c), kNever);
    }
    scores = b("aten::add.Tensor", {scores, b.constant(node.name + "_causal", std::move(causal))});
  } else if (mask != nullptr && mask->type.dtype == DType::kBool) {
    scores = b("aten::where.self", {mask, scores, b.scalar(node.name + "_never", kNever)});
  } else if (mask != nullptr) {
    scores = b("aten::add.Tensor", {scores, mask});
  }
  return {product(b, b("aten::_softmax", {scores, -1, false}), v)};
}

constexpr RewriteRule kRules[] = {
    {"aten::conv1d", conv},
    {"aten::conv2d", conv},
    {"aten::conv1d.padding", conv_padding},
    {"aten::conv2d.padding", conv_padding},
    {"aten::conv_transpose1d", conv_transpose},
    {"aten::conv_transpose2d.input", conv_transpose},
    {"aten::batch_norm", batch_norm},
    {"aten::layer_norm", layer_norm},
    {"aten::group_norm", group_norm},
    {"aten::instance_norm", instance_norm},
    {"aten::rms_norm", rms_norm},
    {"aten::max_pool2d", max_pool2d},
    {"aten::max_pool1d", max_pool1d},
    {"aten::avg_pool1d", avg_pool1d},
    {"aten::adaptive_avg_pool2d", adaptive_avg_pool2d},
    {"aten::adaptive_avg_pool1d", adaptive_avg_pool1d},
    {"aten::softmax.int", softmax},
    {"aten::log_softmax.int", log_softmax},
    {"aten::dropout", dropout},
    {"aten::feature_dropout", dropout},
    {"aten::alpha_dropout", dropout},
    {"aten::pad", pad},
    {"aten::constant_pad_nd", constant_pad},
    {"aten::upsample_nearest2d", upsample_nearest},
    {"aten::upsample_bilinear2d", upsample_bilinear},
    {"aten::matmul", matmul},
    {"aten::mv", matmul},
    {"aten::baddbmm", baddbmm},
    {"aten::scaled_dot_product_attention", attention},
};

}  // namespace

std::span<const RewriteRule> layer_rules() { return kRules; }

}  // namespace wick::compiler
