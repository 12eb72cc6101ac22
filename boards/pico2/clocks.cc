// See clocks.h. Every step waits for the hardware to confirm it, for a bounded time. All dividers and multiplexers are
// written, as steppings of the chip differ in how they leave the boot ROM.
#include "pico2/clocks.h"

#include "pico2/registers.h"
#include "pico2/time.h"

namespace wick::pico2 {
namespace {

enum : uint32_t {
  kRef = kClocks + 0x30,
  kSys = kClocks + 0x3C,
  kPeri = kClocks + 0x48,
  kUsbClock = kClocks + 0x60,
  kResus = kClocks + 0x84,
  kDivider = 4,   // from a generator's control register
  kSelected = 8,  // one bit for each source
  kDivideByOne = 1u << 16,
  kEnable = 1u << 11,
};

bool start_crystal() {
  constexpr uint32_t kStable = 1u << 31;
  reg(kXosc) = 0xAA0;       // 1-15 MHz
  reg(kXosc + 0xC) = 0x2F;  // times 256 cycles: 1 ms
  set_bits(kXosc, 0xFAB000);
  return wait_until(kXosc + 4, kStable, kStable);
}

// 12 MHz times `feedback`, divided by both post dividers.
bool start_pll(uint32_t pll, uint32_t block, uint32_t feedback, uint32_t post_dividers) {
  constexpr uint32_t kPower = 4, kVcoOff = 1u << 5, kPostDividersOff = 1u << 3, kOff = 1u << 0, kLocked = 1u << 31;
  if (!restart(block)) return false;
  reg(pll) = 1;  // reference divider
  reg(pll + 8) = feedback;
  clear_bits(pll + kPower, kOff | kVcoOff);
  if (!wait_until(pll, kLocked, kLocked)) return false;
  reg(pll + 0xC) = post_dividers;
  clear_bits(pll + kPower, kPostDividersOff);
  return true;
}

// The multiplexer of SRC switches cleanly, that of AUXSRC does not: it is only touched while SRC is elsewhere.
bool select(uint32_t generator, uint32_t source) {
  constexpr uint32_t kSource = 3;
  clear_bits(generator, kSource);
  if (!wait_until(generator + kSelected, 1, 1)) return false;
  if (source == 0) return true;
  reg(generator) = 0;
  reg(generator) = source;
  return wait_until(generator + kSelected, 1u << source, 1u << source);
}

void start_generator(uint32_t generator) {
  reg(generator) = 0;  // auxiliary source 0: clk_sys for the peripherals, PLL_USB for USB
  reg(generator + kDivider) = kDivideByOne;
  reg(generator) = kEnable;
}

}  // namespace

const char* start_clocks() {
  reg(kResus) = 0;
  if (!start_crystal()) return "the crystal does not start";
  // Nothing may run from a PLL while it is being set up.
  if (!select(kSys, 0) || !select(kRef, 0)) return "clk_sys and clk_ref do not switch to their safe sources";
  if (!start_pll(kPllSys, kPllSysBlock, 125, 5u << 16 | 2u << 12)) return "PLL_SYS does not lock";  // 1500 / 5 / 2
  if (!start_pll(kPllUsb, kPllUsbBlock, 100, 5u << 16 | 5u << 12)) return "PLL_USB does not lock";  // 1200 / 5 / 5
  if (!select(kRef, 2)) return "clk_ref does not switch to the crystal";
  reg(kRef + kDivider) = kDivideByOne;
  if (!select(kSys, 1)) return "clk_sys does not switch to PLL_SYS";
  reg(kSys + kDivider) = kDivideByOne;
  start_generator(kUsbClock);
  start_generator(kPeri);
  return nullptr;
}

const char* check_clocks() {
  constexpr uint32_t kMicroseconds = 200, kCyclesPerMicrosecond = kClockHz / 1'000'000;
  const uint32_t start = microseconds(), first = cycles();
  uint32_t passed;
  while ((passed = microseconds() - start) < kMicroseconds) {
  }
  const uint32_t counted = cycles() - first, expected = passed * kCyclesPerMicrosecond;
  const bool right = counted > expected - expected / 20 && counted < expected + expected / 20;
  return right ? nullptr : "clk_sys does not run at 150 MHz";
}

}  // namespace wick::pico2
