@ Pooling: 16 channels of one window at a time, and rows of 2x2 windows. Knows nothing of borders; any alignment.
@ A window: bytes between pixels, columns, rows (both at least 1), bytes from a row's end to the next, and what each pair
@ of sums starts with.
  .syntax unified
  .thumb

  .macro pool_begin               @ r1 window, r2 result -> r1 pixel bytes, s0 columns, s1 rows left, s2 row skip, s3 result, r7 start
  push {r4-r11, lr}
  vmov s3, r2
  ldm r1, {r1, r4, r5, r6, r7}
  vmov s0, s1, r4, r5
  vmov s2, r6
  .endm
  .macro pool_rows pixel          @ odd pixel first, then two at a time
1:
  vmov r2, s0
  lsrs r2, #1
  bcc 2f
  \pixel
2:
  cmp r2, #0
  beq 4f
3:
  \pixel
  \pixel
  subs r2, #1
  bne 3b
4:
  vmov r2, r3, s1, s2
  add r0, r3
  subs r2, #1
  vmov s1, r2
  bne 1b
  vmov r3, s3
  .endm

@ void wick_dsp_pool_sum16(const int8_t* x, const PoolWindow* window, int32_t halves[8])
@ Sums over at most 256 pixels as int16 halves: channels (0, 2) (1, 3) of each word of four.
@ r0 x | r1 pixel bytes | r2 pairs of columns left | r3 r12 lr spare | r4-r11 sums
  .section .text.wick_dsp_pool_sum16, "ax", %progbits
  .macro pool_sum_pixel
  ldr r12, [r0]
  ldr lr, [r0, #4]
  ldr r3, [r0, #8]
  sxtab16 r4, r4, r12
  sxtab16 r5, r5, r12, ror #8
  ldr r12, [r0, #12]
  add r0, r1
  sxtab16 r6, r6, lr
  sxtab16 r7, r7, lr, ror #8
  sxtab16 r8, r8, r3
  sxtab16 r9, r9, r3, ror #8
  sxtab16 r10, r10, r12
  sxtab16 r11, r11, r12, ror #8
  .endm
  .global wick_dsp_pool_sum16
  .type wick_dsp_pool_sum16, %function
  .balign 4
wick_dsp_pool_sum16:
  pool_begin
  .irp r, r4, r5, r6, r8, r9, r10, r11
  mov \r, r7
  .endr
  pool_rows pool_sum_pixel
  stm r3, {r4-r11}
  pop {r4-r11, pc}
  .size wick_dsp_pool_sum16, . - wick_dsp_pool_sum16

@ void wick_dsp_pool_max16(const int8_t* x, const PoolWindow* window, int8_t out[16])
@ r0 x | r1 pixel bytes | r2 pairs of columns left | r3 r8-r11 r12 spare | r4-r7 maxima of 16 channels
  .section .text.wick_dsp_pool_max16, "ax", %progbits
  .macro pool_larger a, b
  ssub8 r12, \a, \b
  sel \a, \a, \b
  .endm
  .macro pool_max_pixel
  ldr r8, [r0]
  ldr r9, [r0, #4]
  ldr r10, [r0, #8]
  ldr r11, [r0, #12]
  add r0, r1
  pool_larger r4, r8
  pool_larger r5, r9
  pool_larger r6, r10
  pool_larger r7, r11
  .endm
  .global wick_dsp_pool_max16
  .type wick_dsp_pool_max16, %function
  .balign 4
wick_dsp_pool_max16:
  pool_begin
  mov r4, #0x80808080
  mov r5, r4
  mov r6, r4
  mov r7, r4
  pool_rows pool_max_pixel
  str r4, [r3]
  str r5, [r3, #4]
  str r6, [r3, #8]
  str r7, [r3, #12]
  pop {r4-r11, pc}
  .size wick_dsp_pool_max16, . - wick_dsp_pool_max16

@ void wick_dsp_pool_max2x2(const int8_t* x, int8_t* out, const int32_t args[3])
@ One row of outputs of 2x2 windows at stride 2. args: channels (a multiple of 4), bytes of an input row, outputs.
@ r0 x | r1 out | r2 channels | r3 second row | r4 outputs left | r5 channels left | r6-r9 window | r12 spare
  .section .text.wick_dsp_pool_max2x2, "ax", %progbits
  .macro pool_row_2x2 word
  ldm r2, {r2, r3, r4}
  add r3, r0
1:
  mov r5, r2
2:
  ldr r7, [r0, r2]
  ldr r6, [r0], #4
  ldr r9, [r3, r2]
  ldr r8, [r3], #4
  \word
  str r6, [r1], #4
  subs r5, #4
  bne 2b
  add r0, r2
  add r3, r2
  subs r4, #1
  bne 1b
  .endm
  .macro pool_max_word
  pool_larger r6, r7
  pool_larger r8, r9
  pool_larger r6, r8
  .endm
  .global wick_dsp_pool_max2x2
  .type wick_dsp_pool_max2x2, %function
  .balign 4
wick_dsp_pool_max2x2:
  push {r4-r9}
  pool_row_2x2 pool_max_word
  pop {r4-r9}
  bx lr
  .size wick_dsp_pool_max2x2, . - wick_dsp_pool_max2x2

@ void wick_dsp_pool_average2x2(const int8_t* x, int8_t* out, const int32_t args[3])
@ The same, averaged: (sum + 2 - [sum < 0]) >> 2 rounds halves away from zero.
@ Registers as above | r10 sums of channels 0 and 2 | r11 0x00FF00FF | r12 0x00020002 | lr 0x00010001
  .section .text.wick_dsp_pool_average2x2, "ax", %progbits
  .macro pool_quarter sums, spare
  and \spare, lr, \sums, lsr #15
  sadd16 \sums, \sums, r12
  ssub16 \sums, \sums, \spare
  .endm
  .macro pool_average_word
  sxtb16 r10, r6
  sxtb16 r6, r6, ror #8
  .irp r, r7, r8, r9
  sxtab16 r10, r10, \r
  sxtab16 r6, r6, \r, ror #8
  .endr
  pool_quarter r10, r7
  pool_quarter r6, r8
  and r10, r11, r10, lsr #2
  and r6, r11, r6, lsr #2
  orr r6, r10, r6, lsl #8
  .endm
  .global wick_dsp_pool_average2x2
  .type wick_dsp_pool_average2x2, %function
  .balign 4
wick_dsp_pool_average2x2:
  push {r4-r11, lr}
  mov r11, #0x00FF00FF
  mov r12, #0x00020002
  mov lr, #0x00010001
  pool_row_2x2 pool_average_word
  pop {r4-r11, pc}
  .size wick_dsp_pool_average2x2, . - wick_dsp_pool_average2x2
