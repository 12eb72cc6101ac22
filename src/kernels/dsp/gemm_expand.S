@ int8 -> int16 pairs for the matrix cores (gemm.h): windows of pixels, to whose values the input offset is added on the
@ way, and rows of weights. Armv7E-M or Armv8-M with DSP.
@ Bytes are read by LDR and LDRH, which may be unaligned; streams are word-aligned.
  .syntax unified
  .thumb

@ ------------------------------------------------------------------------------------ four windows
@ int32_t *wick_dsp_expand_4(int32_t *pixels, const int8_t *const *windows, const Window *window)
@ r0 stream  r1 r2 r3 r12 windows  r4-r7 bytes  r8-r11 pairs  lr offsets
@ s0 rows left  s1 gap  s2 stream bytes of a row's words  s3 tail of two bytes  s4 end of these words in the stream
  .macro load_word_4
  ldr r4, [r1], #4
  ldr r5, [r2], #4
  ldr r6, [r3], #4
  ldr r7, [r12], #4
  .endm
  .macro store_even_4 offsets
  sxtab16 r8, \offsets, r4
  sxtab16 r9, \offsets, r5
  sxtab16 r10, \offsets, r6
  sxtab16 r11, \offsets, r7
  stm r0!, {r8-r11}
  .endm
  .macro store_odd_4 offsets
  sxtab16 r4, \offsets, r4, ror #8
  sxtab16 r5, \offsets, r5, ror #8
  sxtab16 r6, \offsets, r6, ror #8
  sxtab16 r7, \offsets, r7, ror #8
  stm r0!, {r4-r7}
  .endm
  .macro load_half r, p, offsets
  ldrh \r, [\p]
  pkhbt \r, \r, \r, lsl #8      @ bytes 0 and 1 into the low bytes of both halves
  sxtab16 \r, \offsets, \r
  .endm

  .section .text.wick_dsp_expand_4, "ax", %progbits
  .global wick_dsp_expand_4
  .type wick_dsp_expand_4, %function
wick_dsp_expand_4:
  push {r4-r11, lr}
  ldm r2, {r4-r8}
  ldm r1, {r1, r2, r3, r12}
  eor r9, r4, #1
  orrs r9, r5
  beq 6f
  lsls r4, #5
  lsrs r5, #1
  vmov s0, s1, r6, r7
  vmov s2, s3, r4, r5
  mov lr, r8
1:
  vmov r4, s2
  cbz r4, 3f
  add r5, r0, r4
  vmov s4, r5
  lsls r4, #26
  bmi 8f                        @ an odd number starts in the middle
2:
  load_word_4
  store_even_4 lr
  store_odd_4 lr
8:
  load_word_4
  store_even_4 lr
  store_odd_4 lr
  vmov r4, s4
  cmp r0, r4
  bne 2b
3:
  vmov r4, s3
  cbz r4, 4f
  load_half r4, r1, lr
  load_half r5, r2, lr
  load_half r6, r3, lr
  load_half r7, r12, lr
  stm r0!, {r4-r7}
4:
  vmov r4, r5, s0, s1
  subs r4, #1
  beq 5f
  vmov s0, r4
  add r1, r5
  add r2, r5
  add r3, r5
  add r12, r5
  b 1b
5:
  pop {r4-r11, pc}

@ One word a row: the windows stay, lr walks. s0 last row  s1 offsets  s2 from row to row
6:
  adds r7, #4
  subs r6, #1
  mul r6, r6, r7
  vmov s0, s1, r6, r8
  vmov s2, r7
  mov lr, #0
7:
  ldr r4, [r1, lr]
  ldr r5, [r2, lr]
  ldr r6, [r3, lr]
  ldr r7, [r12, lr]
  vmov r10, r11, s0, s1
  cmp lr, r10                   @ no instruction from here to the branch sets flags
  store_even_4 r11
  vmov r8, r9, s1, s2
  store_odd_4 r8
  add lr, r9
  bne 7b
  pop {r4-r11, pc}
  .size wick_dsp_expand_4, . - wick_dsp_expand_4

@ void wick_dsp_expand_tails_4(int32_t *pixels, const int8_t *const *windows, const Window *window)
@ The single bytes that two rows each leave over. r0 stream  r1 r2 r3 r12 windows  r4-r7 r8-r11 bytes  lr walks
@ s0 rows left  s1 from row to row  s2 offsets
  .macro load_byte_4 a, b, c, d
  ldrsb \a, [r1, lr]
  ldrsb \b, [r2, lr]
  ldrsb \c, [r3, lr]
  ldrsb \d, [r12, lr]
  .endm
  .section .text.wick_dsp_expand_tails_4, "ax", %progbits
  .global wick_dsp_expand_tails_4
  .type wick_dsp_expand_tails_4, %function
wick_dsp_expand_tails_4:
  push {r4-r11, lr}
  ldm r2, {r4-r8}
  lsl lr, r4, #2
  add r7, lr
  vmov s0, s1, r6, r7
  vmov s2, r8
  ldm r1, {r1, r2, r3, r12}
1:
  load_byte_4 r4, r5, r6, r7
  vmov r8, r9, s0, s1
  add lr, r9
  subs r8, #1
  beq 2f
  vmov s0, r8
  load_byte_4 r8, r9, r10, r11
  pkhbt r4, r4, r8, lsl #16
  pkhbt r5, r5, r9, lsl #16
  pkhbt r6, r6, r10, lsl #16
  pkhbt r7, r7, r11, lsl #16
