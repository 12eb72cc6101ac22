// Sum of two tensors where one operand's factor is exactly 1/2 (multiplier 2^30, shift 0: what the operand with the
// larger scale always has), so that scaling it is a shift. Sixteen elements a step.
//
// void wick_mve_add(const int8_t* half, const int8_t* other, int8_t* out, const AddWords* words, int32_t steps)
// void wick_mve_add_shifted(...)   the same, other_shift <= -1
// words (elementwise.cc): [0] half offset * 8  [4] other offset * 16  [8] other multiplier  [12] multiplier
//   [16] shift <= -1  [20] offset  [24] other shift; steps >= 0
//
// Register map
//   r0 half  r1 other  r2 out  r3 words, then other shift  r5-r10 words  lr steps
//   q0-q3 operands as 16 bits  q4 q5 32 bits  q6 q7 results
  .syntax unified
  .thumb

// Four elements, the \part (b, t) of \half and \other, to the 16-bit \to part of \result.
.macro FOUR part, half, other, result, to
  vshll\part\().s16 q4, \half, #16
  vshll\part\().s16 q5, \other, #16
 .if SHIFTED
  vshr.s32 q7, q5, #31
  vqrdmlah.s32 q7, q5, r7
  vrshl.s32 q7, r3
  vadd.i32 q4, q4, q7
 .else
  vqrdmlah.s32 q4, q5, r7
 .endif
  vshr.s32 q5, q4, #31
  vqrdmlah.s32 q5, q4, r8
  vrshl.s32 q5, r9
  vqmovn\to\().s32 \result, q5
.endm
// The results of the second eight elements end in q0, which is free by then.
.macro ADD name
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
  .p2align 2
\name:
  push {r4-r10, lr}
  vpush {d8-d15}
  ldr lr, [sp, #96]
  ldm r3!, {r5, r6, r7, r8, r9, r10}
  ldr r3, [r3]
  wls lr, lr, 2f
1:
  vldrb.u8 q0, [r0], #16
  vshllb.s8 q2, q0, #3
  vldrb.u8 q1, [r1], #16
  vadd.i16 q2, q2, r5
  vshllb.s8 q3, q1, #4
  vshllt.s8 q0, q0, #3
  vadd.i16 q3, q3, r6
  vshllt.s8 q1, q1, #4
  vadd.i16 q0, q0, r5
  FOUR b, q2, q3, q6, b
  FOUR t, q2, q3, q6, t
  vadd.i16 q1, q1, r6
  FOUR b, q0, q1, q2, b
  FOUR t, q0, q1, q2, t
  vqadd.s16 q6, q6, r10
  vqadd.s16 q2, q2, r10
  vqmovnb.s16 q6, q6
  vqmovnt.s16 q6, q2
  vstrb.8 q6, [r2], #16
  le lr, 1b
2:
  vpop {d8-d15}
  pop {r4-r10, pc}
  .size \name, .-\name
.endm

  .set SHIFTED, 0
  ADD wick_mve_add
  .set SHIFTED, 1
  ADD wick_mve_add_shifted
