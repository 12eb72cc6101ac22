// Takes bytes that may be anything through load, measure, prepare and execute, with every guard that a careful caller
// has: a limit on memory and on steps. Whatever the bytes are, this must return.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "runtime/method.h"

namespace wick::fuzz {

// How far the bytes came.
enum class Stage { kRefusedAtLoad, kRefusedAtPrepare, kFailedToRun, kRan };

inline constexpr size_t kMaxArenaBytes = 2 << 20;
inline constexpr uint32_t kMaxSteps = 300;

// Heap memory of exactly `bytes` at a multiple of 16, so that AddressSanitizer sees the first byte past it.
class ExactMemory {
 public:
  explicit ExactMemory(size_t bytes) : data_(static_cast<uint8_t*>(::operator new (bytes, std::align_val_t{16}))) {}
  ~ExactMemory() { ::operator delete (data_, std::align_val_t{16}); }
  ExactMemory(const ExactMemory&) = delete;
  ExactMemory& operator=(const ExactMemory&) = delete;
  uint8_t* data() { return data_; }

 private:
  uint8_t* data_;
};

inline void give_inputs(Method& method, uint32_t seed, ErrorText& error) {
  for (uint32_t i = 0; i < method.input_count(); ++i) {
    const Value v = method.input(i);
    if (v.kind != Value::Kind::kTensor) continue;
    static std::vector<uint64_t> storage;
    const size_t bytes = v.tensor.bytes();
    storage.resize(bytes / 8 + 1);
    uint8_t* p = reinterpret_cast<uint8_t*>(storage.data());
    for (size_t k = 0; k < bytes; ++k) p[k] = static_cast<uint8_t>(seed = seed * 1664525u + 1013904223u);
    (void)method.set_input(i, p, bytes, error).ok();
  }
}

inline Stage run_hostile(const uint8_t* bytes, size_t size, std::string* message = nullptr) {
  char text[512];
  ErrorText error(text, sizeof(text));
  auto end = [&](Stage stage) {
    if (message != nullptr) *message = text;
    return stage;
  };
  ExactMemory file(size);
  std::memcpy(file.data(), bytes, size);
  Program program;
  if (!program.load(file.data(), size, error).ok()) return end(Stage::kRefusedAtLoad);
  const char* name = program.method_name(0);
  if (name == nullptr) return end(Stage::kRefusedAtLoad);
  MethodMemory memory;
  if (!Method::measure(program, name, kAllOps, &memory, error).ok()) return end(Stage::kRefusedAtPrepare);
  if (memory.arena_bytes() > kMaxArenaBytes) return end(Stage::kRefusedAtPrepare);
  ExactMemory arena_memory(memory.arena_bytes());
  Arena arena(arena_memory.data(), memory.arena_bytes());
  Method method;
  if (!method.prepare(program, name, kAllOps, arena, error).ok()) return end(Stage::kRefusedAtPrepare);
  method.set_step_limit(kMaxSteps);
  // Memory that the program leaves to the caller.
  std::vector<std::vector<uint64_t>> outputs(method.output_count());
  for (uint32_t i = 0; i < method.output_count(); ++i) {
    const Value v = method.output(i);
    if (v.kind != Value::Kind::kTensor || v.tensor.storage != Storage::kCaller) continue;
    outputs[i].resize(v.tensor.bytes() / 8 + 1);
    (void)method.set_output(i, outputs[i].data(), outputs[i].size() * 8, error).ok();
  }
  for (uint32_t run = 0; run < 2; ++run) {
    error.clear();
    give_inputs(method, run + 1, error);
    if (!method.execute(error).ok()) return end(Stage::kFailedToRun);
  }
  return end(Stage::kRan);
}

}  // namespace wick::fuzz
