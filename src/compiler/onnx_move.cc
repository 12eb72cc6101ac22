// ONNX operators that pick, pad or rearrange elements: Slice, Gather, Pad, DepthToSpace, Scatter, TopK ...
#include <algorithm>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

// Starts and ends may count from the back and lie outside; negative steps walk backwards.
void slice(OnnxCall& call) {
  Value* x = call.in(0);
  const size_t rank = x->type.sizes.size();
  const Ints starts = call.ints(1), ends = call.ints(2);
  Ints axes = call.has(3) ? call.ints(3) : Ints{};
  if (!call.has(3)) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  const Ints steps = call.has(4) ? call.ints(4) : Ints(starts.size(), 1);
  call.require(ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
               "its starts, ends, axes and steps differ in number");
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t axis = wrap(axes[i], rank, "axis");
    const auto dim = static_cast<int64_t>(axis);
    const int64_t size = x->type.sizes[axis], step = steps[i];
    call.require(step != 0 && step != INT64_MIN, "has step 0");
    const auto from_front = [size](int64_t at) { return at < 0 ? at + size : at; };
    if (step > 0) {
      const int64_t start = std::clamp<int64_t>(from_front(starts[i]), 0, size);
      const int64_t end = std::max(start, std::clamp<int64_t>(from_front(ends[i]), 0, size));
      if (start != 0 || end != size || step != 1) x = call("aten::slice_copy.Tensor", {x, dim, start, end, step});
    } else {
      // The same elements forwards in the flipped tensor.
      const int64_t first = std::clamp<int64_t>(from_front(starts[i]), -1, size - 1);
      const int64_t last = std::clamp<int64_t>(ends[i] < -size ? -1 : from_front(ends[i]), -1, size - 1);
      x = call("aten::flip", {x, Ints{dim}});
      const int64_t start = size - 1 - first, end = std::max(start, size - 1 - last);
      if (start != 0 || end != size || step != -1) x = call("aten::slice_copy.Tensor", {x, dim, start, end, -step});
    }
  }
  call.set(x);
}

// Indices as PyTorch takes them: int64, and counted from the front where they are known.
Value* indices(OnnxCall& call, size_t i, int64_t size) {
  Value* index = call.in(i);
  if (index->is_constant()) {
    Ints list = call.ints(i);
    for (int64_t& one : list) one = static_cast<int64_t>(wrap(one, static_cast<size_t>(size), "index"));
    files::Array array{DType::kInt64, call.constant(i).sizes, {}};
    const auto* bytes = reinterpret_cast<const uint8_t*>(list.data());
    array.bytes.assign(bytes, bytes + list.size() * sizeof(int64_t));
    return call.constant(std::move(array));
  }
  return index->type.dtype == DType::kInt64 ? index : call("aten::_to_copy", {index, DType::kInt64});
}

void gather(OnnxCall& call) {
  const Shape from = call.sizes(0);
  const size_t axis = call.axis(0, from.size());
  const auto dim = static_cast<int64_t>(axis);
  Value* index = indices(call, 1, from[axis]);
  const Shape& shape = index->type.sizes;
  if (shape.empty() && index->is_constant()) {
    call.set(call("aten::select_copy.int", {call.in(0), dim, static_cast<int64_t>(files::element(*index->data, 0))}));
    return;
  }
  if (axis == 0 && from.size() == 2 && !index->is_constant() && is_float(call.dtype(0))) {
    call.set(call("aten::embedding", {call.in(0), index}));
    return;
  }
  Value* flat = call.view(index, {index->type.numel()});
  Value* picked = call("aten::index_select", {call.in(0), dim, flat});
  Shape sizes(from.begin(), from.begin() + dim);
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  sizes.insert(sizes.end(), from.begin() + dim + 1, from.end());
  call.set(call.view(picked, sizes));
}

void gather_elements(OnnxCall& call) {
  const size_t axis = call.axis(0, call.sizes(0).size());
  Value* index = indices(call, 1, call.sizes(0)[axis]);
  call.set(call("aten::gather", {call.in(0), static_cast<int64_t>(axis), index}));
}

// Without batch dimensions: the last dimension of the indices counts along the first dimensions of the data.
void gather_nd(OnnxCall& call) {
  call.require(call.integer("batch_dims", 0) == 0, "batch_dims is not supported");
  const Shape& shape = call.sizes(1);
  call.require(!shape.empty(), "its indices must have a dimension");
  const int64_t depth = shape.back();
  call.require(depth >= 1 && depth <= call.rank(0), "its indices have ", depth, " coordinates");
  Value* index = call.in(1);
  if (index->type.dtype != DType::kInt64) index = call("aten::_to_copy", {index, DType::kInt64});
  Tensors list;
  for (int64_t i = 0; i < depth; ++i) {
    list.push_back(call("aten::select_copy.int", {index, static_cast<int64_t>(shape.size()) - 1, i}));
  }
  call.set(call("aten::index.Tensor", {call.in(0), list}));
}

