// Matrix-vector core: four rows of weights against one row of activations, any depth from 1 on, one multiplier.
//
// void wick_mve_linear(const Linear* arguments)    (linear.h)
//   [0] x  [4] weights  [8] depth  [12] start  [16] out  [20] quads  [24] multiplier  [28] shift  [32] offset  [36] add
// out[i] = saturate8(requantize(start[i] + add + sum of x * w[i]) + offset), shift <= -1. start is word-aligned; the
// last 1 to 15 columns are predicated, so nothing is read beyond a row.
//
// Register map
//   r0 r2 r4 r6  accumulators of four rows     r1 r3 r5 r7  their weights     r9  x
//   r8 quads left   r10 depth   r11 arguments   r12 scratch   lr loop counter
//   q0 x   q1 q2 weights
  .syntax unified
  .thumb

.macro BLOCK
  vldrb.u8 q0, [r9], #16
  vldrb.u8 q1, [r1], #16
  vmladava.s8 r0, q0, q1
  vldrb.u8 q2, [r3], #16
  vmladava.s8 r2, q0, q2
  vldrb.u8 q1, [r5], #16
  vmladava.s8 r4, q0, q1
  vldrb.u8 q2, [r7], #16
  vmladava.s8 r6, q0, q2
.endm
  .section .text.wick_mve_linear, "ax", %progbits
  .global wick_mve_linear
  .type wick_mve_linear, %function
  .p2align 2
wick_mve_linear:
  push {r4-r11, lr}
  sub sp, #12
  mov r11, r0
  ldrd r2, r1, [r0]
  ldrd r10, r3, [r0, #8]
  strd r2, r3, [sp]
  ldrd r2, r8, [r0, #16]
  str r2, [sp, #8]
// Frame: [0] x  [4] start  [8] out
1:
  ldr r9, [sp]
  movs r0, #0
  movs r2, #0
  movs r4, #0
  movs r6, #0
  add r3, r1, r10
  add r5, r3, r10
  add r7, r5, r10
  lsr r12, r10, #6
  wls lr, r12, 3f
2:
  BLOCK
  BLOCK
  BLOCK
  BLOCK
  le lr, 2b
3:
  ubfx r12, r10, #4, #2
  wls lr, r12, 5f
4:
  BLOCK
  le lr, 4b
5:
  ands r12, r10, #15
  beq 6f
  vctp.8 r12
  vpstttt
  vldrbt.u8 q0, [r9]
  vldrbt.u8 q1, [r1]
  vmladavat.s8 r0, q0, q1
  vldrbt.u8 q2, [r3]
  vpstttt
  vmladavat.s8 r2, q0, q2
  vldrbt.u8 q1, [r5]
  vmladavat.s8 r4, q0, q1
  vldrbt.u8 q2, [r7]
  vpst
  vmladavat.s8 r6, q0, q2
  add r7, r7, r12
6:
  vmov q0[2], q0[0], r0, r4
  vmov q0[3], q0[1], r2, r6
  ldrd r3, r5, [sp, #4]
  mov r1, r7
  vldrw.u32 q1, [r3], #16
  ldrd r2, r4, [r11, #24]
  ldrd r6, r7, [r11, #32]
  vadd.i32 q0, q0, q1
  vadd.i32 q0, q0, r7
  vshr.s32 q1, q0, #31
  vqrdmlah.s32 q1, q0, r2
  vrshl.s32 q1, r4
  vqmovnb.s32 q1, q1
  vqadd.s16 q1, q1, r6
  vqmovnb.s16 q1, q1
  vstrb.32 q1, [r5], #4
  strd r3, r5, [sp, #4]
  subs r8, #1
  bne 1b
  add sp, #12
  pop {r4-r11, pc}
  .size wick_mve_linear, .-wick_mve_linear
