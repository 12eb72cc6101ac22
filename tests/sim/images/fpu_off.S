// A floating-point instruction before CPACR allows it.
#include "common.inc"
.thumb_func
.global main
main:
  movs r0, #1
.global culprit
culprit:
  vmov s0, r0
  b done
report_faults
