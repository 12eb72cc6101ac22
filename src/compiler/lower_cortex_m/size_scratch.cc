#include "compiler/lower_cortex_m/size_scratch.h"

#include <string_view>
#include <vector>

#include "compiler/lower_cortex_m/scratch.h"
#include "compiler/plan_memory.h"
#include "compiler/schema.h"

namespace wick::compiler {

namespace {

struct Image {
  int64_t n, h, w, c;
};

Image image_of(const Shape& s, bool nhwc) {
  return nhwc ? Image{s[0], s[1], s[2], s[3]} : Image{s[0], s[2], s[3], s[1]};
}

const Ints& ints(const Node& node, const Schema& schema, std::string_view name) {
  static const Ints ones{1, 1};
  const size_t at = schema.index(name);
  const Ints* list = at == Schema::npos ? nullptr : node.arg(at).get<Ints>();
  return list == nullptr || list->size() != 2 ? ones : *list;
}

// Bytes of its scratch tensors, in the order of the arguments; empty for an operator that has none.
std::vector<int64_t> bytes_of(const Node& node, const Schema& schema, Isa isa) {
  std::string_view op = node.op;
  const bool nhwc = op.ends_with("_nhwc");
  if (nhwc) op.remove_suffix(5);
  const Shape& in = node.arg(0).tensor()->type.sizes;
  const Shape& out = node.output()->type.sizes;
  if (op == "cortex_m::quantized_batch_matmul") return {batch_matmul_scratch_bytes(out.back(), isa)};
  const bool transposed = op == "cortex_m::quantized_transpose_conv2d";
  const bool depthwise = op == "cortex_m::quantized_depthwise_conv2d";
  const bool pool = op == "cortex_m::quantized_avg_pool2d";
  if (!transposed && !depthwise && !pool && op != "cortex_m::quantized_conv2d") return {};
  const Image x = image_of(in, nhwc), y = image_of(out, nhwc);
  if (pool) return {avg_pool_scratch_bytes(x.c, isa)};
  const Shape& weight = node.arg(1).tensor()->type.sizes;
  const Ints &stride = ints(node, schema, "stride"), &padding = ints(node, schema, "padding");
  const Ints& dilation = ints(node, schema, "dilation");
  const int64_t groups = depthwise ? x.c : weight[3] == 0 ? 1 : x.c / weight[3];
  const ConvShape shape{x.n,       x.h,       x.w,       x.c,        y.h,        y.w,         y.c,         weight[1],
                        weight[2], stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1], groups};
  if (depthwise) return {depthwise_scratch_bytes(shape, isa)};
  if (!transposed) return {conv_scratch_bytes(shape, isa)};
  const TransposeScratch both = transpose_conv_scratch_bytes(shape, isa);
  return {both.scratch_bytes, both.output_bytes};
}

}  // namespace

void size_scratch(Graph& graph, Isa isa) {
  for (Node* node : graph.node_list()) {
    const Schema* schema = find_schema(node->op);
    if (schema == nullptr || !node->op.starts_with("cortex_m::")) continue;
    const std::vector<int64_t> bytes = bytes_of(*node, *schema, isa);
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t at = schema->index(i == 0 ? "scratch" : "output_scratch");
      if (at == Schema::npos || node->arg(at).tensor() == nullptr) continue;
      const Value* old = node->arg(at).tensor();
      if (old->type.bytes() == bytes[i]) continue;
      Node* made = graph.add_node(node, kAllocOp, {}, {{DType::kUInt8, {bytes[i]}, {}}}, node->name + "_scratch");
      graph.set_arg(node, at, made->output());
      if (old->producer() != nullptr && old->users().empty()) graph.erase(old->producer());
    }
  }
}

}  // namespace wick::compiler
