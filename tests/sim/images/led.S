// Three flashes of 50 ms on GPIO 25, then it stays on.
#include "common.inc"
.macro wait_ms ms
  ldr r4, =TIMER0
  ldr r0, [r4, #0x28]
  ldr r2, =(\ms * 1000)
8:
  ldr r1, [r4, #0x28]
  subs r1, r0
  cmp r1, r2
  blo 8b
.endm
.thumb_func
.global main
main:
  push {lr}
  poke PADS_BANK0+0x68, 0x156
  poke IO_BANK0+0xcc, 5
#ifndef LEAVE_ISOLATED
  poke PADS_BANK0+0x68+CLR, 0x100
#endif
  poke SIO+0x38, 1<<25
  movs r6, #3
1:
  poke SIO+0x18, 1<<25
  wait_ms 50
  poke SIO+0x20, 1<<25
  wait_ms 50
  subs r6, #1
  bne 1b
  poke SIO+0x28, 1<<25
  say '.'
  pop {pc}
.ltorg
