@ FP32 sums of products in blocks of 4 x 4 outputs: lanes of two factors, a and b, over three nested loops of taps. Each
@ output has one fused accumulator and takes its taps in order, so that the result is the scalar fused loop's, bit for
@ bit. Knows no shapes: every step is in bytes.
@
@ TileArgs, by word: 0 a | 1 b | 2 bytes between lanes of a | 3 of b | 4 bytes between taps of a | 5 pairs of taps in the
@ inner loop | 6 odd tap (0 or 1) | 7 middle count | 8 outer count | 9 a, 10 b after an inner loop | 11 a, 12 b after a
@ middle loop | 13 bias or null | 14 bytes between biases along a | 15 along b | 16 out | 17 18 likewise
@ s0-s15 accumulators, s[4 * lane of a + lane of b] | s16-s23 a | s24-s31 b, two taps each
  .syntax unified
  .thumb
  .altmacro

  .macro tile_fma acc, a, b
  vfma.f32 s\acc, s\a, s\b
  .endm
  .macro tile_fma16 a0, a_step, b0  @ the lanes of b lie two registers apart
  .irp la, 0, 1, 2, 3
  .irp lb, 0, 1, 2, 3
  tile_fma %(4 * \la + \lb), %(\a0 + \a_step * \la), %(\b0 + 2 * \lb)
  .endr
  .endr
  .endm
  .macro tile_load acc
  vldr s\acc, [lr]
  .endm
  .macro tile_store acc
  vstr s\acc, [lr]
  .endm

@ r0 args -> accumulators = bias or 0; r1-r3, lr spare
  .macro tile_begin
  ldr r3, [r0, #52]
  ldrd r1, r2, [r0, #56]
  cbz r3, 1f
  .irp la, 0, 1, 2, 3
  mov lr, r3
  tile_load %(4 * \la)
  .irp lb, 1, 2, 3
  add lr, r2
  tile_load %(4 * \la + \lb)
  .endr
  .if \la < 3
  add r3, r1
  .endif
  .endr
  b 2f
1:
  vmov s0, s1, r3, r3
  vmov s2, s3, r3, r3
  vmov s4, s5, r3, r3
  vmov s6, s7, r3, r3
  vmov s8, s9, r3, r3
  vmov s10, s11, r3, r3
  vmov s12, s13, r3, r3
  vmov s14, s15, r3, r3
2:
  .endm

@ r11 args -> the outputs
  .macro tile_end
  ldr r12, [r11, #64]
  ldrd r1, r2, [r11, #68]
  .irp la, 0, 1, 2, 3
  mov lr, r12
  tile_store %(4 * \la)
  .irp lb, 1, 2, 3
  add lr, r2
  tile_store %(4 * \la + \lb)
  .endr
  .if \la < 3
  add r12, r1
  .endif
  .endr
  vpop {s16-s31}
  pop {r4-r11, pc}
  .endm

@ void wick_dsp_tile_f32(const TileArgs* args): taps of both factors follow each other.
@ r0-r3 lanes of a | r4-r7 lanes of b | r8 pairs left | r9 middle | r10 outer | r11 args | r12 lr spare
  .section .text.wick_dsp_tile_f32, "ax", %progbits
  .global wick_dsp_tile_f32
  .type wick_dsp_tile_f32, %function
  .balign 4
wick_dsp_tile_f32:
  push {r4-r11, lr}
  vpush {s16-s31}
  tile_begin
  mov r11, r0
  ldrd r0, r4, [r11]
  ldrd r12, lr, [r11, #8]
  add r1, r0, r12
  add r2, r1, r12
  add r3, r2, r12
  add r5, r4, lr
  add r6, r5, lr
  add r7, r6, lr
  ldr r10, [r11, #32]
3:
  ldr r9, [r11, #28]
4:
  ldrd r8, r12, [r11, #20]
  cmp r8, #0
  beq 6f
5:
  vldm r0!, {s16, s17}
  vldm r1!, {s18, s19}
  vldm r2!, {s20, s21}
  vldm r3!, {s22, s23}
  vldm r4!, {s24, s25}
  vldm r5!, {s26, s27}
  vldm r6!, {s28, s29}
  vldm r7!, {s30, s31}
  tile_fma16 16, 2, 24
  tile_fma16 17, 2, 25
  subs r8, #1
  bne.w 5b
6:
  cmp r12, #0
  beq 7f
  vldm r0!, {s16}
  vldm r1!, {s18}
  vldm r2!, {s20}
  vldm r3!, {s22}
  vldm r4!, {s24}
  vldm r5!, {s26}
  vldm r6!, {s28}
  vldm r7!, {s30}
  tile_fma16 16, 2, 24
7:
  .macro tile_advance
  .irp r, r0, r1, r2, r3
  add \r, r12
  .endr
  .irp r, r4, r5, r6, r7
  add \r, lr
  .endr
  .endm
  ldrd r12, lr, [r11, #36]
  tile_advance
  subs r9, #1
  bne.w 4b
  ldrd r12, lr, [r11, #44]
  tile_advance
  subs r10, #1
  bne.w 3b
  tile_end
  .size wick_dsp_tile_f32, . - wick_dsp_tile_f32

@ void wick_dsp_tile_f32_adjacent(const TileArgs* args): the lanes of a lie side by side, the taps of b do.
@ r0 a | r1 bytes between taps of a | r4-r7 lanes of b | the rest as above
  .section .text.wick_dsp_tile_f32_adjacent, "ax", %progbits
  .global wick_dsp_tile_f32_adjacent
  .type wick_dsp_tile_f32_adjacent, %function
  .balign 4
wick_dsp_tile_f32_adjacent:
  push {r4-r11, lr}
  vpush {s16-s31}
  tile_begin
  mov r11, r0
  ldrd r0, r4, [r11]
  ldrd lr, r1, [r11, #12]
  add r5, r4, lr
  add r6, r5, lr
  add r7, r6, lr
  ldr r10, [r11, #32]
3:
  ldr r9, [r11, #28]
4:
  ldrd r8, r12, [r11, #20]
  cmp r8, #0
  beq 6f
5:
  vldm r0, {s16-s19}
  add r0, r1
  vldm r0, {s20-s23}
  add r0, r1
  vldm r4!, {s24, s25}
  vldm r5!, {s26, s27}
  vldm r6!, {s28, s29}
  vldm r7!, {s30, s31}
  tile_fma16 16, 1, 24
  tile_fma16 20, 1, 25
  subs r8, #1
  bne.w 5b
6:
  cmp r12, #0
  beq 7f
  vldm r0, {s16-s19}
  add r0, r1
  vldm r4!, {s24}
  vldm r5!, {s26}
  vldm r6!, {s28}
  vldm r7!, {s30}
  tile_fma16 16, 1, 24
7:
  .macro tile_advance_adjacent
  add r0, r12
  .irp r, r4, r5, r6, r7
  add \r, lr
  .endr
  .endm
  ldrd r12, lr, [r11, #36]
  tile_advance_adjacent
  subs r9, #1
  bne.w 4b
  ldrd r12, lr, [r11, #44]
  tile_advance_adjacent
  subs r10, #1
  bne.w 3b
  tile_end
  .size wick_dsp_tile_f32_adjacent, . - wick_dsp_tile_f32_adjacent
