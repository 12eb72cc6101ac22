// Turns the fault registers of an M-profile core into one line of text. Runs on its own stack, as the program's may be
// what broke; refuses to return.
#include "fault.h"

#include <cstdint>

#include "console.h"
#include "core/status.h"

namespace {

struct Bit {
  uint32_t mask;
  const char* meaning;
};

// Configurable Fault Status Register: memory management, bus and usage faults.
constexpr Bit kCfsrBits[] = {
    {1u << 0, "IACCVIOL (may not execute there)"},
    {1u << 1, "DACCVIOL (may not access that)"},
    {1u << 3, "MUNSTKERR (memory, leaving an exception)"},
    {1u << 4, "MSTKERR (memory, entering an exception)"},
    {1u << 5, "MLSPERR (memory, saving the FPU)"},
    {1u << 8, "IBUSERR (instruction fetch from no memory)"},
    {1u << 9, "PRECISERR (access to no memory)"},
    {1u << 10, "IMPRECISERR (late bus error)"},
    {1u << 11, "UNSTKERR (bus, leaving an exception)"},
    {1u << 12, "STKERR (bus, entering an exception)"},
    {1u << 13, "LSPERR (bus, saving the FPU)"},
    {1u << 16, "UNDEFINSTR (no such instruction)"},
    {1u << 17, "INVSTATE (jump to no Thumb code)"},
    {1u << 18, "INVPC (broken exception return)"},
    {1u << 19, "NOCP (FPU or MVE absent or off)"},
    {1u << 20, "STKOF (stack overflow)"},
    {1u << 24, "UNALIGNED (unaligned access)"},
    {1u << 25, "DIVBYZERO (division by zero)"},
};
constexpr uint32_t kStackingErrors = 1u << 4 | 1u << 12 | 1u << 20;

const char* exception_name(uint32_t number) {
  switch (number) {
    case 2:
      return "NMI";
    case 3:
      return "HardFault";
    case 4:
      return "MemManage fault";
    case 5:
      return "BusFault";
    case 6:
      return "UsageFault";
    case 7:
      return "SecureFault";
    default:
      return "unexpected exception";
  }
}

// The words of a fault are read by people who look into a listing: hexadecimal.
void add_hex(wick::ErrorText& text, const char* name, uint32_t value) {
  char digits[9];
  for (int i = 0; i < 8; ++i) digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
  digits[8] = '\0';
  text.add(", ", name, " 0x", static_cast<const char*>(digits));
}

uint32_t system_register(uint32_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

alignas(8) uint32_t fault_stack[512];

}  // namespace

extern "C" {
extern uint32_t __ram_start, __stack_top;

[[noreturn, gnu::used]] void report_fault(const uint32_t* frame) {
  static char buffer[600];
  wick::ErrorText text(buffer, sizeof(buffer));
  uint32_t exception;
  __asm volatile("mrs %0, ipsr" : "=r"(exception));
  exception &= 0x1FF;
  const uint32_t cfsr = system_register(0xE000ED28);
  text.add("FAULT ", exception_name(exception));
  const char* separator = ": ";
  for (const Bit& bit : kCfsrBits) {
    if ((cfsr & bit.mask) == 0) continue;
    text.add(separator, bit.meaning);
    separator = ", ";
  }
  if ((cfsr & 1u << 7) != 0) add_hex(text, "address", system_register(0xE000ED34));   // MMFAR is valid
  if ((cfsr & 1u << 15) != 0) add_hex(text, "address", system_register(0xE000ED38));  // BFAR is valid
  // Stacked: r0-r3, r12, lr, pc, xpsr. Not there when stacking itself failed.
  if ((cfsr & kStackingErrors) == 0 && frame >= &__ram_start && frame + 8 <= &__stack_top) {
    add_hex(text, "PC", frame[6]);
    add_hex(text, "LR", frame[5]);
  }
  add_hex(text, "CFSR", cfsr);
  add_hex(text, "HFSR", system_register(0xE000ED2C));
  text.add("\n");
  wick::board::end_after_fault(buffer);
}

[[gnu::naked]] void fault_handler() {
  __asm volatile(
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
      "movs r2, #0\n msr msplim, r2\n"
#endif
      "mrs r0, msp\n"
      "ldr r1, =%c0\n"
      "mov sp, r1\n"
      "ldr r1, =report_fault\n"
      "bx r1\n"
      ".ltorg\n" ::"i"(fault_stack + 512));
}
}
