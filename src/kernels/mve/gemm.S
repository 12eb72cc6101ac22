// Matrix core for short rows: x[4 * groups][K] times w[4 * quads][K], K = 16, 32, 48 or 64, unrolled. The first 16
// columns of the four pixels stay in q4-q7 for all channels. Refuses tails: the caller pads rows and repeats pixels.
//
// void wick_mve_gemm_kNN(const int8_t* x, const int8_t* w, const int32_t* parameters, int8_t* out, int out_offset,
//                        int quads, int groups, int out_stride)
// x anywhere; w, parameters, out and out_stride word-aligned.
#include "kernels/mve/tile.inc"
  .syntax unified
  .thumb

// x by bytes (no alignment), from a base in the middle of the group's 4 * K bytes.
.macro X q, pixel, block
  vldrb.u8 \q, [r1, #(\pixel * K + \block * 16 - (2 * K - 8))]
.endm
// w by words, from a base at the last 16 bytes of the four rows; the last load moves on to the next four.
.macro W q, row, block
 .if (\row == 3) && (\block == BLOCKS - 1)
  vldrw.u32 \q, [r3], #(4 * K)
 .else
  vldrw.u32 \q, [r3, #(\row * K + \block * 16 - (4 * K - 16))]
 .endif
.endm
.macro FIRST_BLOCK a, b
  W q0, \a, 0
  vmladav.s8 r0, q4, q0
  W q1, \b, 0
  vmladav.s8 r2, q5, q0
  vmladav.s8 r8, q4, q1
  vmladav.s8 r4, q6, q0
  vmladav.s8 r10, q5, q1
  vmladav.s8 r6, q7, q0
  vmladav.s8 r12, q6, q1
  vmladav.s8 lr, q7, q1
.endm
.macro NEXT_BLOCK a, b, block
  W q0, \a, \block
  X q2, 0, \block
  vmladava.s8 r0, q2, q0
  W q1, \b, \block
  vmladava.s8 r8, q2, q1
  X q2, 1, \block
  vmladava.s8 r2, q2, q0
  vmladava.s8 r10, q2, q1
  X q2, 2, \block
  vmladava.s8 r4, q2, q0
  vmladava.s8 r12, q2, q1
  X q2, 3, \block
  vmladava.s8 r6, q2, q0
  vmladava.s8 lr, q2, q1
.endm
.macro PAIR a, b, qd
  FIRST_BLOCK \a, \b
  .set BLOCK, 1
  .rept BLOCKS - 1
   NEXT_BLOCK \a, \b, BLOCK
   .set BLOCK, BLOCK + 1
  .endr
  REQUANTIZE_PAIR \qd
.endm

  .set FRAME, 40
  .set STACKED, FRAME + 64 + 36
// Frame: [0] pixel offsets  [16] groups left  [20] w  [24] parameters  [28] quads  [32] from the end of a row of
// quads to the next group's output
.macro GEMM name, k
  .set K, \k
  .set BLOCKS, \k / 16
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
  .p2align 2
\name:
  push {r4-r11, lr}
  vpush {d8-d15}
  sub sp, #FRAME
  mov r7, r3
  mov r5, r2
  add r3, r1, #(4 * K - 16)
  add r1, r0, #(2 * K - 8)
  ldrd r9, r11, [sp, #STACKED]
  ldrd r10, r4, [sp, #(STACKED + 8)]
  PIXEL_OFFSETS r4
  strd r10, r3, [sp, #16]
  strd r5, r11, [sp, #24]
  sub r4, r4, r11
  lsls r4, r4, #2
  str r4, [sp, #32]
0:
  X q4, 0, 0
  X q5, 1, 0
  X q6, 2, 0
  X q7, 3, 0
1:
  PAIR 0, 2, q3
  PAIR 1, 3, q0
  vqmovnb.s16 q3, q3
  vldrw.u32 q2, [sp]
  vqmovnt.s16 q3, q0
  vstrw.32 q3, [r7, q2]
  adds r7, #4
  subs r11, #1
  bne 1b
  ldrd r0, r3, [sp, #16]
  ldrd r5, r11, [sp, #24]
  ldr r4, [sp, #32]
  add r1, r1, #(4 * K)
  add r7, r7, r4
  subs r0, #1
  str r0, [sp, #16]
  bne 0b
  add sp, #FRAME
  vpop {d8-d15}
  pop {r4-r11, pc}
  .size \name, .-\name
.endm

  .set RELU, 0
  GEMM wick_mve_gemm_k16, 16
  GEMM wick_mve_gemm_k32, 32
  GEMM wick_mve_gemm_k48, 48
  GEMM wick_mve_gemm_k64, 64
  .set RELU, 1
  GEMM wick_mve_gemm_k48_relu, 48
  GEMM wick_mve_gemm_k64_relu, 64
