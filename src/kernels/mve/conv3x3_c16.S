// Convolution 3x3, stride 1, 16 input channels, along one output row. Four neighbouring outputs share six input
// columns, so each column is loaded once for the three taps that it meets.
//
// void wick_mve_conv3x3_c16(const int8_t* columns, const int8_t* w, const int32_t* parameters, int8_t* out,
//                           int out_offset, int quads, int groups, int out_stride)
// columns = [4 * groups + 2][3 kernel rows][16], w = [4 * quads][3][3][16]. All word-aligned.
#include "kernels/mve/tile.inc"
  .syntax unified
  .thumb

.macro W2 a, b, ky, kx, qa, qb
  vldrw.u32 \qa, [r3, #(\a * 144 + \ky * 48 + \kx * 16 - 144)]
  vldrw.u32 \qb, [r3, #(\b * 144 + \ky * 48 + \kx * 16 - 144)]
.endm
.macro COLUMN j, ky
  vldrw.u32 q7, [r1, #(\j * 48 + \ky * 16)]
.endm
.macro MAC first, a, b, qa, qb
 .if \first
  vmladav.s8 \a, q7, \qa
  vmladav.s8 \b, q7, \qb
 .else
  vmladava.s8 \a, q7, \qa
  vmladava.s8 \b, q7, \qb
 .endif
.endm
.macro KERNEL_ROW a, b, ky
  W2 \a, \b, \ky, 0, q0, q4
  COLUMN 0, \ky
  MAC (\ky==0), r0, r8, q0, q4
  W2 \a, \b, \ky, 1, q1, q5
  COLUMN 1, \ky
  MAC 0, r0, r8, q1, q5
  MAC (\ky==0), r2, r10, q0, q4
  W2 \a, \b, \ky, 2, q2, q6
  COLUMN 2, \ky
  MAC 0, r0, r8, q2, q6
  MAC 0, r2, r10, q1, q5
  MAC (\ky==0), r4, r12, q0, q4
  COLUMN 3, \ky
  MAC 0, r2, r10, q2, q6
  MAC 0, r4, r12, q1, q5
  MAC (\ky==0), r6, lr, q0, q4
  COLUMN 4, \ky
  MAC 0, r4, r12, q2, q6
  MAC 0, r6, lr, q1, q5
  COLUMN 5, \ky
  MAC 0, r6, lr, q2, q6
.endm

  .set RELU, 0
  .set FRAME, 40
  .set STACKED, FRAME + 64 + 36
// Frame: as in gemm.S
  .section .text.wick_mve_conv3x3_c16, "ax", %progbits
  .global wick_mve_conv3x3_c16
  .type wick_mve_conv3x3_c16, %function
  .p2align 2
wick_mve_conv3x3_c16:
  push {r4-r11, lr}
  vpush {d8-d15}
  sub sp, #FRAME
  mov r7, r3
  mov r5, r2
  add r3, r1, #144
  mov r1, r0
  ldrd r9, r11, [sp, #STACKED]
  ldrd r10, r4, [sp, #(STACKED + 8)]
  PIXEL_OFFSETS r4
  strd r10, r3, [sp, #16]
  strd r5, r11, [sp, #24]
  sub r4, r4, r11
  lsls r4, r4, #2
  str r4, [sp, #32]
0:
  KERNEL_ROW 0, 2, 0
  KERNEL_ROW 0, 2, 1
  KERNEL_ROW 0, 2, 2
  REQUANTIZE_PAIR q3
  KERNEL_ROW 1, 3, 0
  KERNEL_ROW 1, 3, 1
  KERNEL_ROW 1, 3, 2
  REQUANTIZE_PAIR q0
  vqmovnb.s16 q3, q3
  vldrw.u32 q2, [sp]
  vqmovnt.s16 q3, q0
  add r3, r3, #(4 * 144)
  vstrw.32 q3, [r7, q2]
  adds r7, #4
  subs r11, #1
  bne 0b
  ldrd r0, r3, [sp, #16]
  ldrd r5, r11, [sp, #24]
  ldr r4, [sp, #32]
  add r1, r1, #192
  add r7, r7, r4
  subs r0, #1
  str r0, [sp, #16]
  bne 0b
  add sp, #FRAME
  vpop {d8-d15}
  pop {r4-r11, pc}
  .size wick_mve_conv3x3_c16, .-wick_mve_conv3x3_c16
