// ONNX operators that see a tensor in another shape or make one from nothing: Reshape, Transpose, Concat, Split,
// Shape, Range ...
#include <algorithm>
#include <cmath>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 24;  // of what is made at import

void reshape(OnnxCall& call) {
  const Shape& from = call.sizes(0);
  Shape sizes = call.ints(1);
  const bool zero_stays = call.integer("allowzero", 0) != 0;
  int64_t known = 1;
  size_t open = sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 && !zero_stays) {
      call.require(i < from.size(), "copies size ", i, ", but its input has ", from.size(), " dimensions");
      sizes[i] = from[i];
    }
    if (sizes[i] == -1) {
      call.require(open == sizes.size(), "leaves two sizes open");
      open = i;
      continue;
    }
    call.require(sizes[i] >= 0 && (sizes[i] == 0 || known <= (int64_t{1} << 31) / sizes[i]), "has an impossible size");
    known *= sizes[i];
  }
  const int64_t count = call.in(0)->type.numel();
  if (open < sizes.size()) {
    call.require(known > 0 && count % known == 0, "its sizes do not divide the input's ", count, " elements");
    sizes[open] = count / known;
  }
  call.set(call.view(call.in(0), sizes));
}

void flatten(OnnxCall& call) {
  const Shape& from = call.sizes(0);
  int64_t axis = call.integer("axis", 1);
  const auto rank = static_cast<int64_t>(from.size());
  call.require(axis >= -rank && axis <= rank, "axis ", axis, " is out of range");
  if (axis < 0) axis += rank;
  Shape sizes{1, 1};
  for (int64_t i = 0; i < rank; ++i) sizes[i < axis ? 0 : 1] *= from[static_cast<size_t>(i)];
  call.set(call.view(call.in(0), sizes));
}

void transpose(OnnxCall& call) {
  Ints dims;
  for (int64_t i = call.rank(0); i-- > 0;) dims.push_back(i);
  dims = call.ints("perm", dims);
  call.set(onnx_transposed(call, call.in(0), dims));
}

void squeeze(OnnxCall& call) {
  const Shape& from = call.sizes(0);
  const std::vector<size_t> axes = call.axes("axes", 1, from.size());
  Shape sizes;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool named = std::find(axes.begin(), axes.end(), i) != axes.end();
    call.require(!named || from[i] == 1, "dimension ", i, " has size ", from[i], ", which cannot be dropped");
    if (!(axes.empty() ? from[i] == 1 : named)) sizes.push_back(from[i]);
  }
  call.set(call.view(call.in(0), sizes));
}

void unsqueeze(OnnxCall& call) {
  const Ints said = call.has_attribute("axes") ? call.ints("axes", {}) : call.ints(1);
  const size_t rank = call.sizes(0).size() + said.size();
  Shape sizes(rank, 0);
  for (const int64_t axis : said) sizes[wrap(axis, rank, "axis")] = 1;
  size_t next = 0;
  for (int64_t& size : sizes) {
    if (size == 1) continue;
    call.require(next < call.sizes(0).size(), "names an axis twice");
    size = call.sizes(0)[next++];
  }
  call.require(next == call.sizes(0).size(), "names an axis twice");
  call.set(call.view(call.in(0), sizes));
}

void concat(OnnxCall& call) {
  Tensors parts;
  for (size_t i = 0; i < call.input_count(); ++i) parts.push_back(call.in(i));
  call.require(!parts.empty(), "joins nothing");
  const auto axis = static_cast<int64_t>(call.axis(0, call.sizes(0).size()));
  call.set(parts.size() == 1 ? parts[0] : call("aten::cat", {parts, axis}));
}

void split(OnnxCall& call) {
  const size_t axis = call.axis(0, call.sizes(0).size());
  const int64_t size = call.sizes(0)[axis];
  Ints sizes = call.has_attribute("split") ? call.ints("split", {}) : call.has(1) ? call.ints(1) : Ints{};
  const auto count = static_cast<int64_t>(call.node().outputs.size());
  if (sizes.empty()) {
    const int64_t parts = call.integer("num_outputs", count);
    call.require(parts >= 1 && parts <= std::max<int64_t>(size, 1), "cannot make ", parts, " parts of ", size);
    const int64_t each = (size + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::clamp<int64_t>(size - i * each, 0, each));
  }
  call.require(sizes.size() >= call.node().outputs.size(), "has more outputs than parts");
  Node* node = call.emit("aten::split_with_sizes_copy", {call.in(0), sizes, static_cast<int64_t>(axis)});
  for (size_t i = 0; i < call.node().outputs.size(); ++i) call.set(i, node->output(i));
}

void expand(OnnxCall& call) {
  Shape sizes = call.ints(1);
  const Shape& from = call.sizes(0);
  if (sizes.size() < from.size()) sizes.insert(sizes.begin(), from.size() - sizes.size(), 1);
  const size_t skip = sizes.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (sizes[skip + i] == 1) sizes[skip + i] = from[i];
  }
  call.set(sizes == from ? call.in(0) : call("aten::expand_copy", {call.in(0), sizes}));
}

void tile(OnnxCall& call) { call.set(call("aten::repeat", {call.in(0), call.ints(1)})); }

// What is known without running anything

