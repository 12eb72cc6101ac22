// TIMER0 by polling and by an alarm that ends a WFI; both waits are timed with the cycle counter.
#include "common.inc"
#define COUNT 0x20010000
.thumb_func
.global timer0_0
timer0_0:
  poke TIMER0+0x3c, 1
  ldr r0, =COUNT
  ldr r1, [r0]
  adds r1, #1
  str r1, [r0]
  bx lr

.thumb_func
.global main
main:
  push {lr}
  poke COUNT, 0
  poke 0xe000edfc, 0x01000000
  poke 0xe0001004, 0
  poke 0xe0001000, 1
  // 100 us by polling: 15,000 cycles.
  ldr r4, =TIMER0
  ldr r5, =0xe0001004
  ldr r6, [r5]
  ldr r0, [r4, #0x28]
1:
  ldr r1, [r4, #0x28]
  subs r1, r0
  cmp r1, #100
  blo 1b
  ldr r7, [r5]
  subs r0, r7, r6
  bl put_hex
  // 1000 us by an alarm: 150,000 cycles.
  poke TIMER0+0x40, 1
  poke 0xe000e100, 1
  ldr r6, [r5]
  ldr r0, [r4, #0x28]
  add r0, #1000
  str r0, [r4, #0x10]
  wfi
  ldr r7, [r5]
  subs r0, r7, r6
  bl put_hex
  ldr r0, =COUNT
  ldr r0, [r0]
  bl put_hex
  pop {pc}
.ltorg
