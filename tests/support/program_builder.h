// Writes small .pte files in memory for tests, well-formed unless a test spoils them. Uses the generated FlatBuffers
// code, which the reader under test does not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "format/program_generated.h"

namespace wick::test {

// Bytes at a multiple of 16, as programs must lie.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(const std::vector<uint8_t>& bytes) : storage_(bytes.size() + 16), size_(bytes.size()) {
    std::memcpy(data(), bytes.data(), size_);
  }
  explicit AlignedBytes(size_t size, size_t offset = 0) : storage_(size + 32), size_(size), offset_(offset) {}
  AlignedBytes(const AlignedBytes& other) : AlignedBytes(other.size_) { std::memcpy(data(), other.data(), size_); }
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  uint8_t* data() { return aligned() + offset_; }
  const uint8_t* data() const { return const_cast<AlignedBytes*>(this)->data(); }
  size_t size() const { return size_; }

 private:
  uint8_t* aligned() { return storage_.data() + (16 - reinterpret_cast<uintptr_t>(storage_.data()) % 16) % 16; }
  std::vector<uint8_t> storage_;
  size_t size_ = 0;
  size_t offset_ = 0;
};

struct TensorSpec {
  DType dtype = DType::kFloat32;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order = {};  // default: contiguous
  int32_t planned_at = -1;              // offset in memory_id, or not planned
  uint32_t memory_id = 1;
  uint32_t data_index = 0;  // constant, or initial value when planned
  int8_t dynamism = 0;
  std::string name = {};
  bool external = false;
};

