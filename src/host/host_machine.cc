// This machine as a place to run jobs. Times are of the wall clock. The arena is as large as the job says and not a
// byte more, so that a sanitizer sees whoever leaves it.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "host/job.h"
#include "runtime/method.h"

namespace wick::host {

namespace {

using Clock = std::chrono::steady_clock;

uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
// Bytes at a multiple of 16.
using Block = std::unique_ptr<uint8_t, Free>;
Block allocate(size_t bytes) {
  const size_t rounded = std::max<size_t>(bytes, 1);
  void* memory = nullptr;
  return Block(posix_memalign(&memory, Arena::kAlignment, rounded) == 0 ? static_cast<uint8_t*>(memory) : nullptr);
}

class StepTimes final : public Profiler {
 public:
  explicit StepTimes(uint32_t steps) : costs_(steps) {}
  void begin_step(uint32_t) override { start_ = Clock::now(); }
  void end_step(uint32_t step) override {
    costs_[step].ticks += nanoseconds_since(start_);
    ++costs_[step].calls;
  }
  std::vector<OperatorCost> take(const Method& method) {
    std::vector<OperatorCost> out;
    for (uint32_t step = 0; step < costs_.size(); ++step) {
      if (costs_[step].calls == 0) continue;
      char name[128];
      method.step_name(step, name, sizeof(name));
      out.push_back({step, name, costs_[step].calls, costs_[step].ticks});
    }
    return out;
  }

 private:
  std::vector<OperatorCost> costs_;
  Clock::time_point start_;
};

class Machine {
 public:
  explicit Machine(const Job& job) : job_(job) {}

  JobResult run() {
    if (!run_all().ok()) result_.error = error_.empty() ? "failed without a reason" : error_.c_str();
    result_.tick_unit = "ns";
    return std::move(result_);
  }

 private:
  Status run_all() {
    program_bytes_ = copy_of(job_.program);
    data_bytes_ = copy_of(job_.data);
    const Clock::time_point start = Clock::now();
    WICK_TRY(program_.load(program_bytes_.get(), job_.program.size(), error_));
    if (!job_.data.empty()) WICK_TRY(program_.attach_data(data_bytes_.get(), job_.data.size(), error_));
    result_.load_ticks = nanoseconds_since(start);
    choose_methods();
    if (names_.empty()) return {};
    WICK_TRY(prepare());
    for (const Call& call : job_.calls) WICK_TRY(make(call));
    return {};
  }

  static Block copy_of(const std::vector<uint8_t>& bytes) {
    Block block = allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(block.get(), bytes.data(), bytes.size());
    return block;
  }

  // Those that are called; all, as far as an arena can be shared, when none is.
  void choose_methods() {
    for (const Call& call : job_.calls) {
      if (index_of(call.method) == names_.size()) names_.push_back(call.method.c_str());
    }
    if (!job_.calls.empty()) return;
    for (uint32_t i = 0; i < std::min(program_.method_count(), Method::kMaxShared); ++i) {
      if (const char* name = program_.method_name(i)) names_.push_back(name);
    }
  }

  size_t index_of(const std::string& method) const {
    const auto at = std::find_if(names_.begin(), names_.end(), [&](const char* name) { return method == name; });
    return static_cast<size_t>(at - names_.begin());
  }

  Status prepare() {
    const uint32_t count = static_cast<uint32_t>(names_.size());
    if (count > Method::kMaxShared) {
      error_.add(count, " methods in one job, at most ", Method::kMaxShared, " can share an arena");
      return Code::kUnsupported;
    }
    MethodMemory memory;
    WICK_TRY(Method::measure_all(program_, names_.data(), count, kAllOps, &memory, error_));
    result_.arena_bytes = memory.arena_bytes();
    result_.persistent_bytes = memory.persistent_bytes;
    result_.planned_bytes = memory.planned_bytes;
    result_.scratch_bytes = memory.scratch_bytes;
    const size_t bytes = static_cast<size_t>(job_.arena_bytes.value_or(memory.arena_bytes()));
    arena_bytes_ = allocate(bytes);
    if (!arena_bytes_) {
      error_.add("this machine has no ", static_cast<uint64_t>(bytes), " bytes for the arena");
      return Code::kOutOfMemory;
    }
    Arena arena(arena_bytes_.get(), bytes);
    methods_.resize(count);
    const Clock::time_point start = Clock::now();
    WICK_TRY(Method::prepare_all(program_, names_.data(), count, kAllOps, arena, methods_.data(), nullptr, error_));
    result_.prepare_ticks = nanoseconds_since(start);
    return {};
  }

