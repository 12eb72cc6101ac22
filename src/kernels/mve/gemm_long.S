// Matrix core for rows of any length from 17 on: a panel of four pixels times w[4 * quads][k]. The last block of
// weights is the last 16 bytes of a row, overlapping the block before; the panel holds zeros where that happens, so
// nothing is read past a row and nothing is counted twice.
//
// void wick_mve_gemm_long(const int8_t* panel, const int8_t* w, const int32_t* parameters, int8_t* out,
//                         int out_offset, int quads, int k, int out_stride)
// panel = [ceil(k / 16)][4 pixels][16]: in the last block, lane i is column k - 16 + i. w anywhere; panel,
// parameters, out and out_stride word-aligned.
#include "kernels/mve/tile.inc"
  .syntax unified
  .thumb

// One block of the rows at r3 and r5: 2 channels x 4 pixels x 16 columns.
.macro BLOCK accumulate
  vldrb.u8 q0, [r3], #16
  vldrw.u32 q2, [r1], #16
  vmladav\accumulate\().s8 r0, q2, q0
  vldrb.u8 q1, [r5], #16
  vmladav\accumulate\().s8 r8, q2, q1
  vldrw.u32 q3, [r1], #16
  vmladav\accumulate\().s8 r2, q3, q0
  vmladav\accumulate\().s8 r10, q3, q1
  vldrw.u32 q2, [r1], #16
  vmladav\accumulate\().s8 r4, q2, q0
  vmladav\accumulate\().s8 r12, q2, q1
  vldrw.u32 q3, [r1], #16
  vmladav\accumulate\().s8 r6, q3, q0
  vmladav\accumulate\().s8 lr, q3, q1
.endm
// r11 = blocks (at least 2), r7 = k - 16 * blocks: the step back before the last one.
.macro LONG_PAIR qd
  ldr r1, [sp, #16]
  subs r11, #2
  BLOCK ""
  beq 3f
  add r11, r11, #1
  lsrs r11, r11, #1
  bcc 2f
1:
  BLOCK a
2:
  BLOCK a
  subs r11, #1
  bgt 1b
3:
  adds r3, r3, r7
  adds r5, r5, r7
  BLOCK a
  ldr r5, [sp, #24]
  REQUANTIZE_PAIR \qd
  str r5, [sp, #24]
.endm

  .set RELU, 0
  .set FRAME, 48
  .set STACKED, FRAME + 64 + 36
// Frame: [0] pixel offsets  [16] panel  [20] w  [24] parameters  [28] out  [32] k  [36] quads left  [40] blocks
  .section .text.wick_mve_gemm_long, "ax", %progbits
  .global wick_mve_gemm_long
  .type wick_mve_gemm_long, %function
  .p2align 2
wick_mve_gemm_long:
  push {r4-r11, lr}
  vpush {d8-d15}
  sub sp, #FRAME
  ldrd r9, r11, [sp, #STACKED]
  ldrd r10, r4, [sp, #(STACKED + 8)]
  PIXEL_OFFSETS r4
  strd r0, r1, [sp, #16]
  strd r2, r3, [sp, #24]
  strd r10, r11, [sp, #32]
  add r11, r10, #15
  lsrs r11, r11, #4
  sub r7, r10, r11, lsl #4
  str r11, [sp, #40]
0:
  ldr r3, [sp, #20]
  ldr r11, [sp, #40]
  add r5, r3, r10, lsl #1
  LONG_PAIR q4
  ldr r10, [sp, #32]
  ldr r3, [sp, #20]
  ldr r11, [sp, #40]
  add r3, r3, r10
  add r5, r3, r10, lsl #1
  add r0, r5, r10
  str r0, [sp, #20]
  LONG_PAIR q0
  ldr r3, [sp, #28]
  vqmovnb.s16 q4, q4
  vldrw.u32 q2, [sp]
  vqmovnt.s16 q4, q0
  vstrw.32 q4, [r3, q2]
  ldrd r10, r11, [sp, #32]
  adds r3, #4
  str r3, [sp, #28]
  subs r11, #1
  str r11, [sp, #36]
  bne 0b
  add sp, #FRAME
  vpop {d8-d15}
  pop {r4-r11, pc}
  .size wick_mve_gemm_long, .-wick_mve_gemm_long
