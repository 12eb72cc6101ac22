// Emulated runs that go wrong: each must end, with an error that says what happened. And counts must be exact. Uses
// images of tests/emulation in place of the runner.
#include <doctest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>

#include "host/job.h"

namespace wick::host {
namespace {

constexpr const char* kTargets[] = {"cortex-m0plus", "cortex-m4", "cortex-m33", "cortex-m55"};

// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

bool images_are_built() {
  const bool built = std::filesystem::exists(std::string(WICK_TEST_RUNNERS) + "/cortex-m33.elf");
  if (!built) MESSAGE("skipped: no images for emulated cores (arm-none-eabi-gcc was not found)");
  return built;
}

JobResult misbehave(const char* target, char how, uint32_t times = 0) {
  Job job;
  job.target = target;
  job.program.resize(8);
  job.program[0] = static_cast<uint8_t>(how);
  std::memcpy(&job.program[4], &times, sizeof(times));
  job.time_limit_seconds = how == 'l' ? 1 : 60;
  return run_job(job);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_CASE("Emulator names cause, address and activity when the core faults") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  for (const char* target : kTargets) {
    CAPTURE(target);
    const std::string error = misbehave(target, 'f').error;
    CAPTURE(error);
    CHECK(contains(error, target));
    CHECK(contains(error, "BusFault: PRECISERR"));
    CHECK(contains(error, "address 0xe8000000"));
    CHECK(contains(error, ", PC 0x"));
    CHECK(contains(error, "while misbehaving"));
  }
}

TEST_CASE("Emulator stops an endless loop when the time is up") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  const std::string error = misbehave("cortex-m33", 'l').error;
  CHECK(error == "the emulated cortex-m33 did not end within 1 s and was stopped while misbehaving");
}

TEST_CASE("Emulator reports a locked-up core") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  for (const char* target : kTargets) {
    CAPTURE(target);
    const std::string error = misbehave(target, 'k').error;
    CAPTURE(error);
    CHECK(contains(error, "Lockup"));
    CHECK(contains(error, "while misbehaving"));
  }
}

TEST_CASE("Emulator reports an image that ends early or answers in another version") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  CHECK(contains(misbehave("cortex-m33", 's').error, "ended with status 3"));
  CHECK(contains(misbehave("cortex-m33", '?').error, "ended without an answer"));
  CHECK(contains(misbehave("cortex-m33", 'v').error, "build its image again"));
}

TEST_CASE("Emulator counts every instruction between markers") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  for (const char* target : kTargets) {
    CAPTURE(target);
    const JobResult few = misbehave(target, 'c', 10);
    const JobResult many = misbehave(target, 'c', 1000010);
    REQUIRE(few.error == "");
    REQUIRE(many.error == "");
    CHECK(*few.load_ticks >= 20);
    CHECK(*few.load_ticks <= 22);  // the compiler may move a register in between
    CHECK(*many.load_ticks - *few.load_ticks == 2000000);
    CHECK(*misbehave(target, 'c', 10).load_ticks == *few.load_ticks);
  }
}

TEST_CASE("Emulator says how to build an image that is missing") {
  const Environment runners("WICK_RUNNERS", "/nonexistent/runners");
  const std::string error = misbehave("cortex-m33", 'c').error;
  CHECK(contains(error, "no runner image cortex-m33.elf in /nonexistent/runners"));
  CHECK(contains(error, "cmake --preset host && cmake --build --preset host"));
}

TEST_CASE("Emulator names the package when QEMU is missing") {
  if (!images_are_built()) return;
  const Environment runners("WICK_RUNNERS", WICK_TEST_RUNNERS);
  const Environment qemu("WICK_QEMU", "/nonexistent/qemu-system-arm");
  CHECK(contains(misbehave("cortex-m33", 'c').error, "apt-get install qemu-system-arm"));
}

TEST_CASE("Emulator refuses a target that it does not know") {
  CHECK(contains(misbehave("cortex-m85", 'c').error, "unknown target 'cortex-m85'"));
}

}  // namespace
}  // namespace wick::host
