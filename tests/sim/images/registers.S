// What start-up code reads and how writes arrive: identity, aliases, narrow accesses, locks, reset bits.
#include "common.inc"
#define SYSINFO 0x40000000
#define WATCHDOG 0x400d8000
.macro show address
  ldr r0, =\address
  ldr r0, [r0]
  bl put_hex
.endm
.macro part
  b 6f
  .ltorg
6:
.endm
.thumb_func
.global main
main:
  push {r4, lr}
  show SYSINFO
  show 0xe000ed00
  show SIO
  show RESETS+8
  part
  ldr r4, =WATCHDOG+0xc
  movs r1, #0x5a
  strb r1, [r4]
  ldr r0, [r4]
  bl put_hex
  ldr r1, =0x1234
  strh r1, [r4]
  ldr r0, [r4]
  bl put_hex
  ldrh r0, [r4, #2]
  bl put_hex
  ldrb r0, [r4, #1]
  bl put_hex
  part
  poke WATCHDOG+0xc, 0xff00ff00
  poke WATCHDOG+0xc+0x1000, 0x0000ffff
  show WATCHDOG+0xc
  poke WATCHDOG+0xc+0x2000, 0x000f0000
  show WATCHDOG+0xc
  poke WATCHDOG+0xc+0x3000, 0xf0000000
  show WATCHDOG+0xc
  part
  show SIO+0x100+4*5
  show SIO+0x100+4*5
  poke SIO+0x100+4*5, 0
  show SIO+0x100+4*5
  part
  poke RESETS+SET, 1<<23
  show RESETS+8
  poke RESETS+CLR, 1<<23
  pop {r4, pc}
.ltorg
