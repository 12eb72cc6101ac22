// A fault inside an IT block: the stores after it do not happen.
#include "common.inc"
.thumb_func
.global main
main:
  poke 0x20010000, 0x11111111
  ldr r1, =0x30000000
  ldr r2, =0x20010000
  movs r3, #1
  cmp r3, #1
  itt eq
  streq r3, [r1]
  streq r3, [r2]
  b done
.thumb_func
.global hard_fault
hard_fault:
  ldr r0, =0x20010000
  ldr r0, [r0]
  bl put_hex
  b done
.ltorg
