@ FP32 to INT8, eight values at a time. Rounds by FPSCR, which the AAPCS and every start-up file leave at "nearest, ties
@ to even"; VCVTR saturates and turns NaN into 0. Knows neither activation bounds nor tails.
  .syntax unified
  .thumb

@ void wick_dsp_quantize8(const float* x, int8_t* out, uint32_t groups, int32_t zero_point, float inverse_scale)
@ r0 x | r1 out | r2 groups of 8, at least 1 | r3 zero_point | r4-r7 four values | s0 inverse_scale | s1-s8 eight values
  .section .text.wick_dsp_quantize8, "ax", %progbits
  .global wick_dsp_quantize8
  .type wick_dsp_quantize8, %function
  .balign 4
wick_dsp_quantize8:
  push {r4-r7}
1:
  vldm r0!, {s1-s8}
  .irp s, s1, s2, s3, s4, s5, s6, s7, s8
  vmul.f32 \s, \s, s0
  .endr
  .irp s, s1, s2, s3, s4, s5, s6, s7, s8
  vcvtr.s32.f32 \s, \s
  .endr
  .macro narrow4 a, b, c, d
  vmov r4, r5, \a, \b
  vmov r6, r7, \c, \d
  .irp r, r4, r5, r6, r7
  qadd \r, \r, r3
  ssat \r, #8, \r
  strb \r, [r1], #1
  .endr
  .endm
  narrow4 s1, s2, s3, s4
  narrow4 s5, s6, s7, s8
  subs r2, #1
  bne 1b
  pop {r4-r7}
  bx lr
  .size wick_dsp_quantize8, . - wick_dsp_quantize8
