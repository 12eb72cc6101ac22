// From the boot ROM to main(): what the ROM looks for in flash, the vector table, memory, the core's own settings.
// Refuses to know what main() does and where the memory is (the linker script says).
#include <cstdint>

#include "fault.h"
#include "pico2/clocks.h"
#include "pico2/led.h"
#include "pico2/registers.h"
#include "pico2/time.h"
#include "pico2/uart.h"
#include "pico2/usb.h"

extern "C" {
extern uint32_t __data_start, __data_end, __data_load, __kernels_start, __kernels_end, __kernels_load;
extern uint32_t __bss_start, __bss_end, __stack_top, __stack_guard;
void reset_handler();
void run_main();
void usb_interrupt();
int main(int argc, char** argv);
}

namespace wick::pico2 {
namespace {

// What the boot ROM must find in the first 4 KB of flash: a single block that links to itself and says "an executable
// for the RP2350's Arm cores, Secure". Start and vector table are those at the image's start.
struct ImageDefinition {
  uint32_t start = 0xFFFFDED3;
  uint32_t image_type = 0x10210142;
  uint32_t last = 0x000001FF;
  uint32_t link = 0;
  uint32_t end = 0xAB123579;
};
[[gnu::section(".image_definition"), gnu::used]] const ImageDefinition image_definition;

constexpr uint32_t kInterrupts = 52, kUsbInterrupt = 14;

using Handler = void (*)();
struct Vectors {
  const void* stack;
  Handler handlers[15 + kInterrupts];
};

consteval Vectors make_vectors() {
  Vectors v = {&__stack_top, {}};
  for (Handler& handler : v.handlers) handler = fault_handler;
  v.handlers[0] = reset_handler;
  v.handlers[15 + kUsbInterrupt] = usb_interrupt;
  return v;
}

void set_up_core() {
  constexpr uint32_t kFpu = 0xFu << 20, kFaultsByName = 7u << 16;
  reg(0xE000ED88) |= kFpu;
  reg(0xE000ED24) |= kFaultsByName;
  // The stack may not go below its guard, and nobody may write to the guard: whoever runs off the stack's end with a
  // pointer is caught, too. (Armv8-M has no "no access" for privileged code; read-only is the strictest.)
  constexpr uint32_t kGuardBytes = 32, kReadOnlyNoExecute = 2u << 1 | 1u, kEnableWithDefaultMap = 5;
  const uint32_t guard = reinterpret_cast<uintptr_t>(&__stack_guard);
  __asm volatile("msr msplim, %0" ::"r"(guard + kGuardBytes));
  reg(0xE000EDC0) = 0xFF;  // MAIR0: attribute 0 is ordinary cacheable memory
  reg(0xE000ED98) = 0;     // region 0
  reg(0xE000ED9C) = guard | kReadOnlyNoExecute;
  reg(0xE000EDA0) = guard | 1;  // ends with these 32 bytes; attribute 0; on
  reg(0xE000ED94) = kEnableWithDefaultMap;
  __asm volatile("dsb\n isb" ::: "memory");
}

void copy(const uint32_t* from, uint32_t* to, const uint32_t* end) {
  while (to < end) *to++ = *from++;
}

void set_up_memory() {
  copy(&__kernels_load, &__kernels_start, &__kernels_end);
  copy(&__data_load, &__data_start, &__data_end);
  for (uint32_t* to = &__bss_start; to < &__bss_end;) *to++ = 0;
}

void set_up_chip() {
  constexpr uint32_t kWatchdogEnable = 1u << 30;
  clear_bits(kWatchdog, kWatchdogEnable);
  if (!take_out_of_reset(kIoBank0Block | kPadsBank0Block)) blink_without_clocks();
  start_led();
  if (start_clocks() != nullptr) blink_without_clocks();
  start_counters();
  start_uart();
  start_usb();
  const char* complaint = check_clocks();
  if (complaint == nullptr) return;
  write_uart(complaint, __builtin_strlen(complaint));
  drain_uart();
  blink_without_clocks();
}

}  // namespace
}  // namespace wick::pico2

// By its C name, as the second core is started with it, too.
extern "C" {
extern const wick::pico2::Vectors vectors;
[[gnu::section(".vectors"), gnu::used]] constexpr wick::pico2::Vectors vectors = wick::pico2::make_vectors();
}

extern "C" void run_main() {
  main(0, nullptr);
  for (;;) __asm volatile("wfi");
}

extern "C" void reset_handler() {
  using namespace wick::pico2;
  set_up_core();
  set_up_memory();
  set_up_chip();
  run_main();
}