void scatter_elements(OnnxCall& call) {
  const size_t axis = call.axis(0, call.sizes(0).size());
  const std::string reduction = call.text("reduction", "none");
  call.require(reduction == "none" || reduction == "add", "reduction '", reduction, "' is not supported");
  Value* index = indices(call, 1, call.sizes(0)[axis]);
  call.set(call(reduction == "add" ? "aten::scatter_add" : "aten::scatter.src",
                {call.in(0), static_cast<int64_t>(axis), index, call.in(2)}));
}

// Pairs (before, after) as PyTorch wants them: the last dimension first.
Ints torch_pads(OnnxCall& call, const Ints& before, const Ints& after, size_t least) {
  size_t dims = before.size();
  size_t first = 0;
  while (first + least < dims && before[first] == 0 && after[first] == 0) ++first;
  Ints pads;
  for (size_t i = dims; i-- > first;) {
    pads.push_back(before[i]);
    pads.push_back(after[i]);
  }
  for (const int64_t one : pads) call.require(one > -(1 << 30) && one < (1 << 30), "has an impossible padding");
  return pads;
}

// Mirrors and edges: PyTorch pads the last one to three dimensions of a tensor with one or two before them.
Value* pad_by_copy(OnnxCall& call, const std::string& kind, const Ints& before, const Ints& after) {
  Value* x = call.in(0);
  const Shape from = x->type.sizes;
  const Ints pads = torch_pads(call, before, after, 1);
  const size_t dims = pads.size() / 2;
  call.require(dims <= 3, "pads ", dims, " dimensions by '", kind, "', of which three are supported");
  const bool negative = std::any_of(pads.begin(), pads.end(), [](int64_t one) { return one < 0; });
  call.require(!negative, "crops by '", kind, "', which is not supported; use a Slice");
  // Dimensions in front become two.
  Shape sizes{1, 1};
  for (size_t i = 0; i + dims < from.size(); ++i) sizes[1] *= from[i];
  sizes.insert(sizes.end(), from.end() - static_cast<int64_t>(dims), from.end());
  x = call.view(x, sizes);
  x = call("aten::" + kind + "_pad" + std::to_string(dims) + "d", {x, pads});
  Shape to(from.begin(), from.end() - static_cast<int64_t>(dims));
  to.insert(to.end(), x->type.sizes.end() - static_cast<int64_t>(dims), x->type.sizes.end());
  return call.view(x, to);
}

void pad(OnnxCall& call) {
  const size_t rank = call.sizes(0).size();
  const Ints said = call.ints(1);
  const std::vector<size_t> axes = call.axes("axes", 3, rank);
  const size_t count = call.has(3) ? axes.size() : rank;
  call.require(said.size() == 2 * count, "has ", said.size(), " paddings for ", count, " dimensions");
  Ints before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = call.has(3) ? axes[i] : i;
    before[axis] = said[i];
    after[axis] = said[count + i];
  }
  const std::string mode = call.text("mode", "constant");
  const bool nothing = std::all_of(said.begin(), said.end(), [](int64_t one) { return one == 0; });
  if (nothing) {
    call.set(call.in(0));
  } else if (mode == "constant") {
    const double value = call.has(2) ? call.number(2) : 0;
    const Argument filling = is_float(call.dtype(0)) ? Argument(value) : Argument(static_cast<int64_t>(value));
    call.set(call("aten::constant_pad_nd", {call.in(0), torch_pads(call, before, after, 1), filling}));
  } else if (mode == "reflect" || mode == "edge") {
    call.set(pad_by_copy(call, mode == "edge" ? "replication" : "reflection", before, after));
  } else {
    call.fail("mode '", mode, "' is not supported; use constant, reflect or edge");
  }
}

void depth_to_space(OnnxCall& call) {
  const int64_t block = call.integer("blocksize", 0);
  call.require(call.rank(0) == 4 && block > 0 && block < 4096, "takes images and a block size");
  const Shape s = call.sizes(0);
  if (call.text("mode", "DCR") == "CRD") {
    call.set(call("aten::pixel_shuffle", {call.in(0), block}));
    return;
  }
  const int64_t channels = s[1] / (block * block);
  call.require(channels * block * block == s[1], "the block does not divide the channels");
  Value* x = call.view(call.in(0), {s[0], block, block, channels, s[2], s[3]});
  x = call.permute(x, {0, 3, 4, 1, 5, 2});
  call.set(call.view(x, {s[0], channels, s[2] * block, s[3] * block}));
}