// One program with one method unless next_method() is called.
class ProgramBuilder {
 public:
  // A value whose kind is none that there is.
  int32_t unreadable() { return add(fb::Value::NONE, flatbuffers::Offset<void>()); }
  int32_t none() { return add(fb::Value::Null, fb::CreateNull(b_).Union()); }
  int32_t integer(int64_t v) { return add(fb::Value::Int, fb::CreateInt(b_, v).Union()); }
  int32_t boolean(bool v) { return add(fb::Value::Bool, fb::CreateBool(b_, v).Union()); }
  int32_t number(double v) { return add(fb::Value::Double, fb::CreateDouble(b_, v).Union()); }
  int32_t string(const char* v) { return add(fb::Value::String, fb::CreateStringDirect(b_, v).Union()); }
  int32_t int_list(const std::vector<int64_t>& values) {
    std::vector<int64_t> indices;
    for (int64_t v : values) indices.push_back(integer(v));
    return int_list_of(indices);
  }
  int32_t int_list_of(const std::vector<int64_t>& indices) {
    return add(fb::Value::IntList, fb::CreateIntListDirect(b_, &indices).Union());
  }
  int32_t tensor_list(const std::vector<int32_t>& indices) {
    return add(fb::Value::TensorList, fb::CreateTensorListDirect(b_, &indices).Union());
  }
  int32_t tensor(const TensorSpec& t) {
    std::vector<uint8_t> order = t.dim_order;
    if (order.empty()) {
      for (size_t i = 0; i < t.sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
    }
    flatbuffers::Offset<fb::AllocationInfo> allocation;
    if (t.planned_at >= 0) allocation = fb::CreateAllocationInfo(b_, t.memory_id, static_cast<uint32_t>(t.planned_at));
    flatbuffers::Offset<fb::ExtraTensorInfo> extra;
    if (!t.name.empty() || t.external) {
      extra = fb::CreateExtraTensorInfoDirect(b_, 0, t.name.empty() ? nullptr : t.name.c_str(), t.external ? 1 : 0);
    }
    return add(fb::Value::Tensor, fb::CreateTensorDirect(b_, static_cast<int8_t>(t.dtype), 0, &t.sizes, &order, false,
                                                         t.data_index, allocation, 0, t.dynamism, extra)
                                      .Union());
  }
  // A constant's index for TensorSpec::data_index.
  uint32_t constant(const void* data, size_t bytes) { return blob(constants_, constant_offsets_, data, bytes); }
  uint32_t initial_value(const void* data, size_t bytes) { return blob(initial_, initial_offsets_, data, bytes); }

  // Appends the repeated return value unless it is a prim operator.
  void call(const char* name, const char* overload, std::vector<int32_t> args, bool repeat_return = true) {
    if (repeat_return) args.push_back(args.back());
    const std::string key = std::string(name) + "." + overload;
    size_t index = 0;
    while (index < operator_keys_.size() && operator_keys_[index] != key) ++index;
    if (index == operator_keys_.size()) {
      operator_keys_.push_back(key);
      operators_.push_back(fb::CreateOperatorDirect(b_, name, overload));
    }
    instruction(fb::InstructionArguments::KernelCall,
                fb::CreateKernelCallDirect(b_, static_cast<int32_t>(index), &args).Union());
  }
  void move(int32_t from, int32_t to) {
    instruction(fb::InstructionArguments::MoveCall, fb::CreateMoveCall(b_, from, to).Union());
  }
  void jump_if_false(int32_t condition, int32_t destination) {
    instruction(fb::InstructionArguments::JumpFalseCall, fb::CreateJumpFalseCall(b_, condition, destination).Union());
  }
  void delegate(const char* id) { delegates_.push_back(fb::CreateDelegateDirect(b_, id)); }
  void plan_memory(std::vector<int64_t> sizes) {
    buffer_sizes_ = {0};
    buffer_sizes_.insert(buffer_sizes_.end(), sizes.begin(), sizes.end());
  }
  void inputs(std::vector<int32_t> values) { inputs_ = values; }
  void outputs(std::vector<int32_t> values) { outputs_ = values; }

  void next_method(const char* name) {
    end_method();
    name_ = name;
  }

  AlignedBytes finish() {
    end_method();
    std::vector<flatbuffers::Offset<fb::Segment>> segments;
    std::vector<uint8_t> blob;
    flatbuffers::Offset<fb::Subsegments> constant_segment;
    std::vector<flatbuffers::Offset<fb::Subsegments>> mutable_segments;
    auto add_segment = [&](const std::vector<uint8_t>& bytes) {
      blob.resize((blob.size() + 15) / 16 * 16);
      segments.push_back(fb::CreateSegment(b_, blob.size(), bytes.size()));
      blob.insert(blob.end(), bytes.begin(), bytes.end());
      return static_cast<uint32_t>(segments.size() - 1);
    };
    if (constant_offsets_.size() > 1) {
      const uint32_t at = add_segment(constants_);
      constant_segment = fb::CreateSubsegmentsDirect(b_, at, &constant_offsets_);
    }
    if (initial_offsets_.size() > 1) {
      const uint32_t at = add_segment(initial_);
      mutable_segments.push_back(fb::CreateSubsegmentsDirect(b_, at, &initial_offsets_));
    }
    b_.Finish(fb::CreateProgramDirect(b_, 0, &plans_, nullptr, nullptr, segments.empty() ? nullptr : &segments,
                                      constant_segment, mutable_segments.empty() ? nullptr : &mutable_segments),
              "ET12");
    std::vector<uint8_t> file(b_.GetBufferPointer(), b_.GetBufferPointer() + b_.GetSize());
    if (!blob.empty()) insert_header(file, blob);
    return AlignedBytes(file);
  }

 private:
  int32_t add(fb::Value tag, flatbuffers::Offset<void> value) {
    values_.push_back(fb::CreateEValue(b_, tag, value));
    return static_cast<int32_t>(values_.size() - 1);
  }
  void instruction(fb::InstructionArguments tag, flatbuffers::Offset<void> args) {
    instructions_.push_back(fb::CreateInstruction(b_, tag, args));
  }
  static uint32_t blob(std::vector<uint8_t>& bytes, std::vector<uint64_t>& offsets, const void* data, size_t size) {
    bytes.resize((bytes.size() + 15) / 16 * 16);
    offsets.push_back(bytes.size());
    const uint8_t* p = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), p, p + size);
    return static_cast<uint32_t>(offsets.size() - 1);
  }
  void end_method() {
    std::vector<flatbuffers::Offset<fb::Chain>> chains = {fb::CreateChainDirect(b_, nullptr, nullptr, &instructions_)};
    plans_.push_back(fb::CreatePlanDirect(b_, name_.c_str(), 0, &values_, &inputs_, &outputs_, &chains, &operators_,
                                          &delegates_, &buffer_sizes_));
    values_.clear();
    instructions_.clear();
    operators_.clear();
    operator_keys_.clear();
    inputs_.clear();
    outputs_.clear();
    delegates_.clear();
    buffer_sizes_ = {0};
  }
  // The extended header stands between the identifier and the first table.
  static void insert_header(std::vector<uint8_t>& file, const std::vector<uint8_t>& blob) {
    std::vector<uint8_t> header(32);
    const uint32_t length = 32;
    const uint64_t program_bytes = file.size() + 32;
    const uint64_t base = (program_bytes + 127) / 128 * 128, data_bytes = blob.size();
    std::memcpy(&header[0], "eh00", 4);
    std::memcpy(&header[4], &length, 4);
    std::memcpy(&header[8], &program_bytes, 8);
    std::memcpy(&header[16], &base, 8);
    std::memcpy(&header[24], &data_bytes, 8);
    file.insert(file.begin() + 8, header.begin(), header.end());
    uint32_t root;
    std::memcpy(&root, file.data(), 4);
    root += 32;
    std::memcpy(file.data(), &root, 4);
    file.resize(static_cast<size_t>(base));
    file.insert(file.end(), blob.begin(), blob.end());
  }

  flatbuffers::FlatBufferBuilder b_;
  std::string name_ = "forward";
  std::vector<flatbuffers::Offset<fb::EValue>> values_;
  std::vector<flatbuffers::Offset<fb::Instruction>> instructions_;
  std::vector<flatbuffers::Offset<fb::Operator>> operators_;
  std::vector<std::string> operator_keys_;
  std::vector<flatbuffers::Offset<fb::Delegate>> delegates_;
  std::vector<flatbuffers::Offset<fb::Plan>> plans_;
  std::vector<int32_t> inputs_, outputs_;
  std::vector<int64_t> buffer_sizes_ = {0};
  std::vector<uint8_t> constants_, initial_;
  std::vector<uint64_t> constant_offsets_ = {0}, initial_offsets_ = {0};
};

}  // namespace wick::test
