// Images spoiled in seeded ways: whatever the code has become, the run ends with a reason.
#include <random>

#include "sim/image.h"
#include "sim/refusal.h"

namespace wick::sim {
namespace {

constexpr int kRuns = 100;

TEST_CASE("Machine ends the run of a spoiled image with a reason") {
  if (!test::images_are_built()) return;
  for (const char* name : {"hello", "exceptions", "usb_echo_0", "core1"}) {
    const test::Bytes code = test::code_of(name);
    for (int seed = 0; seed < kRuns; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(static_cast<uint32_t>(seed));
      test::Bytes spoiled = code;
      // The definition stays whole: what comes after it is meant.
      for (int i = 0; i < 8; ++i) spoiled[0x124 + random() % (spoiled.size() - 0x124)] = static_cast<uint8_t>(random());
      MachineOptions options;
      options.time_limit_ps = 4'000'000'000;
      options.idle_limit_ps = 1'000'000'000;
      try {
        Machine machine(test::uf2_of(spoiled), options);
        CHECK(machine.run() != StopKind::kRunning);
        CHECK(!machine.stop_reason().empty());
      } catch (const Refusal&) {
      }
    }
  }
}

}  // namespace
}  // namespace wick::sim
