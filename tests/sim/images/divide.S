// A division by zero gives zero, until CCR asks for a fault.
#include "common.inc"
.thumb_func
.global main
main:
  movs r1, #7
  movs r2, #0
  udiv r0, r1, r2
  bl put_hex
  poke 0xe000ed14, 0x211
  movs r1, #7
  movs r2, #0
  sdiv r0, r1, r2
  b done
report_faults
