// What the simulator adds to the CPU emulator: counting, exceptions, and faults with their registers.
#include "sim/image.h"

namespace wick::sim {
namespace {

// What the images' fault handler prints.
struct Report {
  unsigned cfsr = 0, hfsr = 0, third = 0, fourth = 0;
};

Report report_of(const test::Run& run) {
  Report r;
  INFO(run.text);
  REQUIRE(std::sscanf(run.text.c_str(), "%x %x %x %x", &r.cfsr, &r.hfsr, &r.third, &r.fourth) >= 1);
  return r;
}

uint16_t opcode_at(const char* image, uint32_t address) {
  const test::Bytes code = test::code_of(image);
  uint16_t opcode = 0;
  REQUIRE(address - kFlashBase + 2 <= code.size());
  std::memcpy(&opcode, code.data() + (address - kFlashBase), 2);
  return opcode;
}

TEST_CASE("Core counts instructions exactly, skipped ones of IT blocks included") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("counting");
  // BL main, MOVS, 100 turns of CMP, IT, four conditional ones, SUBS, BNE, then BX and WFI.
  CHECK(run.machine->counts(0).instructions == 1 + 1 + 100 * 8 + 1 + 1);
}

TEST_CASE("Core runs SVC, SysTick and a masked interrupt, and keeps the FPU's registers") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("exceptions");
  INFO(run.reason);
  CHECK(run.text == "Ft-!");
  CHECK(run.machine->faults() == 0);
}

TEST_CASE("Core nests interrupts by priority and holds them back by BASEPRI") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("nested");
  INFO(run.reason);
  CHECK(run.text == "aUbcL.U|aUbcLP!");
}

TEST_CASE("Core faults on an FPU instruction when CPACR does not allow it") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("fpu_off");
  const Report r = report_of(run);
  CHECK(r.cfsr == 1u << 19);
  CHECK(r.hfsr == 1u << 30);
  CHECK(opcode_at("fpu_off", r.third) == 0xEE00);
  CHECK(run.machine->faults() == 1);
}

TEST_CASE("Core faults on a stack that grows into the MPU's guard, and the guard keeps its bytes") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("stack_guard");
  const Report r = report_of(run);
  CHECK((r.cfsr & 0xFF) == (0x80 | 0x02 | 0x10));  // the frame of the fault did not fit, either
  CHECK(r.hfsr == 1u << 30);
  CHECK(r.third >= 0x20004000);
  CHECK(r.third < 0x20004020);
  CHECK(r.fourth == 0);
}

TEST_CASE("Core faults on a stack that passes MSPLIM") {
  if (!test::images_are_built()) return;
  CHECK(report_of(test::run_image("stack_limit")).cfsr == 1u << 20);
}

TEST_CASE("Core knows how deep its stack was, and not to count another one") {
  if (!test::images_are_built()) return;
  const CoreCounts counts = test::run_image("deep_stack").machine->counts(0);
  CHECK(counts.stack_top == 0x20008000);
  CHECK(counts.stack_top - counts.lowest_stack == 4 + 32 + 512);
}

TEST_CASE("Core faults on memory that is not there and on instructions that do not exist") {
  if (!test::images_are_built()) return;
  test::Run run = test::run_image("unmapped");
  Report r = report_of(run);
  CHECK(r.cfsr == (1u << 9 | 1u << 15));
  CHECK(opcode_at("unmapped", r.third) == 0x6808);
  REQUIRE(run.remarks.size() == 1);
  CHECK(run.remarks[0].find("BusFault (PRECISERR BFARVALID) by an access to 0x30000000 at PC") != std::string::npos);
  CHECK(test::run_image("divide").text.substr(0, 18) == "00000000 02000000 ");
  run = test::run_image("undefined");
  r = report_of(run);
  CHECK(r.cfsr == 1u << 16);
  CHECK(opcode_at("undefined", r.third) == 0xDE00);
}

TEST_CASE("Core loads single words from any address, and pairs from words alone") {
  if (!test::images_are_built()) return;
  const Report r = report_of(test::run_image("unaligned"));
  CHECK(r.cfsr == 0x55443322);
  CHECK(r.hfsr == 1u << 24);
}

TEST_CASE("Core leaves memory alone after a fault inside an IT block") {
  if (!test::images_are_built()) return;
  CHECK(test::run_image("it_fault").text == "11111111 ");
}

TEST_CASE("Machine stops at a fault when asked to, and when a core locks up") {
  if (!test::images_are_built()) return;
  MachineOptions options;
  options.break_on_fault = true;
  test::Run run = test::run_image("undefined", options);
  CHECK(run.kind == StopKind::kFault);
  CHECK(run.text.empty());
  CHECK(run.reason.find("UsageFault (UNDEFINSTR) at PC 0x1000") == 0);
  run = test::run_image("lockup");
  CHECK(run.kind == StopKind::kLockup);
}

}  // namespace
}  // namespace wick::sim
