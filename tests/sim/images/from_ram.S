// An image for SRAM: nothing of it may touch flash.
#include "common.inc"
.thumb_func
.global main
main:
  push {lr}
  say 'r'
  pop {pc}
.ltorg
