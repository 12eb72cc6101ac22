@ Exact integer Winograd F(2x2, 3x3): a tile of 2x2 outputs from 4x4 inputs by 16 products instead of 36.
@ Armv7E-M or Armv8-M with the DSP extension and a single-precision FPU.
@
@   inputs   V = B'dB     B' = (1 0 -1 0)(0 1 1 0)(0 -1 1 0)(0 1 0 -1)      |v| <= 1020, input offset included
@   weights  U = HgH'     H  = (2 0 0)(1 1 1)(1 -1 1)(0 0 2)               |u| <= 1152
@   outputs  A'(U*V)A     A' = (1 1 1 0)(0 1 -1 -1)                         4 times the convolution, exactly
@
@ Four tiles side by side, eight outputs wide. A step is a pair of channels, (0, 2) or (1, 3) of a word.
@   V: [step][16 positions][4 tiles] pairs
@   U: per pair of rows [step][16 positions][2 rows] pairs, then per row: bias2, multiplier, addend, shift (flags above)
  .syntax unified
  .thumb

@ ------------------------------------------------------------------------------------ products and outputs
@ void wick_dsp_winograd_tiles(const int32_t *u, const int32_t *v, int8_t *out, const WinogradArgs *args)
@ r0 U  r1 V  r2-r5 products of row 0  r6-r9 of row 1  r10 r11 pairs of U  r12 lr pairs of V
@ s0 end of V's first position  s1 entry of the first pass  s2 s3 back to the next position in U, V  s4 products  s5 their end
@ s6 out_step  s7 row_bytes  s8 out  s9 pairs of rows left  s10 first product  s11 V  s12 constants
  .macro step op
  ldrd r10, r11, [r0], #128
  ldrd r12, lr, [r1], #8
  .ifc \op, smuad
  smuad r2, r12, r10
  smuad r6, r12, r11
  smuad r3, lr, r10
  smuad r7, lr, r11
  ldrd r12, lr, [r1], #248
  smuad r4, r12, r10
  smuad r8, r12, r11
  smuad r5, lr, r10
  smuad r9, lr, r11
  .else
  smlad r2, r12, r10, r2
  smlad r6, r12, r11, r6
  smlad r3, lr, r10, r3
  smlad r7, lr, r11, r7
  ldrd r12, lr, [r1], #248
  smlad r4, r12, r10, r4
  smlad r8, r12, r11, r8
  smlad r5, lr, r10, r5
  smlad r9, lr, r11, r9
  .endif
  .endm

  .macro load_4 offset
  ldr r5, [r0, #(\offset)]
  ldr r6, [r0, #(\offset + 32)]
  ldr r7, [r0, #(\offset + 64)]
  ldr r8, [r0, #(\offset + 96)]
  .endm
  .macro finish y               @ 4 * sum -> byte: r9 bias2  r10 multiplier  r11 addend  r12 shift
  add \y, r9, \y, asr #1
  add r5, r11, \y, asr #31
  smmlar \y, \y, r10, r5
  asr \y, \y, r12
  ssat \y, #8, \y
  .endm
@ Sixteen products of one row and one tile -> 2x2 outputs at lr. r1 r3 / r2 r4: left and right, above and below.
  .macro tile offset
  load_4 \offset
  add r1, r5, r6
  add r1, r1, r7
  sub r3, r6, r7
  sub r3, r3, r8
  load_4 (\offset + 128)
  add r2, r5, r6
  add r2, r2, r7
  sub r4, r6, r7
  sub r4, r4, r8
  add r1, r1, r2
  add r3, r3, r4
  load_4 (\offset + 256)
  add r5, r5, r6
  add r5, r5, r7
  sub r6, r6, r7
  sub r6, r6, r8
  add r1, r1, r5
  sub r2, r2, r5
  add r3, r3, r6
  sub r4, r4, r6
  load_4 (\offset + 384)
  add r5, r5, r6
  add r5, r5, r7
  sub r6, r6, r7
  sub r6, r6, r8
  sub r2, r2, r5
  sub r4, r4, r6
  finish r1
  finish r2
  finish r3
  finish r4
  vmov r5, r6, s6, s7
  add r7, lr, r6
  strb r1, [lr]
  strb r3, [lr, r5]
  strb r2, [r7]
  strb r4, [r7, r5]
  add lr, lr, r5, lsl #1
  .endm

  .section .text.wick_dsp_winograd_tiles, "ax", %progbits
  .global wick_dsp_winograd_tiles
  .type wick_dsp_winograd_tiles, %function
  .balign 4
wick_dsp_winograd_tiles:
  push {r4-r11, lr}
  ldm r3, {r4-r8}               @ steps, pairs of rows, out_step, row_bytes, products
  vmov s6, s7, r6, r7
  vmov s8, s9, r2, r5
  vmov s10, s11, r8, r1
  add r8, #512
  vmov s5, r8
  lsl r5, r4, #7
  add r6, r1, r5, lsl #1
  vmov s0, r6
  sub r6, r5, #8
  lsl r7, r6, #1
  vmov s2, s3, r6, r7
  subs r4, #1
  negs r4, r4
  and r4, #15
  movs r6, #44
  adr.w r7, 3f
  mla r4, r4, r6, r7
  orr r4, #1
  vmov s1, r4
1:
  vmov r10, r1, s10, s11
  vmov s4, r10
2:
  step smuad
  vmov r10, s1
  bx r10
  .balign 4
3:
  .rept 16
  step smlad
  .endr
  vmov r10, s0
  cmp r1, r10
  blo.w 3b
  vmov r10, r11, s4, s5
  stm r10!, {r2-r9}
  vmov s4, r10
  vmov r2, r3, s2, s3
  subs r0, r0, r2
  subs r1, r1, r3
  cmp r10, r11
  bne.w 2b
  add r0, r2                    @ U stands 128 bytes behind its start: on to the constants
  subs r0, #120
  vmov s12, r0
  vmov r0, s10
4:
  vmov lr, s8
  vmov r1, s12
  ldm r1!, {r9-r12}
  vmov s12, r1
  ubfx r2, r12, #8, #1
  add r2, lr
  vmov s8, r2
  tile 0
  tile 4
  tile 8
  tile 12
  adds r0, #16
  tst r12, #0x200
  bne.w 4b
  vmov r0, s12
  vmov r10, s9
  subs r10, #1
  vmov s9, r10
  bne.w 1b
  pop {r4-r11, pc}
  .size wick_dsp_winograd_tiles, . - wick_dsp_winograd_tiles

@ ------------------------------------------------------------------------------------ inputs
@ void wick_dsp_winograd_inputs(int32_t *v, const int8_t *x, const WinogradLines *lines, int32_t *columns)
@ Four tiles: ten columns of four lines, all channels. `columns`: 320 bytes.
@ r0-r3 lines  r4-r7 words  r8-r11 lr pairs  r12 columns
@ s0 s1 lines 2, 3 meanwhile  s2 offset of the column  s3 bytes of a pixel  s4 V  s5 words left  s6 end of the columns
@ s7 four times the input offset, twice: position (1, 1) is a sum of four inputs, in all others it cancels
  .macro down_column ror:vararg
  sxtb16 r8, r4 \ror
  sxtb16 r9, r5 \ror
  sxtb16 r10, r6 \ror
  sxtb16 r11, r7 \ror
  ssub16 lr, r10, r9
  ssub16 r8, r8, r10
  ssub16 r11, r9, r11
  sadd16 r9, r9, r10
  stm r12!, {r8, r9, r11, lr}   @ rows 0, 1, 3, 2
  .endm
@ Two rows of V (the first and second word of a column's pair) of tile t, at positions 4 * rowa and 4 * rowb.
  .macro across_tile t, half, part, rowa, rowb
  ldrd r4, r5, [r12, #(((2 * \t + 0) * 2 + \half) * 16 + \part * 8)]
  ldrd r6, r7, [r12, #(((2 * \t + 1) * 2 + \half) * 16 + \part * 8)]
  ldrd r8, r9, [r12, #(((2 * \t + 2) * 2 + \half) * 16 + \part * 8)]
  ldrd r10, r11, [r12, #(((2 * \t + 3) * 2 + \half) * 16 + \part * 8)]
  across_row \half, \t, \rowa, r4, r6, r8, r10
  across_row \half, \t, \rowb, r5, r7, r9, r11
  .endm
  .macro across_row half, t, row, a, b, c, d
  ssub16 \a, \a, \c
  ssub16 \d, \b, \d
  sadd16 lr, \b, \c
  ssub16 \c, \c, \b
  .if \row == 1
  sadd16 lr, lr, r3
  .endif
  str \a, [r2, #(\half * 256 + (4 * \row + 0) * 16 + \t * 4)]
  str lr, [r2, #(\half * 256 + (4 * \row + 1) * 16 + \t * 4)]
  str \c, [r2, #(\half * 256 + (4 * \row + 2) * 16 + \t * 4)]
  str \d, [r2, #(\half * 256 + (4 * \row + 3) * 16 + \t * 4)]
  .endm

  .section .text.wick_dsp_winograd_inputs, "ax", %progbits
  .global wick_dsp_winograd_inputs
  .type wick_dsp_winograd_inputs, %function
wick_dsp_winograd_inputs:
  push {r4-r11, lr}
  ldm r2, {r4, r5, r6, r7}      @ bytes of a line, of a pixel, words of a pixel, offsets
  mov r12, r3
  vmov s3, s4, r5, r0
  add r0, r3, #320
  vmov s5, s6, r6, r0
  vmov s7, r7
  mov r0, r1
  add r1, r0, r4
  add r2, r1, r4
  add r3, r2, r4
1:
  movs r4, #0
  vmov s2, r4
2:
  vmov r8, r9, s2, s3
  ldr r4, [r0, r8]
  ldr r5, [r1, r8]
  ldr r6, [r2, r8]
  ldr r7, [r3, r8]
  add r8, r9
  vmov s2, r8
  down_column
  down_column , ror #8
  vmov r8, s6
  cmp r12, r8
  bne 2b
  sub r12, #320
  vmov s0, s1, r2, r3
  vmov r2, s4
  vmov r3, s7
  .irp t, 0, 1, 2, 3
  across_tile \t, 0, 0, 0, 1
  across_tile \t, 0, 1, 3, 2
  across_tile \t, 1, 0, 0, 1
  across_tile \t, 1, 1, 3, 2
  .endr
  add r2, #512
  vmov s4, r2
  vmov r2, r3, s0, s1
  adds r0, #4
  adds r1, #4
  adds r2, #4
  adds r3, #4
  vmov r4, s5
  subs r4, #1
  vmov s5, r4
  bne.w 1b
  pop {r4-r11, pc}
  .size wick_dsp_winograd_inputs, . - wick_dsp_winograd_inputs

@ ------------------------------------------------------------------------------------ weights
@ void wick_dsp_winograd_weights(int32_t *u, const int8_t *w, int32_t channels)
@ One row [3][3][channels] into its column of a pair's U (u + 1 for the second row). channels: a multiple of 4.
@ r0 U  r1 w  r2-r12 lr: three kernel columns a, b, d and a scratch register each. The stack holds k * channels, k < 9.
  .macro load_tap r, k
  ldr lr, [sp, #(4 * \k)]
  ldr \r, [r1, lr]
  .endm
  .macro widen half, r
  .if \half
  sxtb16 \r, \r, ror #8
  .else
  sxtb16 \r, \r
  .endif
  .endm
  .macro down_taps half, a, b, d, s
  widen \half, \a
  widen \half, \b
  widen \half, \d
  sadd16 \s, \a, \d
  sadd16 \a, \a, \a             @ row 0
  sadd16 \d, \d, \d             @ row 3
  sadd16 \s, \s, \b             @ row 1
  sadd16 \b, \b, \b
  ssub16 \b, \s, \b             @ row 2
  .endm
  .macro across_taps row, half, a, b, d
  sadd16 r1, \a, \d
  sadd16 \a, \a, \a
  sadd16 \d, \d, \d
  str \a, [r0, #(\half * 128 + (4 * \row + 0) * 8)]
  str \d, [r0, #(\half * 128 + (4 * \row + 3) * 8)]
  sadd16 \a, r1, \b
  ssub16 \d, r1, \b
  str \a, [r0, #(\half * 128 + (4 * \row + 1) * 8)]
  str \d, [r0, #(\half * 128 + (4 * \row + 2) * 8)]
  .endm
  .macro half_word half
  load_tap r2, 0
  load_tap r3, 3
  load_tap r4, 6
  load_tap r6, 1
  load_tap r7, 4
  load_tap r8, 7
  load_tap r10, 2
  load_tap r11, 5
  load_tap r12, 8
  down_taps \half, r2, r3, r4, r5
  down_taps \half, r6, r7, r8, r9
  down_taps \half, r10, r11, r12, lr
  vmov s0, r1
  across_taps 0, \half, r2, r6, r10
  across_taps 1, \half, r5, r9, lr
  across_taps 2, \half, r3, r7, r11
  across_taps 3, \half, r4, r8, r12
  vmov r1, s0
  .endm

  .section .text.wick_dsp_winograd_weights, "ax", %progbits
  .global wick_dsp_winograd_weights
  .type wick_dsp_winograd_weights, %function
wick_dsp_winograd_weights:
  push {r4-r11, lr}
  sub sp, #36
  movs r3, #0
  mov r4, sp
  movs r5, #9
1:
  str r3, [r4], #4
  add r3, r2
  subs r5, #1
  bne 1b
  lsrs r2, #2
  vmov s1, r2
2:
  half_word 0
  half_word 1
  add r0, #256
  adds r1, #4
  vmov r2, s1
  subs r2, #1
  vmov s1, r2
  bne.w 2b
  add sp, #36
  pop {r4-r11, pc}
  .size wick_dsp_winograd_weights, . - wick_dsp_winograd_weights
