// The cost model: sequences against the table, and the cache in front of flash.
#include <sstream>

#include "sim/costs.h"
#include "sim/image.h"
#include "sim/thumb.h"
#include "sim/xip_cache.h"

namespace wick::sim {
namespace {

TEST_CASE("Core costs sequences as the table says") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("cycles");
  INFO(run.reason);
  std::istringstream text(run.text);
  text >> std::hex;
  unsigned empty = 0;
  text >> empty;
  // Cycles of one turn, with the measuring itself taken off by a sequence of one cycle each.
  const struct {
    std::string what;
    int cycles;
  } kSequences[] = {{"ADDS", 1},
                    {"LDR, then its use", 3},
                    {"LDR, then a store of it", 2},
                    {"LDR, then MLA onto it", 2},
                    {"SMLAD in a chain", 1},
                    {"MUL, then its use", 3},
                    {"EOR with LSL 8, then its use", 3},
                    {"EOR with LSL 2, then its use", 2},
                    {"LDR across words", 2},
                    {"LDRD", 2},
                    {"LDRD, then use of the first", 3},
                    {"LDRD, then use of the second", 4},
                    {"LDM of three, then use of the last", 5},
                    {"ADDS, and a branch that folds", 2},
                    {"ADD.W, a branch, ADDS", 4},
                    {"UDIV 5 / 3", 4 + 0},
                    {"VFMA in a chain", 3},
                    {"VADD in a chain", 2},
                    {"VADD after VADD", 1 + 1},
                    {"VMUL, VLDR", 2}};
  for (const auto& sequence : kSequences) {
    unsigned cycles = 0;
    text >> cycles;
    CAPTURE(sequence.what);
    // The first turn may lack a stall, and the reading may add one.
    CHECK(static_cast<int>(cycles) - static_cast<int>(empty) + 64 >= 64 * sequence.cycles - 2);
    CHECK(static_cast<int>(cycles) - static_cast<int>(empty) + 64 <= 64 * sequence.cycles + 4);
  }
  CHECK(!text.fail());
}

TEST_CASE("XipCache costs what the flash interface's settings say") {
  XipCache cache;
  cache.set_timing(0x60007203, 0x000492A8);  // quad read EBh at a third of clk_sys
  CHECK(cache.line_cycles() == 108);
  CHECK(cache.sequential_cycles() == 48);
  cache.set_timing(0x60007202, 0x000492A8);
  CHECK(cache.line_cycles() == 72);
  cache.set_timing(0x60007206, 0x00001000);  // serial read 03h
  CHECK(cache.line_cycles() == 6 * (8 + 24 + 64));
}

TEST_CASE("XipCache keeps two lines of a set and drops the older one") {
  XipCache cache;
  cache.set_timing(0x60007203, 0x000492A8);
  constexpr uint32_t kWay = costs::kCacheBytes / costs::kCacheWays;
  CHECK(cache.access(0) == 108);
  CHECK(cache.access(4) == 0);
  CHECK(cache.access(8) == 48);
  CHECK(cache.access(kWay) == 108);
  CHECK(cache.access(0) == 0);
  CHECK(cache.access(2 * kWay) == 108);  // in place of kWay
  CHECK(cache.access(0) == 0);
  CHECK(cache.access(kWay) == 108);
  CHECK(cache.counts().hits == 3);
  CHECK(cache.counts().misses == 4);
  CHECK(cache.counts().sequential_misses == 1);
}

TEST_CASE("XipCache lets a core wait while the other one's line is read") {
  XipCache cache;
  cache.set_timing(0x60007203, 0x000492A8);
  CHECK(cache.access(0, 0, 1000) == 108);
  CHECK(cache.access(1024, 0, 1108) == 108);
  CHECK(cache.access(2048, 1, 1050) == 58 + 108 + 108);  // both reads of core 0, then its own
  CHECK(cache.access(4096, 0, 1216) == 108 + 108);
  CHECK(cache.access(6000, 1, 900) == 108);  // before any of that
  CHECK(cache.access(2048, 1, 1050) == 0);
  CHECK(cache.counts().waited_cycles == 58 + 108 + 108);
}

TEST_CASE("Instruction knows lengths, IT blocks and registers") {
  CHECK(decode(0xBF0C, 0).block == 2);  // ITE EQ
  CHECK(decode(0xBF01, 0).block == 4);
  CHECK(decode(0xE7FE, 0).is(Instruction::kSelf));
  CHECK(decode(0xB5F0, 0).cycles == 5);  // PUSH {r4-r7, lr}
}

}  // namespace
}  // namespace wick::sim
