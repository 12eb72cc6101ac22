// TensorFlow Lite's operators that move elements, or make tensors from shapes, for any type.
#include <algorithm>
#include <cmath>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

void reshape(TfCall& call) {
  Ints sizes = call.has(1) ? call.ints(1) : call.options().ints(0);
  if (!call.has(1) && sizes.empty()) sizes = call.output().sizes;
  const int64_t count = TensorType{DType::kInt8, call.sizes(0), {}}.numel();
  int64_t known = 1;
  size_t open = sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      call.require(open == sizes.size(), "leaves two sizes open");
      open = i;
      continue;
    }
    call.require(sizes[i] >= 0 && (sizes[i] == 0 || known <= (int64_t{1} << 31) / sizes[i]), "has an impossible size");
    known *= sizes[i];
  }
  if (open < sizes.size()) {
    call.require(known > 0 && count % known == 0, "its sizes do not divide the input's ", count, " elements");
    sizes[open] = count / known;
  }
  call.set(call.view(call.in(0), sizes));
}

void squeeze(TfCall& call) {
  const Shape from = call.sizes(0);
  std::vector<bool> dropped(from.size(), false);
  const Ints dims = call.options().ints(0);
  for (const int64_t dim : dims) dropped[wrap(dim, from.size(), "dimension")] = true;
  Shape to;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool drop = dims.empty() ? from[i] == 1 : bool{dropped[i]};
    call.require(!drop || from[i] == 1, "dimension ", i, " has size ", from[i], ", which cannot be dropped");
    if (!drop) to.push_back(from[i]);
  }
  call.set(call.view(call.in(0), to));
}

void expand_dims(TfCall& call) {
  Shape sizes = call.sizes(0);
  const Ints axis = call.ints(1);
  call.require(axis.size() == 1, "takes one axis");
  sizes.insert(sizes.begin() + static_cast<int64_t>(wrap(axis[0], sizes.size() + 1, "axis")), 1);
  call.set(call.view(call.in(0), sizes));
}

void transpose(TfCall& call) { call.set(call.permute(call.in(0), call.ints(1))); }

Value* sliced(TfCall& call, Value* x, size_t axis, int64_t start, int64_t end, int64_t step) {
  if (start == 0 && end == x->type.sizes[axis] && step == 1) return x;
  return call("aten::slice_copy.Tensor", {x, static_cast<int64_t>(axis), start, end, step});
}

void slice(TfCall& call) {
  Value* x = call.in(0);
  const Ints begin = call.ints(1), size = call.ints(2);
  call.require(begin.size() == x->type.sizes.size() && size.size() == begin.size(), "its begin and size do not fit");
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t all = x->type.sizes[i], end = size[i] == -1 ? all : begin[i] + size[i];
    call.require(begin[i] >= 0 && begin[i] <= end && end <= all, "slices ", begin[i], " to ", end, " of ", all);
    x = sliced(call, x, i, begin[i], end, 1);
  }
  call.set(x);
}