2:
  vmov r8, r9, s1, s2
  sadd16 r4, r4, r9
  sadd16 r5, r5, r9
  sadd16 r6, r6, r9
  sadd16 r7, r7, r9
  stm r0!, {r4-r7}
  add lr, r8
  vmov r8, s0
  subs r8, #1
  vmov s0, r8
  bgt 1b
  pop {r4-r11, pc}
  .size wick_dsp_expand_tails_4, . - wick_dsp_expand_tails_4

@ ------------------------------------------------------------------------------------ two windows
@ int32_t *wick_dsp_expand_2(int32_t *pixels, const int8_t *const *windows, const Window *window)
@ r0 stream  r1 r2 windows  r3 offsets  r4 words  r5 tail  r6 rows left  r7 gap  r8-r11 bytes and pairs  r12 words left
@ lr windows  s0 rows
  .section .text.wick_dsp_expand_2, "ax", %progbits
  .global wick_dsp_expand_2
  .type wick_dsp_expand_2, %function
wick_dsp_expand_2:
  push {r4-r11, lr}
  mov lr, r1
  ldm r2, {r4-r8}
  mov r3, r8
  vmov s0, r6
  ldrd r1, r2, [lr]
1:
  movs r12, r4
  beq 3f
2:
  ldr r10, [r1], #4
  ldr r11, [r2], #4
  sxtab16 r8, r3, r10
  sxtab16 r9, r3, r11
  sxtab16 r10, r3, r10, ror #8
  sxtab16 r11, r3, r11, ror #8
  stm r0!, {r8-r11}
  subs r12, #1
  bne 2b
3:
  cmp r5, #2
  bne 4f
  load_half r8, r1, r3
  load_half r9, r2, r3
  stm r0!, {r8, r9}
4:
  add r1, r7
  add r2, r7
  subs r6, #1
  bne 1b
  cmp r5, #1
  bne 7f
  ldrd r1, r2, [lr]
  vmov r6, s0
  add r1, r1, r4, lsl #2
  add r2, r2, r4, lsl #2
  add r7, r7, r4, lsl #2        @ from row to row
5:
  ldrsb r8, [r1]
  ldrsb r9, [r2]
  add r1, r7
  add r2, r7
  subs r6, #1
  beq 6f
  ldrsb r10, [r1]
  ldrsb r11, [r2]
  pkhbt r8, r8, r10, lsl #16
  pkhbt r9, r9, r11, lsl #16
  add r1, r7
  add r2, r7
6:
  sadd16 r8, r8, r3
  sadd16 r9, r9, r3
  stm r0!, {r8, r9}
  subs r6, #1
  bgt 5b
7:
  pop {r4-r11, pc}
  .size wick_dsp_expand_2, . - wick_dsp_expand_2

@ ------------------------------------------------------------------------------------ two rows of weights
@ int32_t *wick_dsp_expand_rows(int32_t *stream, const int8_t *row0, const int8_t *row1, int32_t words)
@ r0 stream  r1 r2 rows  r3 words left  r4 r5 bytes  r6 r7 r8 r12 pairs
  .macro expand_rows name, doubled
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
\name:
  push {r4-r8, lr}
  cbz r3, 2f
1:
  ldr r4, [r1], #4
  ldr r5, [r2], #4
  sxtb16 r6, r4
  sxtb16 r7, r5
  sxtb16 r8, r4, ror #8
  sxtb16 r12, r5, ror #8
  .if \doubled
  sxtab16 r6, r6, r4
  sxtab16 r7, r7, r5
  sxtab16 r8, r8, r4, ror #8
  sxtab16 r12, r12, r5, ror #8
  .endif
  stm r0!, {r6, r7, r8, r12}
  subs r3, #1
  bne 1b
2:
  pop {r4-r8, pc}
  .size \name, . - \name
  .endm
  expand_rows wick_dsp_expand_rows, 0
@ the same with doubled values
  expand_rows wick_dsp_expand_rows_doubled, 1

@ ------------------------------------------------------------------------------------ two columns of weights
@ void wick_dsp_expand_columns_doubled(int32_t *stream, const int8_t *w, int32_t step, int32_t words)
@ Two rows whose bytes lie beside each other, from one depth to the next `step` bytes apart.
@ r0 stream  r1 w  r2 step  r3 words left  r12 3 * step  r4-r7 bytes of four depths  r8-r11 pairs
  .section .text.wick_dsp_expand_columns_doubled, "ax", %progbits
  .global wick_dsp_expand_columns_doubled
  .type wick_dsp_expand_columns_doubled, %function
wick_dsp_expand_columns_doubled:
  push {r4-r11, lr}
  add r12, r2, r2, lsl #1
1:
  ldrh r4, [r1]
  ldrh r5, [r1, r2]
  ldrh r6, [r1, r2, lsl #1]
  ldrh r7, [r1, r12]
  add r1, r1, r2, lsl #2
  pkhbt r4, r4, r6, lsl #16
  pkhbt r5, r5, r7, lsl #16
  sxtb16 r8, r4
  sxtab16 r8, r8, r4
  sxtb16 r9, r4, ror #8
  sxtab16 r9, r9, r4, ror #8
  sxtb16 r10, r5
  sxtab16 r10, r10, r5
  sxtb16 r11, r5, ror #8
  sxtab16 r11, r11, r5, ror #8
  stm r0!, {r8-r11}
  subs r3, #1
  bne 1b
  pop {r4-r11, pc}
  .size wick_dsp_expand_columns_doubled, . - wick_dsp_expand_columns_doubled