void shape(OnnxCall& call) {
  const Shape& sizes = call.sizes(0);
  const auto rank = static_cast<int64_t>(sizes.size());
  int64_t start = call.integer("start", 0), end = call.integer("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, start, rank);
  call.set(call.int64s(Ints(sizes.begin() + start, sizes.begin() + end)));
}

void size(OnnxCall& call) {
  call.set(call.constant(files::filled(DType::kInt64, {}, static_cast<double>(call.in(0)->type.numel()))));
}

void constant_node(OnnxCall& call) {
  const auto& attributes = call.node().attributes;
  call.require(attributes.size() == 1, "must have one attribute");
  const auto& [name, value] = *attributes.begin();
  if (const auto* tensor = std::get_if<SharedArray>(&value)) {
    call.set(call.builder().graph().add_constant(call.node().name, *tensor));
  } else if (const auto* list = std::get_if<Ints>(&value)) {
    call.set(call.int64s(*list));
  } else if (const auto* one = std::get_if<int64_t>(&value)) {
    Value* scalar = call.view(call.int64s({*one}), {});
    call.set(scalar);
  } else if (const auto* real = std::get_if<double>(&value)) {
    call.set(call.constant(files::filled(DType::kFloat32, {}, *real)));
  } else if (const auto* reals = std::get_if<Doubles>(&value)) {
    files::Array array = files::filled(DType::kFloat32, {static_cast<int32_t>(reals->size())}, 0);
    for (size_t i = 0; i < reals->size(); ++i) files::set_element(array, i, (*reals)[i]);
    call.set(call.constant(std::move(array)));
  } else {
    call.fail("its attribute '", name, "' is not supported");
  }
}

std::vector<int32_t> small_sizes(OnnxCall& call, const Ints& sizes) {
  int64_t count = 1;
  for (const int64_t one : sizes) {
    call.require(one >= 0 && (one == 0 || count <= kMostElements / one), "would make too large a tensor");
    count *= one;
  }
  return {sizes.begin(), sizes.end()};
}

void constant_of_shape(OnnxCall& call) {
  const std::vector<int32_t> sizes = small_sizes(call, call.ints(0));
  DType dtype = DType::kFloat32;
  double value = 0;
  const auto found = call.node().attributes.find("value");
  if (found != call.node().attributes.end()) {
    const auto* tensor = std::get_if<SharedArray>(&found->second);
    call.require(tensor != nullptr && files::element_count(**tensor) == 1, "attribute 'value' must be one number");
    dtype = (*tensor)->dtype;
    value = files::element(**tensor, 0);
  }
  call.set(call.constant(files::filled(dtype, sizes, value)));
}

void range(OnnxCall& call) {
  const double start = call.number(0), limit = call.number(1), step = call.number(2);
  call.require(step != 0, "has step 0");
  const double count = std::max(0.0, std::ceil((limit - start) / step));
  call.require(count < static_cast<double>(kMostElements), "would make too large a tensor");
  files::Array array = files::filled(call.dtype(0), {static_cast<int32_t>(count)}, 0);
  for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
    files::set_element(array, i, start + static_cast<double>(i) * step);
  }
  call.set(call.constant(std::move(array)));
}

void eye_like(OnnxCall& call) {
  call.require(call.rank(0) == 2, "takes two dimensions");
  const DType dtype = call.has_attribute("dtype") ? onnx_dtype(call.integer("dtype", 1)) : call.dtype(0);
  files::Array array = files::filled(dtype, small_sizes(call, call.sizes(0)), 0);
  const int64_t offset = call.integer("k", 0), rows = call.sizes(0)[0], columns = call.sizes(0)[1];
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t column = row + offset;
    if (column >= 0 && column < columns) files::set_element(array, static_cast<uint64_t>(row * columns + column), 1);
  }
  call.set(call.constant(std::move(array)));
}

}  // namespace

Value* onnx_transposed(OnnxCall& call, Value* x, const Ints& dims) {
  bool identity = true;
  for (size_t i = 0; i < dims.size(); ++i) identity = identity && dims[i] == static_cast<int64_t>(i);
  if (identity && dims.size() == x->type.sizes.size()) return x;
  Node* source = x->producer();
  const bool behind = source != nullptr && source->op.starts_with("quantized_decomposed::dequantize") &&
                      source->arg(0).tensor() != nullptr && source->arg(0).tensor()->is_constant();
  if (!behind && !x->is_constant()) return call.permute(x, dims);
  const Value* held = behind ? source->arg(0).tensor() : x;
  std::vector<uint8_t> order;
  files::Array turned{held->type.dtype, {}, {}};
  for (const int64_t dim : dims) {
    order.push_back(static_cast<uint8_t>(wrap(dim, held->type.sizes.size(), "dimension")));
    turned.sizes.push_back(static_cast<int32_t>(held->type.sizes[order.back()]));
  }
  std::vector<uint8_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  call.require(
      order.size() == held->type.sizes.size() && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
      "its permutation does not fit the input");
  turned.bytes = files::to_memory_order(*held->data, order).bytes;
  Value* constant = call.builder().constant(held->name, std::move(turned));
  if (!behind) return constant;
  Arguments args = source->args();
  args[0] = constant;
  if (source->op == "quantized_decomposed::dequantize_per_channel") {
    const size_t axis = wrap(*args[3].get<int64_t>(), order.size(), "axis");
    args[3] = static_cast<int64_t>(std::find(order.begin(), order.end(), axis) - order.begin());
  }
  return call(source->op, std::move(args));
}

void add_onnx_shape_rules(OnnxRules& rules) {
  static constexpr std::pair<const char*, OnnxRule> kRules[] = {
      {"Concat", concat},
      {"Constant", constant_node},
      {"ConstantOfShape", constant_of_shape},
      {"Expand", expand},
      {"EyeLike", eye_like},
      {"Flatten", flatten},
      {"Range", range},
      {"Reshape", reshape},
      {"Shape", shape},
      {"Size", size},
      {"Split", split},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Transpose", transpose},
      {"Unsqueeze", unsqueeze},
  };
  for (const auto& [name, rule] : kRules) rules[name] = rule;
}

}  // namespace wick::compiler
