// Goes 548 bytes deep, then works on a stack elsewhere.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
  push {r0-r7}
  sub sp, #512
  str r0, [sp]
  add sp, #512
  mov r4, sp
  ldr r0, =0x20001000
  mov sp, r0
  push {r0-r7}
  mov sp, r4
  add sp, #32
  pop {pc}
.ltorg