// NumPy's slicing, written with masks: one entry of begin, end and strides for each item between the brackets.
void strided_slice(TfCall& call) {
  const TfOptions& o = call.options();
  const int32_t begin_mask = o.integer(0), end_mask = o.integer(1), new_axis_mask = o.integer(3);
  const int32_t shrink_mask = o.integer(4);
  call.require(o.integer(2) == 0, "an ellipsis in the middle of a slice is not supported");
  Value* x = call.in(0);
  const Ints begin = call.ints(1), end = call.ints(2), strides = call.ints(3);
  call.require(begin.size() <= 31 && end.size() == begin.size() && strides.size() == begin.size(),
               "its begin, end and strides differ in number");
  Shape to;
  size_t axis = 0;
  const auto masked = [](int32_t mask, size_t i) { return ((mask >> i) & 1) != 0; };
  for (size_t i = 0; i < begin.size(); ++i) {
    if (masked(new_axis_mask, i)) {
      to.push_back(1);
      continue;
    }
    call.require(axis < x->type.sizes.size(), "slices more dimensions than there are");
    const int64_t size = x->type.sizes[axis], step = strides[i];
    const auto from_front = [size](int64_t at) { return at < 0 ? at + size : at; };
    if (masked(shrink_mask, i)) {
      const auto at = static_cast<int64_t>(wrap(begin[i], static_cast<size_t>(size), "index"));
      x = sliced(call, x, axis, at, at + 1, 1);
    } else if (step > 0) {
      const int64_t last = o.flag(5) ? begin[i] + end[i] : end[i];
      const int64_t start = masked(begin_mask, i) ? 0 : std::clamp<int64_t>(from_front(begin[i]), 0, size);
      const int64_t stop = masked(end_mask, i) ? size : std::clamp<int64_t>(from_front(last), 0, size);
      x = sliced(call, x, axis, start, std::max(start, stop), step);
      to.push_back(x->type.sizes[axis]);
    } else {
      // Backwards: the flipped tensor, forwards.
      call.require(step < 0 && step > -(1 << 30), "has step 0");
      const int64_t first = masked(begin_mask, i) ? size - 1 : std::clamp<int64_t>(from_front(begin[i]), -1, size - 1);
      const int64_t stop = masked(end_mask, i) ? -1 : std::clamp<int64_t>(from_front(end[i]), -1, size - 1);
      x = call("aten::flip", {x, Ints{static_cast<int64_t>(axis)}});
      const int64_t start = size - 1 - first;
      x = sliced(call, x, axis, start, std::max(start, size - 1 - stop), -step);
      to.push_back(x->type.sizes[axis]);
    }
    ++axis;
  }
  for (; axis < x->type.sizes.size(); ++axis) to.push_back(x->type.sizes[axis]);
  call.set(call.view(x, to));
}

// Constant padding: float here; INT8 has a rule of its own.
void pad(TfCall& call) {
  const bool images = call.prefers_images();
  const Shape sizes = call.sizes(0);
  const Ints said = call.ints(1);
  call.require(said.size() == 2 * sizes.size(), "has ", said.size(), " paddings for ", sizes.size(), " dimensions");
  const double value = call.code() == 60 ? files::element(call.constant(2), 0) : 0;
  static constexpr size_t kImageDims[] = {0, 3, 1, 2};
  Ints pads;
  for (size_t i = sizes.size(); i-- > 0;) {
    const size_t dim = images ? kImageDims[i] : i;
    pads.push_back(said[2 * dim]);
    pads.push_back(said[2 * dim + 1]);
  }
  for (const int64_t one : pads) call.require(one >= 0 && one < (1 << 30), "has an impossible padding");
  Value* x = call.ordered(0, images);
  const Argument filling = is_float(x->type.dtype) ? Argument(value) : Argument(static_cast<int64_t>(value));
  call.set_ordered(0, call("aten::constant_pad_nd", {x, pads, filling}), images);
}

Value* picked(TfCall& call, Value* x, size_t axis, const Ints& index) {
  return call("aten::index_select", {x, static_cast<int64_t>(axis), call.int64s(index)});
}

// 0 REFLECT: the edge once; 1 SYMMETRIC: the edge twice.
void mirror_pad(TfCall& call) {
  Value* x = call.in(0);
  const Ints said = call.ints(1);
  const int64_t skip = call.options().byte(0) == 0 ? 1 : 0;
  call.require(said.size() == 2 * x->type.sizes.size(), "has too many or too few paddings");
  for (size_t axis = 0; axis < said.size() / 2; ++axis) {
    const int64_t size = x->type.sizes[axis], before = said[2 * axis], after = said[2 * axis + 1];
    if (before == 0 && after == 0) continue;
    call.require(before >= 0 && after >= 0 && before <= size - skip && after <= size - skip,
                 "mirrors more than there is");
    Ints index;
    for (int64_t i = -before; i < size + after; ++i) {
      index.push_back(i < 0 ? -i - 1 + skip : i >= size ? 2 * size - 1 - i - skip : i);
    }
    x = picked(call, x, axis, index);
  }
  call.set(x);
}

