// A watchdog that nobody feeds.
#include "common.inc"
.thumb_func
.global main
main:
  poke 0x400d8004, 1000
  poke 0x400d8000, 0x40000000
1:
  wfi
  b 1b
.ltorg
