// See model.h.
#include "apps/support/model.h"

#include "apps/support/print.h"
#include "platform.h"
#include "stopwatch.h"

extern "C" {
extern uint8_t __flash_used, __static_ram_bytes, __stack_top, __stack_limit;
}

namespace wick::apps {
namespace {

char error_buffer[400];

uint32_t address(const void* symbol) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(symbol)); }

void must(Status status, const char* name) {
  if (!status.ok()) give_up(name, error_buffer);
}

}  // namespace

void give_up(const char* what, const char* why) {
  print("ERROR ", what, ": ", why, "\n");
  board::finish(false);
}

void Model::load(const board::EmbeddedProgram& embedded, runner::Pool& pool) {
  embedded_ = &embedded;
  ErrorText error(error_buffer, sizeof(error_buffer));
  const platform::Stopwatch watch;
  must(program_.load(embedded.data, embedded.bytes, error), embedded.name);
  const char* name = program_.method_name(0);
  if (name == nullptr) give_up(embedded.name, "has no method");
  must(Method::measure(program_, name, kAllOps, &memory_, error), embedded.name);
  void* base = pool.alloc(memory_.arena_bytes());
  if (base == nullptr) give_up(embedded.name, "its arena does not fit into the SRAM that is left");
  Arena arena(base, memory_.arena_bytes());
  must(method_.prepare(program_, name, kAllOps, arena, error), embedded.name);
  load_ = watch.elapsed();
  for (uint32_t i = 0; i < method_.output_count(); ++i) {
    const Value value = method_.output(i);
    if (value.kind != Value::Kind::kTensor || value.tensor.storage != Storage::kCaller) continue;
    void* memory = pool.alloc(value.tensor.bytes());
    if (memory == nullptr) give_up(embedded.name, "its outputs do not fit into the SRAM that is left");
    must(method_.set_output(i, memory, value.tensor.bytes(), error), embedded.name);
  }
}

Duration Model::run(Profiler* profiler) {
  ErrorText error(error_buffer, sizeof(error_buffer));
  const platform::Stopwatch watch;
  const Status status = method_.execute(error, profiler);
  const Duration duration = watch.elapsed();
  must(status, embedded_->name);
  return duration;
}

void Model::set_input(uint32_t index, const void* data, uint32_t bytes) {
  ErrorText error(error_buffer, sizeof(error_buffer));
  must(method_.set_input(index, data, bytes, error), embedded_->name);
}

void print_header(const char* title) {
  print("\n", title, "\n");
  for (uint32_t i = 0; i < board::embedded_count; ++i) {
    const board::EmbeddedProgram& e = board::embedded[i];
    print("  ", e.kind, "  ", e.name, ", ", e.bytes, " bytes in ", platform::place_of(e.data), "\n");
  }
}

void print_memory(const runner::Pool& pool) {
  print("\nMemory\n");
  print("  flash: ", address(&__flash_used), " bytes used, programs included\n");
  print("  SRAM:  ", address(&__static_ram_bytes), " bytes of data, ", static_cast<uint32_t>(pool.mark()),
        " of arenas and buffers, ", address(&__stack_top) - address(&__stack_limit), " of stack, ",
        static_cast<uint32_t>(pool.free_bytes()), " left\n");
}

}  // namespace wick::apps