void concatenation(TfCall& call) {
  const bool images = call.prefers_images();
  static constexpr int64_t kImageAxis[] = {0, 2, 3, 1};
  const size_t axis = wrap(call.options().integer(0), call.sizes(0).size(), "axis");
  Tensors parts;
  for (size_t i = 0; i < call.input_count(); ++i) parts.push_back(call.ordered(i, images));
  Value* y = call("aten::cat", {parts, images ? kImageAxis[axis] : static_cast<int64_t>(axis)});
  call.set_ordered(0, call.activated(y, call.options().byte(1)), images);
}

void split(TfCall& call) {
  const bool sized = call.code() == 102;
  const size_t x_at = sized ? 0 : 1, axis_at = sized ? 2 : 0;
  Value* x = call.in(x_at);
  const Ints axis = call.ints(axis_at);
  call.require(axis.size() == 1, "takes one axis");
  const size_t dim = wrap(axis[0], x->type.sizes.size(), "axis");
  const int64_t size = x->type.sizes[dim], count = static_cast<int64_t>(call.output_count());
  Ints sizes;
  if (sized) {
    sizes = call.ints(1);
    int64_t rest = size;
    for (const int64_t one : sizes) rest -= one < 0 ? 0 : one;
    for (int64_t& one : sizes) one = one < 0 ? rest : one;
  } else {
    call.require(count > 0 && size % count == 0, "does not split ", size, " into ", count);
    sizes.assign(static_cast<size_t>(count), size / count);
  }
  call.require(sizes.size() == call.output_count(), "has ", sizes.size(), " parts for ", count, " outputs");
  Node* node = call.emit("aten::split_with_sizes_copy", {x, sizes, static_cast<int64_t>(dim)});
  for (size_t i = 0; i < call.output_count(); ++i) call.set(i, node->output(i));
}

void pack(TfCall& call) {
  const size_t axis = wrap(call.options().integer(1), call.sizes(0).size() + 1, "axis");
  Tensors parts;
  for (size_t i = 0; i < call.input_count(); ++i) {
    Shape sizes = call.sizes(i);
    call.require(axis <= sizes.size(), "its inputs differ in rank");
    sizes.insert(sizes.begin() + static_cast<int64_t>(axis), 1);
    parts.push_back(call.view(call.in(i), sizes));
  }
  call.set(call("aten::cat", {parts, static_cast<int64_t>(axis)}));
}

void unpack(TfCall& call) {
  Value* x = call.in(0);
  const size_t axis = wrap(call.options().integer(1), x->type.sizes.size(), "axis");
  call.require(x->type.sizes[axis] == static_cast<int64_t>(call.output_count()), "has a wrong number of outputs");
  for (size_t i = 0; i < call.output_count(); ++i) {
    call.set(i, call("aten::select_copy.int", {x, static_cast<int64_t>(axis), static_cast<int64_t>(i)}));
  }
}

void gather(TfCall& call) {
  Value* x = call.in(0);
  const Shape from = x->type.sizes, shape = call.sizes(1);
  const size_t axis = wrap(call.options().integer(0), from.size(), "axis");
  call.require(call.options().integer(1) == 0, "batch_dims is not supported");
  Value* index = call.in(1);
  if (index->type.dtype != DType::kInt64) index = call("aten::_to_copy", {index, DType::kInt64});
  Value* y = call("aten::index_select", {x, static_cast<int64_t>(axis), call.view(index, {index->type.numel()})});
  const auto at = static_cast<int64_t>(axis);
  Shape sizes(from.begin(), from.begin() + at);
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  sizes.insert(sizes.end(), from.begin() + at + 1, from.end());
  call.set(call.view(y, sizes));
}

void blocks(TfCall& call) {
  Value* x = call.in(0);
  const Shape s = x->type.sizes;
  const int64_t b = call.options().integer(0);
  call.require(s.size() == 4 && b >= 1 && b < 4096, "takes images and a block size");
  if (call.code() == 26) {
    call.require(s[1] % b == 0 && s[2] % b == 0, "the block does not divide the image");
    x = call.view(x, {s[0], s[1] / b, b, s[2] / b, b, s[3]});
    x = call.permute(x, {0, 1, 3, 2, 4, 5});
    call.set(call.view(x, {s[0], s[1] / b, s[2] / b, s[3] * b * b}));
  } else {
    call.require(s[3] % (b * b) == 0, "the block does not divide the channels");
    const int64_t channels = s[3] / (b * b);
    x = call.view(x, {s[0], s[1], s[2], b, b, channels});
    x = call.permute(x, {0, 1, 3, 2, 4, 5});
    call.set(call.view(x, {s[0], s[1] * b, s[2] * b, channels}));
  }
}

