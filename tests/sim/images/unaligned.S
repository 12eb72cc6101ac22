// LDR takes any address, LDRD only words.
#include "common.inc"
.thumb_func
.global main
main:
  poke 0x20010000, 0x44332211
  poke 0x20010004, 0x88776655
  ldr r1, =0x20010001
  ldr r0, [r1]
  bl put_hex
  ldr r1, =0x20010002
  ldrd r2, r3, [r1]
  b done
report_faults
