// Sends back what comes in on UART0, one letter on, until a line ends.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
1:
  ldr r3, =UART0
  ldr r2, [r3, #0x18]
  tst r2, #0x10
  bne 1b
  ldr r0, [r3]
  cmp r0, #'\n'
  beq 2f
  adds r0, #1
  bl putc
  b 1b
2:
  pop {pc}
.ltorg
