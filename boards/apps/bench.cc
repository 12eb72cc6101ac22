// What every program of the image costs on the board: many runs, their least, middle and most, and each operator's
// share, as text and as CSV. Inputs are a fixed pattern: kernels take the same time whatever the numbers.
#include "apps/support/model.h"
#include "apps/support/print.h"
#include "platform.h"
#include "stopwatch.h"

namespace wick::apps {
namespace {

constexpr uint32_t kRuns = 50;
constexpr uint32_t kMaxSteps = 128;

// The least that each step took.
class StepTimes final : public Profiler {
 public:
  void begin_step(uint32_t step) override {
    step_ = step < kMaxSteps ? step : kMaxSteps;
    watch_ = platform::Stopwatch();
  }
  void end_step(uint32_t) override {
    const uint32_t cycles = watch_.elapsed().cycles;
    if (cycles < cycles_[step_]) cycles_[step_] = cycles;
  }
  void restart() {
    for (uint32_t& cycles : cycles_) cycles = kNever;
  }
  static constexpr uint32_t kNever = 0xFFFFFFFF;
  uint32_t cycles(uint32_t step) const { return cycles_[step]; }

 private:
  uint32_t step_ = 0;
  platform::Stopwatch watch_;
  uint32_t cycles_[kMaxSteps + 1];
};

void fill_inputs(Model& model, runner::Pool& pool) {
  for (uint32_t i = 0; i < model.method().input_count(); ++i) {
    const Value value = model.method().input(i);
    if (value.kind != Value::Kind::kTensor) give_up(model.embedded().name, "has an input that is no tensor");
    const size_t mark = pool.mark();
    const uint32_t bytes = value.tensor.bytes();
    uint8_t* memory = static_cast<uint8_t*>(pool.alloc(bytes));
    if (memory == nullptr) give_up(model.embedded().name, "its inputs do not fit into the SRAM that is left");
    for (uint32_t k = 0; k < bytes; ++k) memory[k] = static_cast<uint8_t>(k * 37);
    if (value.tensor.dtype == DType::kFloat32) {
      float* numbers = reinterpret_cast<float*>(memory);
      for (uint32_t k = 0; k < bytes / sizeof(float); ++k) numbers[k] = static_cast<float>(k * 37 % 101) / 50.0f - 1.0f;
    }
    model.set_input(i, memory, bytes);
    // Planned inputs are copies; the caller's own memory is read in place.
    if (value.tensor.storage == Storage::kPlanned) pool.rewind(mark);
  }
}

void sort(Duration* values, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const Duration value = values[i];
    uint32_t at = i;
    for (; at > 0 && values[at - 1].cycles > value.cycles; --at) values[at] = values[at - 1];
    values[at] = value;
  }
}

Model model;
Duration runs[kRuns];

void print_steps(const StepTimes& step_times) {
  const uint32_t steps = model.method().step_count() < kMaxSteps ? model.method().step_count() : kMaxSteps;
  uint32_t total = 0;
  for (uint32_t i = 0; i < steps; ++i) total += step_times.cycles(i) == StepTimes::kNever ? 0 : step_times.cycles(i);
  print("  step  operator                                       cycles  share\n");
  for (uint32_t i = 0; i < steps; ++i) {
    char name[64];
    model.method().step_name(i, name, sizeof(name));
    const uint32_t cycles = step_times.cycles(i);
    if (cycles == StepTimes::kNever) continue;
    const float share = total > 0 ? static_cast<float>(cycles) / static_cast<float>(total) * 100.0f : 0.0f;
    print("  ", Right{i, 4}, "  ", Left{name, 44}, Right{cycles, 9}, "  ", Fixed{share, 1}, " %\n");
  }
  print("csv,program,step,operator,cycles\n");
  for (uint32_t i = 0; i < steps; ++i) {
    char name[64];
    model.method().step_name(i, name, sizeof(name));
    if (step_times.cycles(i) == StepTimes::kNever) continue;
    print("csv,", model.embedded().name, ",", i, ",", name, ",", step_times.cycles(i), "\n");
  }
}

void bench(const board::EmbeddedProgram& embedded, runner::Pool& pool) {
  model.load(embedded, pool);
  for (Duration& run : runs) {
    fill_inputs(model, pool);
    run = model.run();
  }
  const Duration first = runs[0];
  sort(runs, kRuns);
  StepTimes step_times;
  step_times.restart();
  for (uint32_t i = 0; i < 5; ++i) {
    fill_inputs(model, pool);
    model.run(&step_times);
  }
  print("\n", embedded.kind, " ", embedded.name, ": weights in ", platform::place_of(embedded.data), ", ", kRuns,
        " runs (", platform::kTimeNote, ")\n");
  print("  load     ", model.load_time().microseconds, " us, ", model.load_time().cycles, " cycles\n");
  print("  first    ", first.microseconds, " us, ", first.cycles, " cycles\n");
  print("  least    ", runs[0].microseconds, " us, ", runs[0].cycles, " cycles\n");
  print("  median   ", runs[kRuns / 2].microseconds, " us, ", runs[kRuns / 2].cycles, " cycles\n");
  print("  most     ", runs[kRuns - 1].microseconds, " us, ", runs[kRuns - 1].cycles, " cycles\n");
  print("csv,program,runs,least_us,median_us,most_us,least_cycles,median_cycles,most_cycles\n");
  print("csv,", embedded.name, ",", kRuns, ",", runs[0].microseconds, ",", runs[kRuns / 2].microseconds, ",");
  print(runs[kRuns - 1].microseconds, ",", runs[0].cycles, ",", runs[kRuns / 2].cycles, ",", runs[kRuns - 1].cycles,
        "\n");
  print_steps(step_times);
}

}  // namespace
}  // namespace wick::apps

int main(int, char**) {
  using namespace wick;
  using namespace wick::apps;
  board::open_console();
  print_header("Benchmark on wick");
  runner::Pool pool(platform::bulk_memory());
  for (uint32_t i = 0; i < board::embedded_count; ++i) {
    const size_t mark = pool.mark();
    bench(board::embedded[i], pool);
    print_memory(pool);
    pool.rewind(mark);
  }
  print("done\n");
  board::finish(true);
}
