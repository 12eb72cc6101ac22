// From reset to main() and back, on every emulated core. Knows the core's system registers; refuses to know what main()
// does and how the memory is laid out (the linker script says).
#include <cstdint>

#include "fault.h"
#include "qemu/semihosting.h"

extern "C" {
extern uint32_t __data_start, __data_end, __data_load, __bss_start, __bss_end, __stack_top, __stack_limit;
using Constructor = void (*)();
extern const Constructor __init_array_start[], __init_array_end[];
// Test programs have newlib's standard streams on top of semihosting; the others do without.
[[gnu::weak]] void initialise_monitor_handles();
int main(int argc, char** argv);
void reset_handler();
}

namespace {

volatile uint32_t& system_register(uint32_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

void set_up_core() {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  system_register(0xE000ED88) |= 0xFu << 20;  // CPACR: FPU and MVE on
#endif
#if defined(__ARM_ARCH_6M__)
  system_register(0xE000ED14) |= 1u << 3;  // CCR.UNALIGN_TRP: the M3 that stands in for an M0+ must not be kinder
#endif
  system_register(0xE000ED24) |= 7u << 16;  // SHCSR: memory, bus and usage faults by their own name
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
  __asm volatile("msr msplim, %0" ::"r"(&__stack_limit));
#endif
  __asm volatile("dsb\n isb" ::: "memory");
}

// Splits the emulator's command line at blanks: test programs take doctest's options.
int split_arguments(char* text, char** argv, int max) {
  int argc = 0;
  while (*text != '\0' && argc < max) {
    while (*text == ' ') *text++ = '\0';
    if (*text != '\0') argv[argc++] = text;
    while (*text != ' ' && *text != '\0') ++text;
  }
  return argc;
}

constexpr int kMaxArguments = 16;
char command_line[1024];
char* arguments[kMaxArguments + 1];

}  // namespace

extern "C" void reset_handler() {
  set_up_core();
  const uint32_t* from = &__data_load;
  for (uint32_t* to = &__data_start; to < &__data_end;) *to++ = *from++;
  for (uint32_t* to = &__bss_start; to < &__bss_end;) *to++ = 0;
  if (initialise_monitor_handles != nullptr) initialise_monitor_handles();
  for (const Constructor* c = __init_array_start; c < __init_array_end; ++c) (*c)();
  wick::semihosting::command_line(command_line, sizeof(command_line));
  const int argc = split_arguments(command_line, arguments, kMaxArguments);
  wick::semihosting::exit(static_cast<uint32_t>(main(argc, arguments)));
}

using Handler = void (*)();
struct Vectors {
  const void* stack;
  Handler handlers[15];
};
extern "C" {
[[gnu::section(".vectors"), gnu::used]] const Vectors vectors = {
    &__stack_top,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
     fault_handler}};
}
