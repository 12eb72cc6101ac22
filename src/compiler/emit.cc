#include "compiler/emit.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "compiler/schema.h"
#include "files/failure.h"
#include "format/markers.h"
#include "format/program_generated.h"

namespace wick::compiler {

namespace {

using files::Bytes;
using files::fail;
template <typename T>
using Offset = flatbuffers::Offset<T>;

constexpr size_t kSegmentAlignment = 128;
constexpr size_t kConstantAlignment = 16;

// Bytes of many tensors behind each other, equal ones once where they are never written.
class Segment {
 public:
  explicit Segment(bool merge_equal) : merge_equal_(merge_equal) {}

  // Index as tensors refer to it: 0 is none.
  uint32_t add(const Bytes& bytes) {
    if (merge_equal_) {
      const auto known = index_of_.find(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      if (known != index_of_.end()) return known->second;
    }
    bytes_.resize((bytes_.size() + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment);
    offsets_.push_back(bytes_.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    const uint32_t index = static_cast<uint32_t>(offsets_.size() - 1);
    if (merge_equal_) index_of_.emplace(std::string(bytes.begin(), bytes.end()), index);
    return index;
  }
  bool empty() const { return offsets_.size() == 1; }
  const Bytes& bytes() const { return bytes_; }
  const std::vector<uint64_t>& offsets() const { return offsets_; }

 private:
  bool merge_equal_;
  Bytes bytes_;
  std::vector<uint64_t> offsets_ = {0};
  std::map<std::string, uint32_t, std::less<>> index_of_;
};

// The operators of a release that differ from what the graph has.
Arguments args_for(const Node& node, Release release) {
  Arguments args = node.args();
  if (release == Release::kExecuTorch14 && node.op == "cortex_m::quantized_avg_pool2d") {
    const bool* ceil_mode = args[4].get<bool>();
    if (ceil_mode != nullptr && *ceil_mode) {
      fail("node ", describe(node), ": ExecuTorch 1.4 has no average pooling with ceil_mode; use --executorch 1.5");
    }
    args.erase(args.begin() + 4);
  }
  return args;
}

// One method as a plan of the program.
class MethodWriter {
 public:
  MethodWriter(flatbuffers::FlatBufferBuilder& builder, Segment& constants, Segment& initial_values, const Graph& graph,
               const EmitOptions& options)
      : b_(builder), constants_(constants), initial_values_(initial_values), graph_(graph), options_(options) {
    outputs_ = graph.outputs();
    outputs_.insert(outputs_.end(), options.more_outputs.begin(), options.more_outputs.end());
    plan_ = plan_memory(graph, outputs_, options.plan);
  }

  const MemoryPlan& memory() const { return plan_; }

  Offset<fb::Plan> operator()() {
    std::vector<int32_t> inputs, outputs;
    for (const Value* input : graph_.inputs()) inputs.push_back(tensor(input));
    for (const auto& node : graph_.nodes()) write(*node);
    for (const StateUpdate& update : graph_.state_updates()) write_back(update);
    for (const Value* output : outputs_) outputs.push_back(tensor(output));
    const std::vector<int32_t> none;
    std::vector<Offset<fb::Chain>> chains = {fb::CreateChainDirect(b_, &none, &none, &instructions_)};
    const std::vector<int64_t> buffer_sizes = {0, plan_.bytes};
    const std::vector<Offset<fb::Delegate>> delegates;
    const auto container = fb::CreateContainerMetadataDirect(b_, "", "");
    return fb::CreatePlanDirect(b_, graph_.name.c_str(), container, &values_, &inputs, &outputs, &chains, &operators_,
                                &delegates, &buffer_sizes);
  }

 private:
  void write(const Node& node) {
    if (node.op == kAllocOp || plan_.elided.contains(&node)) return;
    const Schema* schema = find_schema(node.op);
    if (schema == nullptr || schema->out_op.empty())
      fail("node ", describe(node), ": no program can call this operator");
    const Arguments arguments = args_for(node, options_.release);
    std::vector<int32_t> args;
    // A release that lacks an argument in the middle has all the others in the same order.
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool same = arguments.size() == schema->args.size();
      if (same && schema->args[i].functional_only) continue;
      const bool optional_items = same && schema->args[i].optional_items;
      args.push_back(argument(arguments[i], optional_items));
    }
    std::vector<int32_t> outs;
    for (const Value* output : node.outputs()) outs.push_back(tensor(output));
    if (schema->output_list) {
      args.push_back(tensor_list(outs, false));
      args.push_back(args.back());
    } else {
      args.insert(args.end(), outs.begin(), outs.end());
      args.push_back(outs.size() == 1 ? outs[0] : tensor_list(outs, false));
    }
    call(schema->out_op, args);
  }

  void write_back(const StateUpdate& update) {
    if (update.update == update.state) return;
    const int32_t state = tensor(update.state);
    call("aten::copy_", {state, tensor(update.update), argument(Argument(false), false), state});
  }

  void call(const std::string& op, const std::vector<int32_t>& args) {
    const auto [at, fresh] = operator_index_.try_emplace(op, static_cast<int32_t>(operators_.size()));
    if (fresh) {
      const size_t dot = op.find('.', op.find("::"));
      const std::string name = op.substr(0, dot), overload = dot == std::string::npos ? "" : op.substr(dot + 1);
      operators_.push_back(fb::CreateOperatorDirect(b_, name.c_str(), overload.c_str()));
    }
    instructions_.push_back(fb::CreateInstruction(b_, fb::InstructionArguments::KernelCall,
                                                  fb::CreateKernelCallDirect(b_, at->second, &args).Union()));
  }

  template <typename Table>
  int32_t add(fb::Value kind, Offset<Table> table) {
    values_.push_back(fb::CreateEValue(b_, kind, table.Union()));
    return static_cast<int32_t>(values_.size() - 1);
  }

  // Equal constants of a method are one value.
  template <typename Make>
  int32_t once(const std::string& key, Make make) {
    const auto known = index_of_.find(key);
    if (known != index_of_.end()) return known->second;
    const int32_t index = make();
    index_of_[key] = index;
    return index;
  }

  int32_t integer(int64_t value) {
    return once("i" + std::to_string(value), [&] { return add(fb::Value::Int, fb::CreateInt(b_, value)); });
  }

  int32_t argument(const Argument& argument, bool optional_items) {
    if (const Value* value = argument.tensor()) return tensor(value);
    if (argument.is_none()) return once("n", [&] { return add(fb::Value::Null, fb::CreateNull(b_)); });
    if (const auto* value = argument.get<int64_t>()) return integer(*value);
    if (const auto* value = argument.get<bool>()) {
      return once(*value ? "b1" : "b0", [&] { return add(fb::Value::Bool, fb::CreateBool(b_, *value)); });
    }
    if (const auto* value = argument.get<double>()) {
      return once("d" + std::string(reinterpret_cast<const char*>(value), sizeof(*value)),
                  [&] { return add(fb::Value::Double, fb::CreateDouble(b_, *value)); });
    }
    if (const auto* value = argument.get<std::string>()) {
      return once("s" + *value, [&] { return add(fb::Value::String, fb::CreateStringDirect(b_, value->c_str())); });
    }
    if (const auto* list = argument.get<Ints>()) return int_list(*list);
    if (const auto* list = argument.get<Doubles>()) {
      return add(fb::Value::DoubleList, fb::CreateDoubleListDirect(b_, list));
    }
    if (const auto* list = argument.get<Bools>()) {
      const std::vector<uint8_t> items(list->begin(), list->end());
      return add(fb::Value::BoolList, fb::CreateBoolListDirect(b_, &items));
    }
    std::vector<int32_t> items;
    for (const Value* value : *argument.get<Tensors>()) items.push_back(value == nullptr ? -1 : tensor(value));
    return tensor_list(items, optional_items);
  }

  int32_t int_list(const Ints& list) {
    std::string key = "l";
    for (const int64_t value : list) key += std::to_string(value) + ",";
    return once(key, [&] {
      std::vector<int64_t> items;
      for (const int64_t value : list) items.push_back(integer(value));
      return add(fb::Value::IntList, fb::CreateIntListDirect(b_, &items));
    });
  }

  int32_t tensor_list(const std::vector<int32_t>& items, bool optional_items) {
    if (optional_items) return add(fb::Value::OptionalTensorList, fb::CreateOptionalTensorListDirect(b_, &items));
    return add(fb::Value::TensorList, fb::CreateTensorListDirect(b_, &items));
  }

  int32_t tensor(const Value* value) {
    const auto known = tensor_index_.find(value);
    if (known != tensor_index_.end()) return known->second;
    const TensorType& type = value->type;
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order = type.dim_order;
    for (size_t i = 0; i < type.sizes.size(); ++i) {
      if (type.sizes[i] > INT32_MAX) fail("value ", value->name, ": ", describe(type), " is too large for a program");
      sizes.push_back(static_cast<int32_t>(type.sizes[i]));
      if (type.dim_order.empty()) dim_order.push_back(static_cast<uint8_t>(i));
    }
    Offset<fb::AllocationInfo> place;
    Offset<fb::ExtraTensorInfo> extra;
    uint32_t data_index = 0;
    if (value->is_constant()) {
      data_index = constants_.add(memory_bytes(*value, dim_order));
    } else {
      const uint64_t offset = static_cast<uint64_t>(plan_.offsets.at(value));
      place = fb::CreateAllocationInfo(b_, 1, static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32));
    }
    if (value->producer() != nullptr && plan_.elided.contains(value->producer()) && !is_plain_view(value)) {
      extra = fb::CreateExtraTensorInfo(b_, 0, b_.CreateSharedString(format::kMemoryView));
    }
    if (value->kind == Value::Kind::kState) {
      data_index = initial_values_.add(memory_bytes(*value, dim_order));
      extra = fb::CreateExtraTensorInfoDirect(b_, 0, value->name.c_str());
    }
    const int32_t index =
        add(fb::Value::Tensor, fb::CreateTensorDirect(b_, static_cast<int8_t>(type.dtype), 0, &sizes, &dim_order, false,
                                                      data_index, place, 0, 0, extra));
    tensor_index_[value] = index;
    return index;
  }

  // A view of a contiguous value that is contiguous itself, all the way to who writes the bytes.
  bool is_plain_view(const Value* value) const {
    while (value->producer() != nullptr && plan_.elided.contains(value->producer())) {
      if (!value->type.dim_order.empty()) return false;
      value = value->producer()->arg(0).tensor();
    }
    return value->type.dim_order.empty();
  }

  static Bytes memory_bytes(const Value& value, const std::vector<uint8_t>& dim_order) {
    if (value.data == nullptr) return Bytes(static_cast<size_t>(value.type.bytes()));
    if (!files::is_permuted(value.data->sizes, dim_order)) return value.data->bytes;
    return files::to_memory_order(*value.data, dim_order).bytes;
  }

  flatbuffers::FlatBufferBuilder& b_;
  Segment &constants_, &initial_values_;
  const Graph& graph_;
  const EmitOptions& options_;
  MemoryPlan plan_;
  std::vector<Value*> outputs_;
  std::vector<Offset<fb::EValue>> values_;
  std::vector<Offset<fb::Instruction>> instructions_;
  std::vector<Offset<fb::Operator>> operators_;
  std::map<std::string, int32_t> operator_index_, index_of_;
  std::unordered_map<const Value*, int32_t> tensor_index_;
};

// Puts the extended header between the file identifier and the first table, and the segments behind.
void add_segments(Bytes& file, const Bytes& segments) {
  constexpr uint32_t kHeaderBytes = 32;
  const uint64_t program_bytes = file.size() + kHeaderBytes;
  const uint64_t base = (program_bytes + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
  const uint64_t segment_bytes = segments.size();
  uint8_t header[kHeaderBytes] = {'e', 'h', '0', '0'};
  std::memcpy(header + 4, &kHeaderBytes, 4);
  std::memcpy(header + 8, &program_bytes, 8);
  std::memcpy(header + 16, &base, 8);
  std::memcpy(header + 24, &segment_bytes, 8);
  file.insert(file.begin() + 8, header, header + kHeaderBytes);
  uint32_t root;
  std::memcpy(&root, file.data(), sizeof(root));
  root += kHeaderBytes;
  std::memcpy(file.data(), &root, sizeof(root));
  file.resize(static_cast<size_t>(base));
  file.insert(file.end(), segments.begin(), segments.end());
}

}  // namespace

files::Bytes emit_program(std::span<const Graph> methods, const EmitOptions& options) {
  flatbuffers::FlatBufferBuilder builder;
  Segment constants(true), initial_values(false);
  std::vector<const Graph*> by_name;
  for (const Graph& graph : methods) by_name.push_back(&graph);
  std::stable_sort(by_name.begin(), by_name.end(), [](const Graph* a, const Graph* b) { return a->name < b->name; });
  std::vector<Offset<fb::Plan>> plans;
  for (const Graph* graph : by_name) {
    MethodWriter writer(builder, constants, initial_values, *graph, options);
    plans.push_back(writer());
    if (options.plans != nullptr) options.plans->push_back(writer.memory());
  }
  Bytes blob = constants.bytes();
  std::vector<Offset<fb::Segment>> segments = {fb::CreateSegment(builder, 0, blob.size())};
  std::vector<Offset<fb::Subsegments>> mutable_segments;
  if (!initial_values.empty()) {
    blob.resize((blob.size() + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment);
    segments.push_back(fb::CreateSegment(builder, blob.size(), initial_values.bytes().size()));
    blob.insert(blob.end(), initial_values.bytes().begin(), initial_values.bytes().end());
    mutable_segments.push_back(fb::CreateSubsegmentsDirect(builder, 1, &initial_values.offsets()));
  }
  const std::vector<Offset<fb::InlineBuffer>> no_constants;
  const std::vector<Offset<fb::InlineDelegateData>> no_delegates;
  const auto constant_segment = fb::CreateSubsegmentsDirect(builder, 0, &constants.offsets());
  const auto program =
      fb::CreateProgramDirect(builder, 0, &plans, &no_constants, &no_delegates, &segments, constant_segment,
                              mutable_segments.empty() ? nullptr : &mutable_segments);
  builder.Finish(program, fb::ProgramIdentifier());
  Bytes file(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  if (!blob.empty()) add_segments(file, blob);
  return file;
}

}  // namespace wick::compiler
