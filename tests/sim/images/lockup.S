// A fault in the handler of a fault.
#include "common.inc"
.thumb_func
.global main
main:
  udf #0
.thumb_func
.global hard_fault
hard_fault:
  udf #1
.ltorg
