// UART0 is set up for a clk_peri that is not there.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
  poke UART0+0x24, 6
  poke UART0+0x2c, 0x70
  say 'x'
  pop {pc}
.ltorg
