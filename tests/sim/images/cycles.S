// Sequences of 64 whose cost is known, each measured by the cycle counter when it is in the cache.
#include "common.inc"
.macro measure sequence:vararg
  movs r7, #2
8:
  ldr r6, =0xe0001004
  ldr r0, =0x20010000
  movs r3, #3
  movs r4, #5
  isb
  ldr r5, [r6]
  nop
  .rept 64
  \sequence
  .endr
  ldr r6, =0xe0001004
  ldr r6, [r6]
  subs r5, r6, r5
  subs r7, #1
  bne 8b
  mov r0, r5
  bl put_hex
.endm
.macro sequence1
  ldr r1, [r0]
  adds r2, r1
.endm
.macro sequence2
  ldr r1, [r0]
  str r1, [r0, #4]
.endm
.macro sequence3
  ldr.w r1, [r0]
  mla r2, r3, r4, r1
.endm
.macro sequence4
  mul r2, r3, r4
  adds r1, r2
.endm
.macro sequence5
  eor.w r1, r3, r4, lsl #8
  add.w r2, r1, #1
.endm
.macro sequence6
  eor.w r1, r3, r4, lsl #2
  add.w r2, r1, #1
.endm
.macro sequence7
  adds r1, #1
  b.n 7f
  nop
  7:
.endm
.macro sequence8
  add.w r1, r1, #1
  b.n 7f
  nop
  7:
  adds r2, #1
.endm
.macro sequence9
  vadd.f32 s0, s1, s2
  vadd.f32 s3, s1, s2
.endm
.macro sequence10
  vmul.f32 s0, s1, s2
  vldr s4, [r0]
.endm
.macro pair_first
  ldrd r1, r2, [r0]
  adds r4, r1, #1
.endm
.macro pair_second
  ldrd r1, r2, [r0]
  adds r4, r2, #1
.endm
.macro list_last
  ldm.w r0, {r1, r2, r8}
  add r4, r8, #1
.endm
.thumb_func
.global main
main:
  push {r4-r7, lr}
  poke 0xe000edfc, 0x01000000
  poke 0xe0001000, 1
  ldr r0, =0xe000ed88
  ldr r1, =0xf00000
  str r1, [r0]
  dsb
  isb
  measure nop.w
  measure adds r1, #1
  measure sequence1
  b 6f
  .ltorg
6:
  measure sequence2
  b 6f
  .ltorg
6:
  measure sequence3
  b 6f
  .ltorg
6:
  measure smlad r2, r3, r4, r2
  b 6f
  .ltorg
6:
  measure sequence4
  b 6f
  .ltorg
6:
  measure sequence5
  b 6f
  .ltorg
6:
  measure sequence6
  b 6f
  .ltorg
6:
  measure ldr.w r1, [r0, #1]
  b 6f
  .ltorg
6:
  measure ldrd r1, r2, [r0]
  b 6f
  .ltorg
6:
  measure pair_first
  b 6f
  .ltorg
6:
  measure pair_second
  b 6f
  .ltorg
6:
  measure list_last
  b 6f
  .ltorg
6:
  measure sequence7
  b 6f
  .ltorg
6:
  measure sequence8
  b 6f
  .ltorg
6:
  measure udiv r1, r4, r3
  b 6f
  .ltorg
6:
  measure vfma.f32 s0, s1, s2
  b 6f
  .ltorg
6:
  measure vadd.f32 s0, s0, s1
  b 6f
  .ltorg
6:
  measure sequence9
  b 6f
  .ltorg
6:
  measure sequence10
  pop {r4-r7, pc}
.ltorg
