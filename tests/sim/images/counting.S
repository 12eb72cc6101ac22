// A loop whose instructions can be counted by hand; IT blocks in it skip some.
#define BARE_START
#include "common.inc"
.thumb_func
.global main
main:
  movs r0, #100
1:
  cmp r0, #50
  ittee lo
  addlo r1, #1
  addlo r2, #1
  addhs r3, #1
  addhs r4, #1
  subs r0, #1
  bne 1b
  bx lr
