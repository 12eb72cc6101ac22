// An instruction that does not exist.
#include "common.inc"
.thumb_func
.global main
main:
  nop
.global culprit
culprit:
  udf #0
  b done
report_faults
