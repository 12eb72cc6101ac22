// Waits for a letter by looking at UART0 for ever; interrupts come and go meanwhile.
#include "common.inc"
.thumb_func
.global sys_tick
sys_tick:
  ldr r0, =0x20010000
  ldr r1, [r0]
  adds r1, #1
  str r1, [r0]
  bx lr
.thumb_func
.global main
main:
  push {lr}
  poke 0xe000e014, 149999
  poke 0xe000e018, 0
  poke 0xe000e010, 7
  say '>'
  ldr r3, =UART0
1:
  ldr r2, [r3, #0x18]
  tst r2, #0x10
  bne 1b
  poke 0xe000e010, 0
  ldr r0, [r3]
  bl putc
  ldr r0, =0x20010000
  ldr r0, [r0]
  bl put_hex
  pop {pc}
.ltorg
