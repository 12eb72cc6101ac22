// TIMER0 is read while nobody has started its tick.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
  poke TICKS+0x18, 0
  ldr r4, =TIMER0
  ldr r5, [r4, #0x28]
  movs r6, #200
1:
  subs r6, #1
  bne 1b
  ldr r0, [r4, #0x28]
  subs r0, r5
  bl put_hex
  pop {pc}
.ltorg
