@ FP32 dot products: four weight rows against one input row. Sums run in ascending k with one fused accumulator per
@ output, so that the result is the scalar fused loop's, bit for bit; the four accumulators take turns.
  .syntax unified
  .thumb

@ void wick_dsp_dot4_f32(const float* w, const float* x, float* acc, uint32_t depth, uint32_t row_bytes)
@ acc[r] += sum over k of w[r][k] * x[k], r = 0..3; rows of w lie row_bytes apart. Pointers are 4-byte aligned.
@ r0 r4 r5 r6 rows | r1 x | r2 acc | r3 depth left | s0-s3 acc | s4-s7 x | s8-s11 s12-s15 s16-s19 s20-s23 w
  .section .text.wick_dsp_dot4_f32, "ax", %progbits
  .macro fma4 x, a, b, c, d
  vfma.f32 s0, \a, \x
  vfma.f32 s1, \b, \x
  vfma.f32 s2, \c, \x
  vfma.f32 s3, \d, \x
  .endm
  .macro block4
  vldm r1!, {s4-s7}
  vldm r0!, {s8-s11}
  vldm r4!, {s12-s15}
  vldm r5!, {s16-s19}
  vldm r6!, {s20-s23}
  fma4 s4, s8, s12, s16, s20
  fma4 s5, s9, s13, s17, s21
  fma4 s6, s10, s14, s18, s22
  fma4 s7, s11, s15, s19, s23
  .endm
  .global wick_dsp_dot4_f32
  .type wick_dsp_dot4_f32, %function
  .balign 4
wick_dsp_dot4_f32:
  push {r4-r6, lr}
  vpush {s16-s23}
  ldr r6, [sp, #48]
  adds r4, r0, r6
  adds r5, r4, r6
  add r6, r5
  vldm r2, {s0-s3}
  subs r3, #8
  blo 2f
1:
  block4
  block4
  subs r3, #8
  bhs 1b
2:
  lsls r12, r3, #30               @ bit 2 -> carry, bit 1 -> sign: the low bits of depth - 8n are depth's own
  bcc 3f
  block4
3:
  ands r3, #3
  beq 5f
4:
  vldm r1!, {s4}
  vldm r0!, {s8}
  vldm r4!, {s12}
  vldm r5!, {s16}
  vldm r6!, {s20}
  fma4 s4, s8, s12, s16, s20
  subs r3, #1
  bne 4b
5:
  vstm r2, {s0-s3}
  vpop {s16-s23}
  pop {r4-r6, pc}
  .size wick_dsp_dot4_f32, . - wick_dsp_dot4_f32
