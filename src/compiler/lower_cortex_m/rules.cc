#include "compiler/lower_cortex_m/rules.h"

#include <algorithm>
#include <array>

#include "compiler/plan_memory.h"
#include "compiler/schema.h"
#include "files/array.h"

namespace wick::compiler {

namespace {

files::Array array_of(DType dtype, const Shape& sizes, const std::vector<int64_t>& values) {
  files::Array array{dtype, {sizes.begin(), sizes.end()}, std::vector<uint8_t>(values.size() * dtype_bytes(dtype))};
  for (size_t i = 0; i < values.size(); ++i) files::set_element(array, i, static_cast<double>(values[i]));
  return array;
}

}  // namespace

Value* Site::int32_constant(const std::string& suffix, const std::vector<int64_t>& values) const {
  return graph.add_constant(name + suffix, array_of(DType::kInt32, {static_cast<int64_t>(values.size())}, values));
}

Value* Site::int8_constant(const std::string& suffix, const Shape& sizes, const std::vector<int64_t>& values) const {
  return graph.add_constant(name + suffix, array_of(DType::kInt8, sizes, values));
}

Value* Site::scratch(int64_t bytes) const {
  return graph.add_node(quantize, kAllocOp, {}, {{DType::kUInt8, {bytes}, {}}}, name + "_scratch")->output();
}

Value* Site::view(Value* value, const Shape& sizes) const {
  if (value->type.sizes == sizes) return value;
  return build()("aten::view_copy", {value, sizes});
}

Value* Site::table(Value* value, const std::vector<int8_t>& entries) const {
  Value* lut = int8_constant("_lut", {256}, {entries.begin(), entries.end()});
  return build()("cortex_m::quantized_activation", {value, lut}, name);
}

Value* Site::requantized(Value* value, const QParams& from, const QParams& to) const {
  if (from == to) return value;
  return table(value, activation_table([](double x) { return x; }, from, to));
}

std::string family(const std::string& op) { return op.substr(0, op.find('.')); }

Ints pair_of(const Argument& argument, const Ints& otherwise) {
  if (const auto* one = argument.get<int64_t>()) return {*one, *one};
  const Ints* list = argument.get<Ints>();
  if (list == nullptr || list->empty()) return otherwise;
  return list->size() == 1 ? Ints{(*list)[0], (*list)[0]} : *list;
}

bool moves_elements(const std::string& op) {
  static constexpr std::array<std::string_view, 47> kMoves = {"aten::alias",
                                                              "aten::alias_copy",
                                                              "aten::as_strided_copy",
                                                              "aten::cat",
                                                              "aten::clone",
                                                              "aten::contiguous",
                                                              "aten::detach_copy",
                                                              "aten::expand",
                                                              "aten::expand_copy",
                                                              "aten::flatten",
                                                              "aten::flip",
                                                              "aten::gather",
                                                              "aten::index",
                                                              "aten::index_select",
                                                              "aten::lift_fresh_copy",
                                                              "aten::narrow",
                                                              "aten::narrow_copy",
                                                              "aten::permute",
                                                              "aten::permute_copy",
                                                              "aten::pixel_shuffle",
                                                              "aten::pixel_unshuffle",
                                                              "aten::repeat",
                                                              "aten::repeat_interleave",
                                                              "aten::reshape",
                                                              "aten::roll",
                                                              "aten::select",
                                                              "aten::select_copy",
                                                              "aten::slice",
                                                              "aten::slice_copy",
                                                              "aten::split",
                                                              "aten::split_copy",
                                                              "aten::split_with_sizes",
                                                              "aten::split_with_sizes_copy",
                                                              "aten::squeeze",
                                                              "aten::squeeze_copy",
                                                              "aten::stack",
                                                              "aten::t",
                                                              "aten::t_copy",
                                                              "aten::transpose",
                                                              "aten::transpose_copy",
                                                              "aten::unbind_copy",
                                                              "aten::unsqueeze",
                                                              "aten::unsqueeze_copy",
                                                              "aten::upsample_nearest2d",
                                                              "aten::view",
                                                              "aten::view_copy",
                                                              "dim_order_ops::_clone_dim_order"};
  const std::string name = family(op);
  return std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end() || name == "aten::amax" ||
         name == "aten::amin" || name == "aten::reflection_pad1d" || name == "aten::reflection_pad2d" ||
         name == "aten::replication_pad1d" || name == "aten::replication_pad2d" ||
         name == "dim_order_ops::_to_dim_order_copy";
}

Node* moved_on_integers(Graph& graph, Node* before, const Node& node, QParams* params) {
  std::optional<QParams> common;
  bool legal = true;
  Arguments args = node.args();
  for (Argument& argument : args) {
    argument.each_tensor([&](Value*& value) {
      if (!is_float(value->type.dtype)) return;  // indices
      const auto source = quantized(value);
      if (!source || (common && *common != source->params)) {
        legal = false;
        return;
      }
      common = source->params;
      value = source->q;
    });
  }
  if (!legal || !common) return nullptr;
  *params = *common;
  // cortex_m's own operator where there is one.
  if (node.op == "aten::permute_copy" && args[0].tensor()->type.sizes.size() <= 4) {
    Ints perm = *args[1].get<Ints>();
    for (int64_t& dim : perm) dim = dim < 0 ? dim + static_cast<int64_t>(perm.size()) : dim;
    return Builder(graph, before).node("cortex_m::transpose", {args[0], perm}, node.name);
  }
  return Builder(graph, before).node(node.op, std::move(args), node.name);
}

}  // namespace wick::compiler
