// A PLL is started with a feedback divider that its oscillator cannot follow.
#define BARE_START
#include "common.inc"
.thumb_func
.global main
main:
  poke XOSC+0xc, 1
  poke XOSC+SET, 0xfab000
  await XOSC+4, 0x80000000
  poke RESETS+CLR, 1<<14
  poke PLL_SYS, 1
  poke PLL_SYS+8, 200
  poke PLL_SYS+4+CLR, 0x21
  bx lr
.ltorg