  Status make(const Call& call) {
    Method& method = methods_[index_of(call.method)];
    CallResult out;
    if (call.inputs.size() != method.input_count()) {
      error_.add("method ", call.method.c_str(), " takes ", method.input_count(), " inputs, but ",
                 static_cast<uint64_t>(call.inputs.size()), " are given");
      return Code::kInvalidArgument;
    }
    for (uint32_t round = 0; round < job_.repeat; ++round) {
      if (call.reset_before) WICK_TRY(method.reset(error_));
      for (uint32_t i = 0; i < method.input_count(); ++i) WICK_TRY(set_input(method, i, call.inputs[i]));
      WICK_TRY(give_outputs(method));
      StepTimes times(job_.profile ? method.step_count() : 0);
      const Clock::time_point start = Clock::now();
      WICK_TRY(method.execute(error_, job_.profile ? &times : nullptr));
      out.ticks = nanoseconds_since(start);
      out.operators = times.take(method);
    }
    for (uint32_t i = 0; i < method.output_count(); ++i) out.outputs.push_back(take(method.output(i)));
    result_.calls.push_back(std::move(out));
    return {};
  }

  Status set_input(Method& method, uint32_t index, const HostValue& value) {
    if (const Array* array = std::get_if<Array>(&value)) {
      return method.set_input(index, array->bytes.data(), array->bytes.size(), array->sizes.data(),
                              static_cast<uint32_t>(array->sizes.size()), error_);
    }
    Scalar scalar;
    if (const int64_t* integer = std::get_if<int64_t>(&value)) {
      scalar.i = *integer;
    } else if (const double* number = std::get_if<double>(&value)) {
      scalar.kind = Scalar::Kind::kFloat;
      scalar.f = *number;
    } else if (const bool* boolean = std::get_if<bool>(&value)) {
      scalar.kind = Scalar::Kind::kBool;
      scalar.i = *boolean ? 1 : 0;
    } else {
      error_.add("input ", index, ": strings cannot be given");
      return Code::kUnsupported;
    }
    return method.set_input(index, scalar, error_);
  }

  // Memory for the outputs that the program leaves to us. An output that is an input has its memory already.
  Status give_outputs(Method& method) {
    for (uint32_t i = 0; i < method.output_count(); ++i) {
      const Value v = method.output(i);
      if (v.kind != Value::Kind::kTensor || v.tensor.storage != Storage::kCaller || v.tensor.data != nullptr) continue;
      given_.push_back(allocate(v.tensor.bytes()));
      WICK_TRY(method.set_output(i, given_.back().get(), v.tensor.bytes(), error_));
    }
    return {};
  }

  static HostValue take(const Value& v) {
    switch (v.kind) {
      case Value::Kind::kTensor: {
        Array array;
        array.dtype = v.tensor.dtype;
        array.sizes.assign(v.tensor.sizes, v.tensor.sizes + v.tensor.rank);
        const uint8_t* bytes = v.tensor.as<uint8_t>();
        array.bytes.assign(bytes, bytes + v.tensor.bytes());
        return array;
      }
      case Value::Kind::kInt:
        return v.integer;
      case Value::Kind::kBool:
        return v.integer != 0;
      case Value::Kind::kDouble:
        return v.number;
      case Value::Kind::kString:
        return std::string(v.text);
      default:
        return std::string(kind_name(v.kind));
    }
  }

  const Job& job_;
  JobResult result_;
  char error_buffer_[4096] = {};
  ErrorText error_{error_buffer_, sizeof(error_buffer_)};
  Block program_bytes_, data_bytes_, arena_bytes_;
  Program program_;
  std::vector<const char*> names_;
  std::vector<Method> methods_;
  std::vector<Block> given_;
};

}  // namespace

JobResult run_job_on_host(const Job& job) { return Machine(job).run(); }

}  // namespace wick::host
