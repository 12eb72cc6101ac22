// A recursion without an end into a read-only MPU region of 32 bytes at 20004000.
#include "common.inc"
.thumb_func
.global main
main:
  poke 0xe000edc0, 0xff
  poke 0xe000ed98, 0
  poke 0xe000ed9c, 0x20004005
  poke 0xe000eda0, 0x20004001
  poke 0xe000ed94, 5
  dsb
  isb
  ldr r0, =0x20004100
  mov sp, r0
1:
  push {r0, r1, r2, r3}
  b 1b
// A MemManage fault that is not enabled arrives as HardFault; what it pushed went into the guard as well.
.thumb_func
.global hard_fault
hard_fault:
  ldr r0, =STACK_TOP
  mov sp, r0
  ldr r0, =0xe000ed28
  ldr r0, [r0]
  bl put_hex
  ldr r0, =0xe000ed2c
  ldr r0, [r0]
  bl put_hex
  ldr r0, =0xe000ed34
  ldr r0, [r0]
  bl put_hex
  ldr r0, =0x20004000
  ldr r0, [r0]
  bl put_hex
  b done
.ltorg
