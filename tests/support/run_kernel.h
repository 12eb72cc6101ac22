// Runs one kernel the way the runtime does, plan, prepare, run, in memory that notices every stray write. Then runs it
// again with other garbage in scratch: nothing may depend on what lay there.
#pragma once

#include <doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/kernels.h"
#include "support/guarded.h"
#include "support/random.h"

namespace wick::test {

// `plan(params)` gives the memory, `prepare(params, memory)` fills it, `run(params, output, scratch)` computes.
// Fails the test case unless the output is `expected` both times.
template <typename Params, typename Out, typename Plan, typename PrepareFn, typename RunFn>
void check_kernel(Random& random, const Params& given, const std::vector<Out>& expected, size_t out_offset, Plan plan,
                  PrepareFn prepare, RunFn run) {
  Params params = given, again = given;
  const kernels::KernelMemory memory = plan(params);
  const kernels::KernelMemory same = plan(again);
  REQUIRE(memory.prepared_bytes == same.prepared_bytes);
  REQUIRE(memory.scratch_bytes == same.scratch_bytes);

  Guarded<uint8_t> prepared(memory.prepared_bytes, 4 * (random.next() % 4));
  Guarded<uint8_t> scratch(memory.scratch_bytes, 8 * (random.next() % 2));
  prepared.fill_garbage(random);
  prepare(params, memory.prepared_bytes > 0 ? prepared.data() : nullptr);
  const std::vector<uint8_t> kept(prepared.data(), prepared.data() + prepared.size());

  for (int round = 0; round < 2; ++round) {
    Guarded<Out> output(expected.size(), out_offset);
    output.fill_garbage(random);
    scratch.fill_garbage(random);
    run(params, output.data(), memory.scratch_bytes > 0 ? scratch.data() : nullptr);
    const int32_t at = first_difference(output.data(), expected.data(), expected.size());
    CAPTURE(round);
    CAPTURE(at);
    if (at >= 0) {
      CAPTURE(+output[static_cast<size_t>(at)]);
      CAPTURE(+expected[static_cast<size_t>(at)]);
      REQUIRE(at == -1);
    }
    REQUIRE(output.intact());
    REQUIRE(scratch.intact());
    REQUIRE(prepared.intact());
    REQUIRE(first_difference(prepared.data(), kept.data(), kept.size()) == -1);
  }
}

// For kernels without plan and prepare.
template <typename Out, typename RunFn>
void check_plain_kernel(Random& random, const std::vector<Out>& expected, size_t out_offset, RunFn run) {
  check_kernel(
      random, 0, expected, out_offset, [](int&) { return kernels::KernelMemory{}; }, [](int&, void*) {},
      [&run](const int&, Out* output, void*) { run(output); });
}

}  // namespace wick::test
