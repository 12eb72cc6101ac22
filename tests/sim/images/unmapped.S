// A read from where the chip has nothing.
#include "common.inc"
.thumb_func
.global main
main:
  ldr r1, =0x30000000
.global culprit
culprit:
  ldr r0, [r1]
  b done
report_faults
