// A program of the image, made ready to run in memory of its own, with what that took. Ends the program with a message
// when something is wrong with it.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "embedded.h"
#include "pool.h"
#include "runtime/method.h"
#include "runtime/program.h"

namespace wick::apps {

// Time on the board; both 0 where there is none (an emulated board).
struct Duration {
  uint32_t microseconds = 0;
  uint32_t cycles = 0;
};

class Model {
 public:
  // Inputs are not set.
  void load(const board::EmbeddedProgram& embedded, runner::Pool& pool);

  const board::EmbeddedProgram& embedded() const { return *embedded_; }
  Method& method() { return method_; }
  const MethodMemory& memory() const { return memory_; }
  Duration load_time() const { return load_; }
  // Runs once. Ends the program when the method fails.
  Duration run(Profiler* profiler = nullptr);
  void set_input(uint32_t index, const void* data, uint32_t bytes);

 private:
  const board::EmbeddedProgram* embedded_ = nullptr;
  Program program_;
  Method method_;
  MethodMemory memory_;
  Duration load_;
};

// Says what went wrong and ends the program as a failure.
[[noreturn]] void give_up(const char* what, const char* why);

// What the image's memory holds and what is left of it.
void print_memory(const runner::Pool& pool);
void print_header(const char* title);

}  // namespace wick::apps
