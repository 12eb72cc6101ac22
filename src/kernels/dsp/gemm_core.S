@ INT8 matrix cores: two rows by four (two) pixels, both streams of int16 pairs (gemm.h). They know no tensors.
@ Armv7E-M or Armv8-M with the DSP extension and a single-precision FPU, whose s0-s7 hold what the fourteen core
@ registers cannot.
  .syntax unified
  .thumb

@ acc -> byte: r10 multiplier, r11 addend, r12 shift; lr is lost.
  .macro requantize acc
  add lr, r11, \acc, asr #31
  smmlar \acc, \acc, r10, lr
  asr \acc, \acc, r12
  ssat \acc, #8, \acc
  .endm

@ ------------------------------------------------------------------------------------ 2 rows x 4 pixels
@ r0 rows  r1 pixels  r2-r5 sums of row 0  r6-r9 sums of row 1  r10 r11 row pairs  r12 lr pixel pairs
@ s0 end of pixels  s1 entry of the first pass  s2 out  s3 out_step  s4 3 * out_step  s5 pixels
  .macro step_2x4
  ldrd r10, r11, [r0], #8
  ldrd r12, lr, [r1], #8
  smlad r2, r12, r10, r2
  smlad r6, r12, r11, r6
  smlad r3, lr, r10, r3
  smlad r7, lr, r11, r7
  ldrd r12, lr, [r1], #8
  smlad r4, r12, r10, r4
  smlad r8, r12, r11, r8
  smlad r5, lr, r10, r5
  smlad r9, lr, r11, r9
  .endm

@ The first step starts from the biases; the rest run through sixteen unrolled steps of 44 bytes, entered so that the
@ last pass ends with them.
  .macro gemm_2x4 name, sums
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
  .balign 4
\name:
  push {r4-r11, lr}
  ldrd r4, r5, [r3]
  add r6, r1, r4, lsl #4
  subs r4, #1
  negs r4, r4
  and r4, #15
  movs r7, #44
  mul r4, r4, r7
  adr.w r7, 2f
  add r7, r4
  orr r7, #1
  add r8, r5, r5, lsl #1
  vmov s0, s1, r6, r7
  vmov s2, s3, r2, r5
  vmov s4, s5, r8, r1
1:
  ldrd r5, r9, [r0], #8
  ldrd r10, r11, [r0], #8
  ldrd r12, lr, [r1], #8
  smlad r2, r12, r10, r5
  smlad r6, r12, r11, r9
  smlad r3, lr, r10, r5
  smlad r7, lr, r11, r9
  ldrd r12, lr, [r1], #8
  smlad r4, r12, r10, r5
  smlad r8, r12, r11, r9
  smlad r5, lr, r10, r5
  smlad r9, lr, r11, r9
  vmov r10, s1
  bx r10
  .balign 4
2:
  .rept 16
  step_2x4
  .endr
  vmov r10, s0
  cmp r1, r10
  bne.w 2b
  .if \sums
  vmov r10, r1, s2, s3
  stm r10!, {r2-r9}
  vmov s2, r10
  vmov r1, s5
  adds r0, #12
  ldm r0!, {r10, r11, r12}
  .else
  ldm r0!, {r10, r11, r12}
  requantize r2
  requantize r3
  requantize r4
  requantize r5
  ldm r0!, {r10, r11, r12}
  requantize r6
  requantize r7
  requantize r8
  requantize r9
  vmov r10, r11, s2, s3
  vmov lr, r1, s4, s5
  strb r2, [r10]
  strb r3, [r10, r11]
  strb r4, [r10, r11, lsl #1]
  strb r5, [r10, lr]
  ubfx r2, r12, #8, #1
  add r10, r2
  strb r6, [r10]
  strb r7, [r10, r11]
  strb r8, [r10, r11, lsl #1]
  strb r9, [r10, lr]
  add r10, #1
  vmov s2, r10
  .endif
  cmp r12, #0
  bge.w 1b
  pop {r4-r11, pc}
  .size \name, . - \name
  .endm

@ void wick_dsp_gemm_2x4(const int32_t *rows, const int32_t *pixels, int8_t *out, const GemmArgs *args)
  gemm_2x4 wick_dsp_gemm_2x4, 0
@ void wick_dsp_gemm_2x4_sums(const int32_t *rows, const int32_t *pixels, int32_t *sums, const GemmArgs *args)
  gemm_2x4 wick_dsp_gemm_2x4_sums, 1

@ ------------------------------------------------------------------------------------ 2 rows x 2 pixels
@ void wick_dsp_gemm_2x2(const int32_t *rows, const int32_t *pixels, int8_t *out, const GemmArgs *args)
@ r0 rows  r1 pixels  r2 r3 sums of row 0  r4 r5 sums of row 1  r6 r7 row pairs  r8 r9 pixel pairs
@ s0 end of pixels  s1 entry of the first pass  s2 out  s3 out_step  s5 pixels
  .macro step_2x2
  ldrd r6, r7, [r0], #8
  ldrd r8, r9, [r1], #8
  smlad r2, r8, r6, r2
  smlad r3, r9, r6, r3
  smlad r4, r8, r7, r4
  smlad r5, r9, r7, r5
  .endm
  .section .text.wick_dsp_gemm_2x2, "ax", %progbits
  .global wick_dsp_gemm_2x2
  .type wick_dsp_gemm_2x2, %function
  .balign 4
wick_dsp_gemm_2x2:
  push {r4-r11, lr}
  ldrd r4, r5, [r3]
  add r6, r1, r4, lsl #3
  negs r4, r4
  and r4, #7                     @ steps of 24 bytes to skip in the first of the passes of eight
  movs r7, #24
  adr.w r8, 2f
  mla r8, r4, r7, r8
  orr r8, #1
  vmov s0, s1, r6, r8
  vmov s2, s3, r2, r5
  vmov s5, r1
1:
  ldrd r2, r4, [r0], #8
  mov r3, r2
  mov r5, r4
  vmov r10, r11, s0, s1
  bx r11
  .balign 4
2:
  .rept 8
  step_2x2
  .endr
  cmp r1, r10
  bne.w 2b
  ldm r0!, {r10, r11, r12}
  requantize r2
  requantize r3
  ldm r0!, {r10, r11, r12}
  requantize r4
  requantize r5
  vmov r10, r11, s2, s3
  vmov r1, s5
  strb r2, [r10]
  strb r3, [r10, r11]
  ubfx r2, r12, #8, #1
  add r10, r2
  strb r4, [r10]
  strb r5, [r10, r11]
  add r10, #1
  vmov s2, r10
  cmp r12, #0
  bge 1b
  pop {r4-r11, pc}
  .size wick_dsp_gemm_2x2, . - wick_dsp_gemm_2x2