// Which input row each output row copies.
Ints nearest(int64_t in, int64_t out, bool corners, bool half) {
  const auto i = static_cast<float>(in), o = static_cast<float>(out);
  const float scale = corners && out > 1 ? (i - 1) / (o - 1) : i / o;
  Ints index;
  for (int64_t at = 0; at < out; ++at) {
    const float place = (static_cast<float>(at) + (half ? 0.5f : 0.0f)) * scale;
    const auto picked_row = static_cast<int64_t>(corners ? std::round(place) : std::floor(place));
    index.push_back(std::clamp<int64_t>(picked_row, 0, in - 1));
  }
  return index;
}

void resize_nearest(TfCall& call) {
  const Ints size = call.ints(1);
  const Shape from = call.sizes(0);
  call.require(from.size() == 4 && from[1] > 0 && from[2] > 0 && size.size() == 2 && size[0] >= 1 && size[1] >= 1 &&
                   size[0] < (1 << 20) && size[1] < (1 << 20),
               "takes images and a size");
  const bool corners = call.options().flag(0), half = call.options().flag(1);
  const bool images = call.prefers_images();
  const bool whole = size[0] % from[1] == 0 && size[1] % from[2] == 0;
  Value* x = call.ordered(0, images);
  if (images && whole && !corners) {
    return call.set_image(0, call("aten::upsample_nearest2d.vec", {x, size, Argument()}));
  }
  const size_t rows = images ? 2 : 1;
  x = picked(call, x, rows, nearest(from[1], size[0], corners, half));
  x = picked(call, x, rows + 1, nearest(from[2], size[1], corners, half));
  call.set_ordered(0, x, images);
}

void shape(TfCall& call) {
  const Shape sizes = call.sizes(0);
  call.set(call.output().dtype == DType::kInt64 ? call.int64s(sizes) : call.int32s(sizes));
}

void tile(TfCall& call) { call.set(call("aten::repeat", {call.in(0), call.ints(1)})); }
void broadcast_to(TfCall& call) { call.set(call("aten::expand_copy", {call.in(0), call.ints(1)})); }

void reverse(TfCall& call) {
  const Ints axis = call.ints(1);
  call.set(call("aten::flip", {call.in(0), axis}));
}

void fill(TfCall& call) {
  const Ints sizes = call.ints(0);
  const files::Array& value = call.constant(1);
  int64_t count = 1;
  for (const int64_t one : sizes) {
    call.require(one >= 0 && (one == 0 || count <= (1 << 24) / one), "would make too large a tensor");
    count *= one;
  }
  call.require(files::element_count(value) == 1, "takes one number");
  call.set(call.constant(files::filled(value.dtype, {sizes.begin(), sizes.end()}, files::element(value, 0))));
}

void topk(TfCall& call) {
  const Ints count = call.ints(1);
  call.require(count.size() == 1, "takes one number");
  Node* node = call.emit("aten::topk", {call.in(0), count[0]});
  call.set(0, node->output(0));
  if (call.output_count() > 1) call.set(1, call("aten::_to_copy", {node->output(1), call.output(1).dtype}));
}

}  // namespace

void add_tflite_shape_rules(TfRules& rules) {
  static constexpr std::pair<int32_t, TfRule> kRules[] = {
      {2, concatenation}, {5, blocks},          {22, reshape},       {26, blocks}, {34, pad},      {36, gather},
      {39, transpose},    {43, squeeze},        {45, strided_slice}, {48, topk},   {49, split},    {60, pad},
      {65, slice},        {69, tile},           {70, expand_dims},   {77, shape},  {83, pack},     {88, unpack},
      {94, fill},         {97, resize_nearest}, {100, mirror_pad},   {102, split}, {105, reverse}, {130, broadcast_to}};
  for (const auto& [code, rule] : kRules) rules[code] = rule;
}

}  // namespace wick::compiler
