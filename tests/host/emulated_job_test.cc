// Jobs on emulated cores through the real runner: the same answers as on the host, figures that hold together, and
// errors that come through.
#include <doctest.h>

#include <cstring>
#include <filesystem>

#include "host/job.h"
#include "support/program_builder.h"

namespace wick::host {
namespace {

constexpr const char* kTargets[] = {"cortex-m0plus", "cortex-m4", "cortex-m33", "cortex-m55", "pico2"};
constexpr int32_t kCount = 37;

bool runner_is_built(const char* target) {
  const bool built = std::filesystem::exists(std::string(WICK_TEST_RUNNERS) + "/../wick/" + target + ".elf");
  if (!built) MESSAGE("skipped: no image for " << target);
  return built;
}

std::vector<uint8_t> bytes_of(test::ProgramBuilder& builder) {
  const test::AlignedBytes file = builder.finish();
  return {file.data(), file.data() + file.size()};
}

// y = relu(relu(x)), float32[37].
std::vector<uint8_t> two_relus() {
  test::ProgramBuilder b;
  const int32_t x = b.tensor({.sizes = {kCount}, .planned_at = 0});
  const int32_t h = b.tensor({.sizes = {kCount}, .planned_at = 160});
  const int32_t y = b.tensor({.sizes = {kCount}, .planned_at = 320});
  b.plan_memory({480});
  b.call("aten::relu", "out", {x, h});
  b.call("aten::relu", "out", {h, y});
  b.inputs({x});
  b.outputs({y});
  return bytes_of(b);
}

Array ramp() {
  Array array;
  array.sizes = {kCount};
  std::vector<float> values;
  for (int i = 0; i < kCount; ++i) values.push_back(static_cast<float>(i - 20) * 0.5f);
  array.bytes.resize(values.size() * sizeof(float));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

Job job_on(const char* target) {
  Job job;
  job.target = target;
  job.program = two_relus();
  job.calls.resize(1);
  job.calls[0].inputs = {ramp()};
  job.time_limit_seconds = 60;
  return job;
}

TEST_CASE("Emulated job gives the host's answers") {
  const JobResult host = run_job(job_on("host"));
  REQUIRE(host.error == "");
  for (const char* target : kTargets) {
    if (!runner_is_built(target)) continue;
    CAPTURE(target);
    const JobResult result = run_job(job_on(target));
    REQUIRE(result.error == "");
    REQUIRE(result.calls.size() == 1);
    REQUIRE(result.calls[0].outputs.size() == 1);
    const Array& output = std::get<Array>(result.calls[0].outputs[0]);
    CHECK(output.sizes == std::vector<int32_t>{kCount});
    CHECK(output.bytes == std::get<Array>(host.calls[0].outputs[0]).bytes);
  }
}

TEST_CASE("Emulated job's figures hold together and repeat") {
  if (!runner_is_built("cortex-m33")) return;
  Job job = job_on("cortex-m33");
  const JobResult plain = run_job(job);
  job.profile = true;
  job.repeat = 3;
  const JobResult profiled = run_job(job);
  REQUIRE(plain.error == "");
  REQUIRE(profiled.error == "");
  CHECK(plain.tick_unit == "instructions");
  CHECK(profiled.calls[0].ticks == plain.calls[0].ticks);  // the profile is not in the total
  const std::vector<OperatorCost>& operators = profiled.calls[0].operators;
  REQUIRE(operators.size() == 2);
  CHECK(operators[0].name == "aten::relu.out");
  CHECK(operators[1].index == 1);
  CHECK(operators[1].calls == 1);
  CHECK(operators[0].ticks == operators[1].ticks);
  const uint64_t dispatch = plain.calls[0].ticks - operators[0].ticks - operators[1].ticks;
  CHECK(dispatch < 150);
  CHECK(plain.arena_bytes == plain.persistent_bytes + plain.planned_bytes + plain.scratch_bytes);
  CHECK(*plain.stack_bytes >= *plain.execute_stack_bytes);
  CHECK(*plain.execute_stack_bytes > 0);
  CHECK(*plain.load_ticks > 0);
  CHECK(*plain.prepare_ticks > 0);
}

TEST_CASE("Emulated job needs its arena to the byte") {
  if (!runner_is_built("cortex-m33")) return;
  Job job = job_on("cortex-m33");
  const uint64_t needed = run_job(job).arena_bytes;
  job.arena_bytes = needed;
  CHECK(run_job(job).error == "");
  job.arena_bytes = needed - 1;
  const std::string error = run_job(job).error;
  CAPTURE(error);
  CHECK(error.find(std::to_string(needed)) != std::string::npos);
  CHECK(error.find(std::to_string(needed - 1)) != std::string::npos);
}

TEST_CASE("Emulated job passes the runtime's errors on") {
  if (!runner_is_built("cortex-m33")) return;
  Job job = job_on("cortex-m33");
  std::get<Array>(job.calls[0].inputs[0]).sizes = {kCount - 1};
  CHECK(run_job(job).error == run_job_on_host(job).error);
  job.calls[0].inputs.clear();
  CHECK(run_job(job).error.find("takes 1 inputs") != std::string::npos);
  job = job_on("cortex-m33");
  job.program.resize(40);
  CHECK(run_job(job).error == run_job_on_host(job).error);
  job = job_on("cortex-m33");
  job.calls[0].method = "backward";
  CHECK(run_job(job).error == run_job_on_host(job).error);
}

TEST_CASE("Emulated job that takes too long names the operator that ran") {
  if (!runner_is_built("cortex-m33")) return;
  Job job = job_on("cortex-m33");
  job.repeat = 1000000000;
  job.time_limit_seconds = 1;
  CHECK(run_job(job).error ==
        "the emulated cortex-m33 did not end within 1 s and was stopped while running operator aten::relu.out");
}

TEST_CASE("Simulated job tells exact instructions and estimated cycles") {
  if (!runner_is_built("pico2") || !runner_is_built("cortex-m33")) return;
  const JobResult emulated = run_job(job_on("cortex-m33"));
  Job job = job_on("pico2");
  job.profile = true;
  const JobResult result = run_job(job);
  REQUIRE(result.error == "");
  CHECK(result.tick_unit == "instructions");
  CHECK(result.cycle_hz == 150'000'000);
  REQUIRE(result.calls.size() == 1);
  // The board's own reading of its counter is one of them; that images are optimised otherwise is some more.
  CHECK(result.calls[0].ticks < emulated.calls[0].ticks + 100);
  CHECK(result.calls[0].ticks + 100 > emulated.calls[0].ticks);
  CHECK(result.calls[0].estimated_cycles.value_or(0) > result.calls[0].ticks);
  CHECK(result.calls[0].operators.size() == 2);
}

TEST_CASE("Simulated job names what is wrong") {
  if (!runner_is_built("pico2")) return;
  Job job = job_on("pico2");
  job.arena_bytes = 16;
  CHECK(run_job(job).error.find("arena") != std::string::npos);
  job = job_on("pico2");
  job.calls[0].method = "backward";
  CHECK(run_job(job).error == run_job_on_host(job).error);
  job = job_on("pico2");
  job.repeat = 1000000000;
  job.time_limit_seconds = 1;
  CHECK(run_job(job).error ==
        "the simulated pico2 did not end within 1 s and was stopped while running operator aten::relu.out");
}

TEST_CASE("Emulated job without calls prepares every method") {
  if (!runner_is_built("cortex-m33")) return;
  Job job = job_on("cortex-m33");
  const uint64_t needed = run_job(job).arena_bytes;
  job.calls.clear();
  const JobResult result = run_job(job);
  CHECK(result.error == "");
  CHECK(result.arena_bytes == needed);
}

}  // namespace
}  // namespace wick::host
