// Sums of 32 channels over a window.
//
// void wick_mve_sum32(const int8_t* first, int32_t channels, int32_t columns, int32_t rows, int32_t row_step,
//                     int16_t sums[32])
// At most 255 pixels; row_step in bytes; sums word-aligned.
//
// Register map: r0 pixel  r1 channels (bytes to the next pixel)  r2 columns  r3 rows left  r4 row_step  r5 sums
//   r6 row  r12 scratch  q0-q3 sums  q4-q7 pixels
  .syntax unified
  .thumb

.macro PIXEL
  vldrb.s16 q4, [r0]
  vldrb.s16 q5, [r0, #8]
  vadd.i16 q0, q0, q4
  vldrb.s16 q6, [r0, #16]
  vadd.i16 q1, q1, q5
  vldrb.s16 q7, [r0, #24]
  vadd.i16 q2, q2, q6
  add r0, r0, r1
  vadd.i16 q3, q3, q7
.endm
  .section .text.wick_mve_sum32, "ax", %progbits
  .global wick_mve_sum32
  .type wick_mve_sum32, %function
  .p2align 2
wick_mve_sum32:
  push {r4-r6, lr}
  vpush {d8-d15}
  ldrd r4, r5, [sp, #(16 + 64)]
  mov r6, r0
  vmov.i32 q0, #0
  vmov.i32 q1, #0
  vmov.i32 q2, #0
  vmov.i32 q3, #0
1:
  mov r0, r6
  lsr r12, r2, #3
  wls lr, r12, 3f
2:
  .rept 8
  PIXEL
  .endr
  le lr, 2b
3:
  and r12, r2, #7
  wls lr, r12, 5f
4:
  PIXEL
  le lr, 4b
5:
  add r6, r6, r4
  subs r3, #1
  bgt 1b
  vstrw.32 q0, [r5]
  vstrw.32 q1, [r5, #16]
  vstrw.32 q2, [r5, #32]
  vstrw.32 q3, [r5, #48]
  vpop {d8-d15}
  pop {r4-r6, pc}
  .size wick_mve_sum32, .-wick_mve_sum32
