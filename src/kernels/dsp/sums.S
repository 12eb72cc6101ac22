@ Row sums of signed bytes by USADA8: b ^ 0x80 is b + 128 without sign. Cortex-M with the DSP extension.
  .syntax unified
  .thumb

@ void wick_dsp_sum_rows(const int8_t *rows, int32_t words, int32_t count, int32_t *sums)
@ rows word-aligned, `words` (>= 1) words a row; sums[r] = sum of row r + 128 * 4 * words.
@ r0 rows  r3 sums  r4 0x80808080  r5 sum  r6 words left  lr 0  r1 r2 r7-r12 data
@ s0 words  s1 rows left
  .section .text.wick_dsp_sum_rows, "ax", %progbits
  .global wick_dsp_sum_rows
  .type wick_dsp_sum_rows, %function
  .macro add_word r
  eor \r, \r, r4
  usada8 r5, \r, lr, r5
  .endm
wick_dsp_sum_rows:
  push {r4-r11, lr}
  vmov s0, s1, r1, r2
  mov r4, #0x80808080
  mov lr, #0
1:
  vmov r6, s0
  movs r5, #0
  subs r6, #8
  blt 3f
2:
  ldm r0!, {r1, r2, r7-r12}
  add_word r1
  add_word r2
  add_word r7
  add_word r8
  add_word r9
  add_word r10
  add_word r11
  add_word r12
  subs r6, #8
  bge 2b
3:
  adds r6, #8
  beq 5f
4:
  ldr r7, [r0], #4
  add_word r7
  subs r6, #1
  bne 4b
5:
  str r5, [r3], #4
  vmov r2, s1
  subs r2, #1
  vmov s1, r2
  bne 1b
  pop {r4-r11, pc}
  .size wick_dsp_sum_rows, . - wick_dsp_sum_rows
