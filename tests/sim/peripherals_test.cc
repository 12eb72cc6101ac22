// Clocks, pins, timer, UART and mailbox as an image sees them.
#include "sim/image.h"
#include "sim/led_timeline.h"

namespace wick::sim {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("Timer and cycle counter agree when an image waits by polling and by an alarm") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("timer");
  INFO(run.reason);
  unsigned long polled = 0, slept = 0, alarms = 0;
  REQUIRE(std::sscanf(run.text.c_str(), "%lx %lx %lx", &polled, &slept, &alarms) == 3);
  // 100 and 1000 us at 150 MHz; a wait ends up to one step late, and the count starts within a microsecond.
  CHECK(polled >= 15'000 - 150);
  CHECK(polled <= 15'000 + 3'000);
  CHECK(slept >= 150'000 - 150);
  CHECK(slept <= 150'000 + 1'500);
  CHECK(alarms == 1);
  CHECK(run.remarks.empty());
}

TEST_CASE("Timer stands still without its tick, and the run says so") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("no_tick");
  CHECK(run.text == "00000000 ");
  REQUIRE(run.remarks.size() == 1);
  CHECK(says(run.remarks[0], "TIMER0 is read but does not count"));
}

TEST_CASE("Machine gives a loop that polls its time, in which interrupts still come") {
  if (!test::images_are_built()) return;
  std::string text;
  MachineOptions options;
  options.on_uart = [&](uint8_t byte) { text += static_cast<char>(byte); };
  options.idle_limit_ps = kPicosecondsPerSecond * 10;
  Machine machine(test::uf2_of(test::code_of("poll")), options);
  machine.run(2 * kPicosecondsPerSecond);
  CHECK(text == ">");
  CHECK(machine.waiting());
  // Two seconds of SysTick every millisecond, and next to no polling.
  CHECK(machine.counts(0).instructions < 200'000);
  machine.type_uart({'x'});
  machine.run(kPicosecondsPerSecond / 10);
  unsigned ticks = 0;
  REQUIRE(std::sscanf(text.c_str(), ">x%x", &ticks) == 1);
  CHECK(ticks >= 1995);
  CHECK(ticks <= 2001);
}

TEST_CASE("Pins show what SIO drives when the pad lets it out") {
  if (!test::images_are_built()) return;
  LedTimeline leds;
  MachineOptions options;
  options.on_pin = [&](unsigned pin, bool level, uint64_t time_ps) { leds.change(pin, level, time_ps); };
  test::Run run = test::run_image("led", options);
  CHECK(run.text == ".");
  const auto blinks = leds.blinks(25);
  REQUIRE(blinks.size() == 1);
  CHECK(blinks[0].count == 3);
  CHECK(blinks[0].on_ms == doctest::Approx(50).epsilon(0.01));
  CHECK(blinks[0].off_ms == doctest::Approx(50).epsilon(0.01));
  CHECK(leds.describe(25).find("GPIO25: 3 x 50 ms, then on from") == 0);

  LedTimeline dark;
  options.on_pin = [&](unsigned pin, bool level, uint64_t time_ps) { dark.change(pin, level, time_ps); };
  run = test::run_image("isolated_pad", options);
  CHECK(run.text == ".");
  CHECK(dark.empty());
}

TEST_CASE("Uart hears the terminal and answers it") {
  if (!test::images_are_built()) return;
  std::string text;
  MachineOptions options;
  options.on_uart = [&](uint8_t byte) { text += static_cast<char>(byte); };
  Machine machine(test::uf2_of(test::code_of("echo")), options);
  const std::string line = "HAL, and a line that is longer than the FIFO of 32 bytes\n";
  machine.run(5'000'000'000);  // its start-up takes 2 ms
  machine.type_uart({line.begin(), line.end()});
  CHECK(machine.run() == StopKind::kIdle);
  CHECK(text.substr(0, 3) == "IBM");
  CHECK(text.size() == line.size() - 1);
  CHECK(machine.warnings().empty());
}

TEST_CASE("Uart garbles what is sent at another baud rate and says so") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("wrong_baud");
  CHECK(run.text == "?");
  REQUIRE(run.remarks.size() == 1);
  CHECK(says(run.remarks[0], "UART0 sends at 1470588 baud"));
}

TEST_CASE("Core 1 starts by the boot ROM's protocol and shares memory with core 0") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("core1");
  INFO(run.reason);
  CHECK(run.text == "12345679 000007d0 ");
  CHECK(run.machine->core1_ran());
  CHECK(run.machine->counts(1).instructions > 7 * 1000);
  CHECK(run.kind == StopKind::kIdle);
}

TEST_CASE("Registers answer and take writes as on the chip") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("registers");
  INFO(run.reason);
  CHECK(run.text ==
        "20004927 411fd210 00000000 16a2c6c0 "  // CHIP_ID, CPUID, core 0, what start-up has let out of reset
        "5a5a5a5a 12341234 00001234 00000012 "  // narrow writes fill the word
        "ff0000ff ff0f00ff 0f0f00ff "           // aliases flip, set, clear
        "00000020 00000000 00000020 "           // a lock is taken once
        "1622c6c0 ");
}

TEST_CASE("Watchdog ends the run when nobody feeds it") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("watchdog");
  CHECK(run.kind == StopKind::kCaller);
  CHECK(says(run.reason, "watchdog was not fed"));
  CHECK(run.machine->time_ps() < 10'000'000'000);
}

TEST_CASE("Core 1 comes out of reset into its boot ROM and takes a launch that was started anew") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("core1_reset");
  INFO(run.reason);
  CHECK(run.text == "00000000 0000c0de ");
  CHECK(run.kind == StopKind::kIdle);
}

TEST_CASE("Machine runs an image from SRAM") {
  if (!test::images_are_built()) return;
  std::string text;
  MachineOptions options;
  options.on_uart = [&](uint8_t byte) { text += static_cast<char>(byte); };
  Machine machine(test::uf2_of(test::code_of("from_ram"), 0x20000000), options);
  CHECK(machine.run() == StopKind::kIdle);
  CHECK(text == "r");
}

TEST_CASE("Machine stops with place and register when an access has no answer") {
  if (!test::images_are_built()) return;
  test::Run run = test::run_image("held_in_reset");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(
      says(run.reason, "write to UART0.CR (0x40070030), which is held in reset (RESETS bit 26), core 0 at PC 0x1000"));
  run = test::run_image("unmodelled");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "write to PIO0 (0x50200000) (4 bytes), which is not modelled, core 0 at PC 0x1000"));
  run = test::run_image("unmodelled_register");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "write of 0x1 to UART0.ILPR (0x40070020), which is not modelled"));
  run = test::run_image("null_pointer");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "read of boot ROM (0x8) (4 bytes), which is not modelled"));
  run = test::run_image("clock_lost");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "clk_sys has lost its source"));
  run = test::run_image("pll_range");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "PLL_SYS started with a VCO of 2400 MHz, which must be 750 to 1600"));
  run = test::run_image("clock_glitch");
  CHECK(run.kind == StopKind::kUnmodelled);
  CHECK(says(run.reason, "AUXSRC changed while clk_sys runs from it"));
}

}  // namespace
}  // namespace wick::sim
