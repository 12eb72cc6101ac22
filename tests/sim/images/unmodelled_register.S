// A register that the simulator does not know, of a block that it does.
#include "common.inc"
.thumb_func
.global main
main:
  poke UART0+0x20, 1
  bx lr
.ltorg