void space_to_depth(OnnxCall& call) {
  const int64_t block = call.integer("blocksize", 0);
  call.require(call.rank(0) == 4 && block > 0 && block < 4096, "takes images and a block size");
  const Shape s = call.sizes(0);
  call.require(s[2] % block == 0 && s[3] % block == 0, "the block does not divide the image");
  if (call.text("mode", "DCR") == "CRD") return call.set(call("aten::pixel_unshuffle", {call.in(0), block}));
  Value* x = call.view(call.in(0), {s[0], s[1], s[2] / block, block, s[3] / block, block});
  x = call.permute(x, {0, 3, 5, 1, 2, 4});
  call.set(call.view(x, {s[0], s[1] * block * block, s[2] / block, s[3] / block}));
}

// tril is the one that programs have; an upper triangle is picked by a mask, as what is left out may be infinite.
void trilu(OnnxCall& call) {
  const int64_t diagonal = call.has(1) ? call.whole(1) : 0;
  if (call.integer("upper", 1) == 0) {
    call.set(call("aten::tril", {call.in(0), diagonal}));
    return;
  }
  call.require(call.rank(0) >= 2, "takes two dimensions or more");
  const int64_t rows = call.sizes(0).end()[-2], columns = call.sizes(0).back();
  files::Array mask = files::filled(DType::kBool, {static_cast<int32_t>(rows), static_cast<int32_t>(columns)}, 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      if (column - row >= diagonal) mask.bytes[static_cast<size_t>(row * columns + column)] = 1;
    }
  }
  call.set(call("aten::where.self", {call.constant(std::move(mask)), call.in(0), call.scalar_like(call.in(0), 0)}));
}

void cumsum(OnnxCall& call) {
  Value* x = call.in(0);
  const size_t axis = wrap(call.whole(1), x->type.sizes.size(), "axis");
  const auto dim = static_cast<int64_t>(axis);
  const bool reverse = call.integer("reverse", 0) != 0;
  if (reverse) x = call("aten::flip", {x, Ints{dim}});
  Value* sum = call("aten::cumsum", {x, dim, x->type.dtype});
  // Each element without itself.
  if (call.integer("exclusive", 0) != 0) sum = call("aten::sub.Tensor", {sum, x});
  if (reverse) sum = call("aten::flip", {sum, Ints{dim}});
  call.set(sum);
}

void topk(OnnxCall& call) {
  const size_t axis = call.axis(-1, call.sizes(0).size());
  const int64_t count = call.whole(1);
  const bool largest = call.integer("largest", 1) != 0, sorted = call.integer("sorted", 1) != 0;
  Node* node = call.emit("aten::topk", {call.in(0), count, static_cast<int64_t>(axis), largest, sorted});
  call.set(0, node->output(0));
  call.set(1, node->output(1));
}

// Off and on at the places that are named, as comparisons with 0, 1, 2, ...
void one_hot(OnnxCall& call) {
  const double said = call.number(1);
  const auto depth = static_cast<int64_t>(said > 0 && said < 1e9 ? said : 0);
  call.require(depth >= 1 && depth < (1 << 24), "has depth ", depth);
  const Shape from = call.sizes(0);
  const size_t axis = call.axis(-1, from.size() + 1);
  Ints counts;
  for (int64_t i = 0; i < depth; ++i) counts.push_back(i);
  Shape column(from.size() + 1, 1);
  column[axis] = depth;
  Value* index = call("aten::unsqueeze_copy", {call.in(0), static_cast<int64_t>(axis)});
  if (index->type.dtype != DType::kInt64) index = call("aten::_to_copy", {index, DType::kInt64});
  Value* negative = call("aten::lt.Scalar", {index, 0});
  Value* wrapped = call("aten::add.Tensor", {index, call.scalar_like(index, static_cast<double>(depth))});
  index = call("aten::where.self", {negative, wrapped, index});
  Value* hit = call("aten::eq.Tensor", {index, call.view(call.int64s(counts), column)});
  Value* off = call.view(call("aten::slice_copy.Tensor", {call.in(2), 0, 0, 1, 1}), Shape(column.size(), 1));
  Value* on = call.view(call("aten::slice_copy.Tensor", {call.in(2), 0, 1, 2, 1}), Shape(column.size(), 1));
  call.set(call("aten::where.self", {hit, on, off}));
}

}  // namespace

void add_onnx_move_rules(OnnxRules& rules) {
  static constexpr std::pair<const char*, OnnxRule> kRules[] = {
      {"CumSum", cumsum},
      {"DepthToSpace", depth_to_space},
      {"Gather", gather},
      {"GatherElements", gather_elements},
      {"GatherND", gather_nd},
      {"OneHot", one_hot},
      {"Pad", pad},
      {"ScatterElements", scatter_elements},
      {"Slice", slice},
      {"SpaceToDepth", space_to_depth},
      {"TopK", topk},
      {"Trilu", trilu},
  };
  for (const auto& [name, rule] : kRules) rules[name] = rule;
}

}  // namespace wick::compiler
