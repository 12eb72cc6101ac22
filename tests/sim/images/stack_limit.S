// A recursion without an end against MSPLIM.
#include "common.inc"
.thumb_func
.global main
main:
  ldr r0, =0x20004000
  msr msplim, r0
  ldr r0, =0x20004080
  mov sp, r0
1:
  push {r0, r1, r2, r3}
  b 1b
.thumb_func
.global hard_fault
hard_fault:
  movs r0, #0
  msr msplim, r0
  ldr r0, =STACK_TOP
  mov sp, r0
  ldr r0, =0xe000ed28
  ldr r0, [r0]
  bl put_hex
  b done
.ltorg
