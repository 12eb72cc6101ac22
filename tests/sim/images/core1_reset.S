// Core 1 goes into reset through the PSM and says hello from its boot ROM when it comes out; a launch sequence with a
// mistake in it is started anew.
#include "common.inc"
.thumb_func
.global main
main:
  push {r4, lr}
  bl drain
  poke PSM+4+SET, 1<<24
  await PSM+4, 1<<24
  poke PSM+4+CLR, 1<<24
1:
  ldr r1, =SIO
  ldr r2, [r1, #0x50]
  tst r2, #1
  beq 1b
  ldr r0, [r1, #0x58]
  bl put_hex
  ldr r4, =words
2:
  ldr r0, [r4], #4
  ldr r1, =SIO
  str r0, [r1, #0x54]
  sev
3:
  ldr r2, [r1, #0x50]
  tst r2, #1
  beq 3b
  ldr r2, [r1, #0x58]
  cmp r2, r0
  bne 9f
  ldr r3, =words_end
  cmp r4, r3
  bne 2b
  bl drain_one
  bl put_hex
9:
  pop {r4, pc}
.thumb_func
drain:
  ldr r1, =SIO
1:
  ldr r2, [r1, #0x50]
  tst r2, #1
  it eq
  bxeq lr
  ldr r2, [r1, #0x58]
  b 1b
.thumb_func
drain_one:
  ldr r1, =SIO
1:
  ldr r2, [r1, #0x50]
  tst r2, #1
  beq 1b
  ldr r0, [r1, #0x58]
  bx lr
.global second
.thumb_func
second:
  ldr r1, =SIO
  ldr r0, =0xc0de
  str r0, [r1, #0x54]
  sev
1:
  b 1b
.ltorg
.align 2
words:
  .word 0, 0, 7, 0, 0, 1, vectors, 0x20006000, second
words_end:
