// Start-up to 150 MHz, then a line on UART0.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
  say 'h'
  say 'e'
  say 'l'
  say 'l'
  say 'o'
  say '\n'
  pop {pc}
.ltorg
