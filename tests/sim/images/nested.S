// Interrupts of different priorities: the urgent one comes in between, the other ones wait their turn; BASEPRI holds
// back what is not urgent enough.
#include "common.inc"
#define FORCE TIMER0+0x44
.thumb_func
.global timer0_0
timer0_0:
  push {r4, lr}
  say 'a'
  poke 0xe000e200, 1<<14  // more urgent: at once
  dsb
  say 'b'
  poke 0xe000e204, 1<<1   // as urgent: later
  dsb
  say 'c'
  pop {r4, pc}
.thumb_func
.global usb_irq
usb_irq:
  push {r4, lr}
  say 'U'
  pop {r4, pc}
.thumb_func
.global uart0_irq
uart0_irq:
  push {r4, lr}
  say 'L'
  pop {r4, pc}
.thumb_func
.global pend_sv
pend_sv:
  push {r4, lr}
  say 'P'
  pop {r4, pc}
.thumb_func
.global main
main:
  push {r4, lr}
  ldr r0, =0xe000e400
  movs r1, #0x80
  strb r1, [r0, #0]
  strb r1, [r0, #33]
  movs r1, #0x40
  strb r1, [r0, #14]
  poke 0xe000ed20, 0x00f00000
  poke 0xe000e100, (1<<0|1<<14)
  poke 0xe000e104, 1<<1
  poke 0xe000e200, 1
  dsb
  say '.'
  movs r0, #0x80
  msr basepri, r0
  poke 0xe000e200, 1      // held back
  poke 0xe000e200, 1<<14  // not this one
  poke 0xe000ed04, 1<<28  // PendSV, the least urgent
  dsb
  say '|'
  movs r0, #0
  msr basepri, r0
  isb
  say '!'
  pop {r4, pc}
.ltorg
