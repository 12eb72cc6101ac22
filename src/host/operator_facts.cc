// What is known of single operators from outside: how many multiply-accumulates a call makes, and where a program's
// inputs and outputs cross between numbers and quantized numbers.
#include "host/operator_facts.h"

#include <algorithm>
#include <string_view>

#include "host/program_info.h"
#include "runtime/op.h"

namespace wick::host {

namespace {

uint64_t count(const ValueInfo& tensor) {
  uint64_t n = 1;
  for (const int32_t size : tensor.sizes) n *= static_cast<uint64_t>(size);
  return n;
}

uint64_t size(const ValueInfo& tensor, size_t from_the_end) {
  return tensor.sizes.size() >= from_the_end ? static_cast<uint64_t>(tensor.sizes[tensor.sizes.size() - from_the_end])
                                             : 1;
}

uint64_t channels(const ValueInfo& image, bool nhwc) {
  return nhwc ? size(image, 1) : (image.sizes.size() > 1 ? static_cast<uint64_t>(image.sizes[1]) : 1);
}

uint64_t divide(uint64_t a, uint64_t b) { return b > 0 ? a / b : 0; }

// Matrix products: which argument's last dimension is summed over.
struct Product {
  std::string_view name;
  size_t operand;
};
constexpr Product kProducts[] = {
    {"aten::linear.out", 0},  {"aten::mm.out", 0},
    {"aten::bmm.out", 0},     {"aten::addmm.out", 1},
    {"aten::matmul.out", 0},  {"cortex_m::quantized_linear.out", 0},
    {"aten::baddbmm.out", 1}, {"cortex_m::quantized_batch_matmul.out", 0},
};

std::optional<Quantization> quantization_of(const MethodInfo& m, const InstructionInfo& call) {
  if (call.args.size() < 3) return std::nullopt;
  const ValueInfo& scale = m.values[static_cast<size_t>(call.args[1])];
  const ValueInfo& zero_point = m.values[static_cast<size_t>(call.args[2])];
  if (scale.kind != ValueInfo::Kind::kDouble || zero_point.kind != ValueInfo::Kind::kInt) return std::nullopt;
  return Quantization{scale.number, zero_point.integer};
}

bool is_quantize(std::string_view name) { return name.find("::quantize_per_tensor") != std::string_view::npos; }
bool is_dequantize(std::string_view name) { return name.find("::dequantize_per_tensor") != std::string_view::npos; }

}  // namespace

std::optional<uint64_t> MethodInfo::macs_of(const InstructionInfo& call) const {
  if (call.kind != InstructionInfo::Kind::kCall || call.args.size() < 3) return std::nullopt;
  const auto tensor = [&](size_t arg) -> const ValueInfo* {
    if (arg >= call.args.size()) return nullptr;
    const ValueInfo& v = values[static_cast<size_t>(call.args[arg])];
    return v.kind == ValueInfo::Kind::kTensor ? &v : nullptr;
  };
  const ValueInfo* out = tensor(call.args.size() - 1);
  if (out == nullptr) return std::nullopt;

  for (const Product& p : kProducts) {
    if (call.name != p.name) continue;
    const ValueInfo* operand = tensor(p.operand);
    return operand != nullptr ? std::optional(count(*out) * size(*operand, 1)) : std::nullopt;
  }
  const ValueInfo *input = tensor(0), *weight = tensor(1);
  if (input == nullptr || weight == nullptr) return std::nullopt;
  const bool nhwc = call.name.ends_with("_nhwc.out");
  bool transposed = call.name.starts_with("cortex_m::quantized_transpose_conv2d");
  if (call.name == "aten::convolution.out") {
    if (call.args.size() < 7) return std::nullopt;
    transposed = values[static_cast<size_t>(call.args[6])].integer != 0;
  } else if (!transposed && !call.name.starts_with("cortex_m::quantized_conv2d") &&
             !call.name.starts_with("cortex_m::quantized_depthwise_conv2d")) {
    return std::nullopt;
  }
  // Every weight is used once per output position, or per input position when transposed.
  const ValueInfo& image = transposed ? *input : *out;
  return divide(count(image) * count(*weight), channels(image, nhwc));
}

std::optional<Quantization> MethodInfo::input_quantization(size_t index) const {
  for (const InstructionInfo& call : instructions) {
    if (is_quantize(call.name) && !call.args.empty() && call.args[0] == inputs[index]) {
      return quantization_of(*this, call);
    }
  }
  return std::nullopt;
}

std::optional<Quantization> MethodInfo::output_quantization(size_t index) const {
  for (const InstructionInfo& call : instructions) {
    if (is_dequantize(call.name) && !call.args.empty() && call.args.back() == outputs[index]) {
      return quantization_of(*this, call);
    }
  }
  return std::nullopt;
}

namespace {

void add_once(std::vector<std::string>* list, const std::string& entry) {
  if (std::find(list->begin(), list->end(), entry) == list->end()) list->push_back(entry);
}

}  // namespace

std::vector<std::string> missing_operators(const ProgramInfo& program) {
  std::vector<std::string> missing;
  const Op* end = kAllOps.ops + kAllOps.count;
  for (const MethodInfo& m : program.methods) {
    for (const InstructionInfo& call : m.instructions) {
      if (call.kind != InstructionInfo::Kind::kCall) continue;
      if (std::none_of(kAllOps.ops, end, [&](const Op& op) { return call.name == op.name; })) {
        add_once(&missing, call.name);
      }
    }
  }
  return missing;
}

std::vector<std::string> delegated_backends(const ProgramInfo& program) {
  std::vector<std::string> backends;
  for (const MethodInfo& m : program.methods) {
    for (const std::string& id : m.delegates) add_once(&backends, id);
  }
  return backends;
}

}  // namespace wick::host
