@ Depthwise 3x3 on lines held as planes of pairs, four channels a call.
@
@ Plane of one channel: for each pair j of a padded line, three words: columns (2j, 2j+1) of ring slots 0, 1, 2, as int16
@ halves. One LDM brings a column pair of the whole window. Planes of the four channels follow each other.
@ Constants of one channel, 14 words: W01 of kernel rows 0 1 2 0 1 | W12 of kernel rows 0 1 2 0 1 | bias2 m hc e, with
@ W01 = (2 w0, 2 w1), W12 = (2 w1, 2 w2). Doubled weights make the accumulator 2 * acc, which is what SMMLAR wants:
@ it adds hc = 2^(e-1) + (output_offset << e) on the way, minus 1 for a negative acc; ASR e and SSAT do the rest.
@ Knows neither image borders nor activation bounds.
  .syntax unified
  .thumb

@ void wick_dsp_dw3_line_s1(const void* planes, const void* constants, int8_t* out, const int32_t args[4])
@ One output line at stride 1. args: bytes between outputs, pairs of outputs, odd output left over (0 or 1),
@ 4 * the kernel row that slot 0 holds. A plane has pairs + odd + 1 pairs.
@ r0 plane | r1 out | r2 r3 two accumulators | r4 r5 r6 W01 | r7 r8 r9 W12 | r10 r11 r12 column pair, spare | lr bias2
@ s0 m | s1 hc | s2 e | s3 bytes between outputs | s4 end of pairs | s5 entry | s6 bytes of pairs | s7 odd
@ s9 4 * kernel row | s10 constants | s11 out of the next channel | s12 channels left
  .section .text.wick_dsp_dw3_line_s1, "ax", %progbits
  .macro dw3_two_outputs          @ 27 instructions of 4 bytes: the loop is entered in the middle
  ldm.w r0!, {r10, r11, r12}
  smlad r2, r10, r4, lr
  smlatb r3, r10, r4, lr
  smlad r2, r11, r5, r2
  smlatb r3, r11, r5, r3
  smlad r2, r12, r6, r2
  smlatb r3, r12, r6, r3
  ldm.w r0, {r10, r11, r12}
  smlabt r2, r10, r7, r2
  smlad r3, r10, r7, r3
  smlabt r2, r11, r8, r2
  smlad r3, r11, r8, r3
  smlabt r2, r12, r9, r2
  smlad r3, r12, r9, r3
  vmov r10, r11, s0, s1
  add.w r12, r11, r2, asr #31
  smmlar r2, r2, r10, r12
  add.w r12, r11, r3, asr #31
  smmlar r3, r3, r10, r12
  vmov r10, r11, s2, s3
  asr.w r2, r2, r10
  asr.w r3, r3, r10
  ssat r2, #8, r2
  ssat r3, #8, r3
  strb.w r2, [r1]
  strb.w r3, [r1, r11]
  add.w r1, r1, r11, lsl #1
  .endm
  .macro dw3_load_channel         @ constants of the next channel; r0 unchanged
  vmov r2, r3, s9, s10
  vmov r1, s11
  adds r2, r2, r3
  ldm r2, {r4, r5, r6}
  adds r2, #20
  ldm r2, {r7, r8, r9}
  ldr lr, [r3, #40]
  adds r3, #44
  vldm r3!, {s0, s1, s2}
  adds r2, r1, #1
  vmov s10, s11, r3, r2
  .endm
  .macro dw3_next_channel again
  vmov r10, s12
  subs r10, #1
  vmov s12, r10
  bne.w \again
  pop {r4-r11, pc}
  .endm
  .global wick_dsp_dw3_line_s1
  .type wick_dsp_dw3_line_s1, %function
  .balign 4
wick_dsp_dw3_line_s1:
  push {r4-r11, lr}
  ldm r3, {r4-r7}
  vmov s3, r4
  vmov s7, r6
  vmov s9, r7
  add r9, r5, r5, lsl #1
  lsls r9, r9, #2
  vmov s6, r9
  adr r8, 2f
  mov r9, #(27 * 4)
  negs r5, r5
  and r5, r5, #3
  mla r8, r5, r9, r8
  it eq                           @ no pairs at all
  adreq r8, 3f
  orr r8, #1
  vmov s5, r8
  movs r8, #4
  vmov s12, r8
  vmov s10, s11, r1, r2
1:
  dw3_load_channel
  vmov r2, s6
  adds r2, r0, r2
  vmov s4, r2
  vmov r2, s5
  bx r2
  .balign 4
2:
  .rept 4
  dw3_two_outputs
  .endr
  vmov r10, s4
  cmp r0, r10
  bne.w 2b
3:
  vmov r10, s7
  cmp r10, #0
  beq 4f
  ldm r0!, {r10, r11, r12}
  smlad r2, r10, r4, lr
  smlad r2, r11, r5, r2
  smlad r2, r12, r6, r2
  ldm.w r0, {r10, r11, r12}
  smlabt r2, r10, r7, r2
  smlabt r2, r11, r8, r2
  smlabt r2, r12, r9, r2
  vmov r10, r11, s0, s1
  add r12, r11, r2, asr #31
  smmlar r2, r2, r10, r12
  vmov r10, s2
  asr.w r2, r2, r10
  ssat r2, #8, r2
  strb.w r2, [r1]
4:
  add r0, #12                     @ past the last pair: the next channel's plane
  dw3_next_channel 1b
  .size wick_dsp_dw3_line_s1, . - wick_dsp_dw3_line_s1

@ void wick_dsp_dw3_line_s2(const void* planes, const void* constants, int8_t* out, const int32_t args[4])
@ The same at stride 2: output j takes pairs j and j + 1. A plane has 2 * pairs + odd + 1 pairs. Registers as above;
@ r2 and r3 take turns as the sum that ends and the one that begins.
  .section .text.wick_dsp_dw3_line_s2, "ax", %progbits
  .macro dw3_column_pair old, new
  ldm.w r0!, {r10, r11, r12}
  smlabt \old, r10, r7, \old
  smlabt \old, r11, r8, \old
  smlabt \old, r12, r9, \old
  smlad \new, r10, r4, lr
  smlad \new, r11, r5, \new
  smlad \new, r12, r6, \new
  .endm
  .macro dw3_finish a
  vmov r10, r11, s0, s1
  add.w r12, r11, \a, asr #31
  smmlar \a, \a, r10, r12
  vmov r10, r11, s2, s3
  asr.w \a, \a, r10
  ssat \a, #8, \a
  strb.w \a, [r1]
  add.w r1, r1, r11
  .endm
  .global wick_dsp_dw3_line_s2
  .type wick_dsp_dw3_line_s2, %function
  .balign 4
wick_dsp_dw3_line_s2:
  push {r4-r11, lr}
  ldm r3, {r4-r7}
  vmov s3, r4
  vmov s7, r6
  vmov s9, r7
  add r9, r5, r5, lsl #1
  lsls r9, r9, #3
  vmov s6, r9
  adr r8, 2f
  mov r9, #(30 * 4)
  negs r5, r5
  and r5, r5, #3
  mla r8, r5, r9, r8
  it eq
  adreq r8, 3f
  orr r8, #1
  vmov s5, r8
  movs r8, #4
  vmov s12, r8
  vmov s10, s11, r1, r2
1:
  dw3_load_channel
  ldm r0!, {r10, r11, r12}
  smlad r2, r10, r4, lr
  smlad r2, r11, r5, r2
  smlad r2, r12, r6, r2
  vmov r10, r11, s5, s6
  add r11, r0
  vmov s4, r11
  bx r10
  .balign 4
2:
  .rept 4                         @ 30 instructions of 4 bytes
  dw3_column_pair r2, r3
  dw3_finish r2
  dw3_column_pair r3, r2
  dw3_finish r3
  .endr
  vmov r10, s4
  cmp r0, r10
  bne.w 2b
3:
  vmov r10, s7
  cmp r10, #0
  beq 4f
  dw3_column_pair r2, r3
  dw3_finish r2
4:
  dw3_next_channel 1b
  .size wick_dsp_dw3_line_s2, . - wick_dsp_dw3_line_s2

@ void wick_dsp_dw3_fill(int32_t* slot, const int8_t* x, ptrdiff_t pixel_bytes, const int32_t args[5])
@ Brings one input line of four channels into a ring slot. args: plane bytes, pixels that pair up whole, 1 when the
@ line starts with a padding column, 1 when one pixel is left at the end, padding byte four times.
@ r0 slot | r1 x | r2 pixel bytes | r3 left over | r4 earlier pixel | r5 later pixel | r6 r7 spare | r8 r9 planes 1, 3
@ r10 pairs | r11 padding column first | r12 padding
  .section .text.wick_dsp_dw3_fill, "ax", %progbits
  .macro dw3_split                @ shift first, expand after: six instructions for two pixels of four channels
  pkhbt r6, r4, r5, lsl #16
  pkhtb r7, r5, r4, asr #16
  sxtb16 r4, r6
  sxtb16 r6, r6, ror #8
  sxtb16 r5, r7
  sxtb16 r7, r7, ror #8
  str r6, [r0, r8]
  str r5, [r0, r8, lsl #1]
  str r7, [r0, r9]
  str r4, [r0], #12
  .endm
  .macro dw3_two_pixels
  ldr r4, [r1]
  ldr r5, [r1, r2]
  add r1, r1, r2, lsl #1
  dw3_split
  .endm
  .global wick_dsp_dw3_fill
  .type wick_dsp_dw3_fill, %function
wick_dsp_dw3_fill:
  push {r4-r11, lr}
  ldm r3, {r8, r10, r11}
  ldrd r3, r12, [r3, #12]
  add r9, r8, r8, lsl #1
  cmp r11, #0
  beq 2f
  mov r4, r12
  ldr r5, [r1]
  add r1, r2
  dw3_split
2:
  lsrs r10, #1
  bcc 3f
  dw3_two_pixels
3:
  cmp r10, #0
  beq 5f
4:
  dw3_two_pixels
  dw3_two_pixels
  subs r10, #1
  bne 4b
5:
  cmp r3, #0
  beq 6f
  ldr r4, [r1]
  mov r5, r12
  dw3_split
6:
  pop {r4-r11, pc}
  .size wick_dsp_dw3_fill, . - wick_dsp_dw3_fill

@ void wick_dsp_dw3_weights(int32_t* constants, const int8_t* w, ptrdiff_t tap_bytes, ptrdiff_t row_bytes)
@ The weight words of four channels; tap_bytes lie between taps along the line, row_bytes between lines.
@ r0 constants | r1 w | r2 tap_bytes | r3 row_bytes | r4 r5 r12 three taps | r6 r7 spare | r8 r9 r10 r11 channels 0 2 1 3
  .section .text.wick_dsp_dw3_weights, "ax", %progbits
  .macro dw3_store4 word
  str r8, [r0, #(4 * (\word))]
  str r10, [r0, #(4 * (\word) + 56)]
  str r9, [r0, #(4 * (\word) + 112)]
  str r11, [r0, #(4 * (\word) + 168)]
  .endm
  .macro dw3_doubled_pairs a, b
  pkhbt r6, \a, \b, lsl #16
  pkhtb r7, \b, \a, asr #16
  sxtb16 r8, r6
  sxtab16 r8, r8, r6
  sxtb16 r10, r6, ror #8
  sxtab16 r10, r10, r6, ror #8
  sxtb16 r9, r7
  sxtab16 r9, r9, r7
  sxtb16 r11, r7, ror #8
  sxtab16 r11, r11, r7, ror #8
  .endm
  .macro dw3_weight_row row, repeated
  ldr r4, [r1]
  ldr r5, [r1, r2]
  ldr r12, [r1, r2, lsl #1]
  add r1, r3
  dw3_doubled_pairs r4, r5
  dw3_store4 \row
  .if \repeated
  dw3_store4 \row + 3
  .endif
  dw3_doubled_pairs r5, r12
  dw3_store4 \row + 5
  .if \repeated
  dw3_store4 \row + 8
  .endif
  .endm
  .global wick_dsp_dw3_weights
  .type wick_dsp_dw3_weights, %function
wick_dsp_dw3_weights:
  push {r4-r11}
  dw3_weight_row 0, 1
  dw3_weight_row 1, 1
  dw3_weight_row 2, 0
  pop {r4-r11}
  bx lr
  .size wick_dsp_dw3_weights, . - wick_dsp_dw3_weights
