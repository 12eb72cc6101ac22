// One-operator INT8 programs for tests: planned tensors placed one behind the other, constants, a run, an error text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/method.h"
#include "support/program_builder.h"

namespace wick::test {

inline const std::vector<uint8_t> kChannelsLast = {0, 2, 3, 1};

class Int8Program {
 public:
  ProgramBuilder builder;

  int32_t planned(const std::vector<int32_t>& sizes, const std::vector<uint8_t>& order = {},
                  DType dtype = DType::kInt8) {
    const int32_t at = end_;
    uint32_t bytes = dtype_bytes(dtype);
    for (int32_t size : sizes) bytes *= static_cast<uint32_t>(size);
    end_ += static_cast<int32_t>((bytes + 15) / 16 * 16);
    return planned_at(at, sizes, order, dtype);
  }
  int32_t planned_at(int32_t at, const std::vector<int32_t>& sizes, const std::vector<uint8_t>& order = {},
                     DType dtype = DType::kInt8) {
    return builder.tensor({.dtype = dtype, .sizes = sizes, .dim_order = order, .planned_at = at});
  }
  template <typename T>
  int32_t constant(DType dtype, const std::vector<int32_t>& sizes, const std::vector<T>& data) {
    const uint32_t index = builder.constant(data.data(), data.size() * sizeof(T));
    return builder.tensor({.dtype = dtype, .sizes = sizes, .data_index = index});
  }
  int32_t table(const std::vector<int32_t>& data) {
    return constant(DType::kInt32, {static_cast<int32_t>(data.size())}, data);
  }
  void call(const char* name, const std::vector<int32_t>& args) {
    builder.call((std::string("cortex_m::") + name).c_str(), "out", args);
  }

  // Runs the program once; the error, or empty. Inputs and output are bytes in memory order.
  std::string run(const std::vector<std::vector<uint8_t>>& inputs, std::vector<uint8_t>* output) {
    builder.plan_memory({end_});
    const AlignedBytes file = builder.finish();
    char text[512] = {};
    ErrorText error(text, sizeof(text));
    Program program;
    MethodMemory memory;
    Method method;
    if (!program.load(file.data(), file.size(), error).ok()) return text;
    if (!Method::measure(program, "forward", kAllOps, &memory, error).ok()) return text;
    AlignedBytes bytes(memory.arena_bytes());
    Arena arena(bytes.data(), bytes.size());
    if (!method.prepare(program, "forward", kAllOps, arena, error).ok()) return text;
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (!method.set_input(i, inputs[i].data(), inputs[i].size(), error).ok()) return text;
    }
    if (!method.execute(error).ok()) return text;
    const Tensor t = method.output(0).tensor;
    output->assign(t.as<uint8_t>(), t.as<uint8_t>() + t.bytes());
    return "";
  }

 private:
  int32_t end_ = 0;
};

// Whole numbers, two's complement.
inline std::vector<uint8_t> bytes_of(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes;
  for (int32_t v : values) bytes.push_back(static_cast<uint8_t>(v));
  return bytes;
}
inline std::vector<uint8_t> bytes_from(int32_t first, size_t count) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(first + static_cast<int32_t>(i)));
  return bytes;
}

}  // namespace wick::test
