@ INT8 linear: two rows of weights at a time, read and widened where they lie, against one vector widened beforehand.
@ Armv7E-M or Armv8-M with the DSP extension and a single-precision FPU, whose s0-s13 hold what the core registers cannot.
  .syntax unified
  .thumb

@ Eight bytes of one row: \a \b the bytes, r8-r11 eight inputs, r12 lost.
  .macro row_8 acc, a, b
  sxtb16 r12, \a
  sxtb16 \a, \a, ror #8
  smlad \acc, r12, r8, \acc
  smlad \acc, \a, r9, \acc
  sxtb16 r12, \b
  sxtb16 \b, \b, ror #8
  smlad \acc, r12, r10, \acc
  smlad \acc, \b, r11, \acc
  .endm
  .macro block_8 aligned
  ldm.w lr!, {r8-r11}
  .if \aligned
  ldrd r4, r5, [r0], #8
  ldrd r6, r7, [r1], #8
  .else
  ldr r4, [r0], #4
  ldr r5, [r0], #4
  ldr r6, [r1], #4
  ldr r7, [r1], #4
  .endif
  row_8 r2, r4, r5
  row_8 r3, r6, r7
  .endm
  .macro requantize acc          @ r6 multiplier  r7 addend  r8 shift
  add r9, r7, \acc, asr #31
  smmlar \acc, \acc, r6, r9
  asrs \acc, r8
  ssat \acc, #8, \acc
  .endm

@ void wick_dsp_linear(const int8_t *w, const int32_t *x, void *out, const LinearArgs *args), LinearArgs in linear.cc
@ x: per four inputs the pairs (0, 2) and (1, 3), then one int16 for each of the last up to three.
@ r0 r1 rows  r2 r3 sums  r4-r7 bytes  r8-r11 inputs  lr walks x
@ s0 end of x's eights  s1 entry of the first pass  s2 from row to row  s3 bias  s4 second row (0: none, 1)  s5 out
@ s6 pairs left  s7 x  s8 word left over  s9 bytes left over  s10 multiplier  s11 addend  s12 shift (0: sums are wanted)
@ s13 from a pair's bias to the next
  .macro linear name, aligned, step_bytes, unrolled, sums
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
  .balign 4
\name:
  push {r4-r11, lr}
  ldm r3!, {r4-r11}              @ row bytes, pairs, bias, second row, multiplier, addend, shift, bias step
  vmov s3, s4, r6, r7
  vmov s5, s6, r2, r5
  vmov s10, s11, r8, r9
  vmov s12, s13, r10, r11
  mul r7, r7, r4
  vmov s2, r7
  vmov s7, r1
  and r5, r4, #3
  ubfx r6, r4, #2, #1
  vmov s8, s9, r6, r5
  lsrs r4, #3
  add r5, r1, r4, lsl #4
  rsb r6, r4, #0
  and r6, #(\unrolled - 1)
  cmp r4, #0
  it eq
  moveq r6, #\unrolled
  movs r7, #\step_bytes
  adr.w r8, 2f
  mla r6, r6, r7, r8
  orr r6, #1
  vmov s0, s1, r5, r6
1:
  vmov r4, r5, s3, s4
  ldr r2, [r4]
  ldr r3, [r4, r5, lsl #2]
  .if \sums
  vmov r4, s12
  cbz r4, 0f
  .endif
  lsls r2, #1
  lsls r3, #1
0:
  vmov lr, s7
  vmov r4, r5, s1, s2
  add r1, r0, r5
  bx r4
  .balign 4
2:
  .rept \unrolled
  block_8 \aligned
  .endr
  vmov r12, s0
  cmp lr, r12
  bne.w 2b
  vmov r4, r11, s8, s9
  cbz r4, 3f
  ldr r4, [r0], #4
  ldr r6, [r1], #4
  ldrd r8, r9, [lr], #8
  sxtb16 r12, r4
  sxtb16 r4, r4, ror #8
  smlad r2, r12, r8, r2
  smlad r2, r4, r9, r2
  sxtb16 r12, r6
  sxtb16 r6, r6, ror #8
  smlad r3, r12, r8, r3
  smlad r3, r6, r9, r3
3:
  cmp r11, #0
  beq 5f
4:
  ldrsh r8, [lr], #2
  ldrsb r4, [r0], #1
  ldrsb r6, [r1], #1
  smlabb r2, r4, r8, r2
  smlabb r3, r6, r8, r3
  subs r11, #1
  bne 4b
5:
  mov r0, r1                     @ the next pair of rows follows
  vmov r5, r4, s4, s5
  vmov r8, s12
  .if \sums
  cmp r8, #0
  beq 6f
  .endif
  vmov r6, r7, s10, s11
  requantize r2
  requantize r3
  strb r2, [r4]
  strb r3, [r4, r5]
  adds r4, #2
  .if \sums
  b 7f
6:
  str r2, [r4]
  str r3, [r4, r5, lsl #2]
  adds r4, #8
7:
  .endif
  vmov s5, r4
  vmov r4, s3
  vmov r5, s6
  vmov r6, s13
  add r4, r6
  vmov s3, r4
  subs r5, #1
  vmov s6, r5
  bne.w 1b
  pop {r4-r11, pc}
  .size \name, . - \name
  .endm

@ Rows at multiples of four bytes, and anywhere. Only the second gives bare sums.
  linear wick_dsp_linear_aligned, 1, 76, 8, 0
  linear wick_dsp_linear_anywhere, 0, 84, 4, 1

@ void wick_dsp_widen_doubled(int32_t *to, const int8_t *x, int32_t bytes, uint32_t offsets2)
@ The vector that the cores above read, doubled, and a doubled offset added to each.
@ r0 to  r1 x  r2 bytes left  r3 doubled offset in both halves  r8 r12 bytes  r4-r7 pairs
  .section .text.wick_dsp_widen_doubled, "ax", %progbits
  .global wick_dsp_widen_doubled
  .type wick_dsp_widen_doubled, %function
  .macro widen low, high, from
  sxtab16 \low, r3, \from
  sxtab16 \low, \low, \from
  sxtab16 \high, r3, \from, ror #8
  sxtab16 \high, \high, \from, ror #8
  .endm
wick_dsp_widen_doubled:
  push {r4-r8, lr}
  subs r2, #8
  blt 2f
1:
  ldr r8, [r1], #4
  ldr r12, [r1], #4
  widen r4, r5, r8
  widen r6, r7, r12
  stm r0!, {r4-r7}
  subs r2, #8
  bge 1b
2:
  adds r2, #4
  blt 3f
  ldr r8, [r1], #4
  widen r4, r5, r8
  stm r0!, {r4, r5}
  subs r2, #4
3:
  adds r2, #4
  beq 5f
4:
  ldrsb r12, [r1], #1
  add r12, r3, r12, lsl #1
  strh r12, [r0], #2
  subs r2, #1
  bne 4b
5:
  pop {r4-r8, pc}
  .size wick_dsp_widen_doubled, . - wick_dsp_widen_doubled
