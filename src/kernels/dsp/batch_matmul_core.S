@ INT8 matrix product: four expanded rows of the left matrix against one row of the right one.
  .syntax unified
  .thumb

@ void wick_dsp_matmul_4(const int32_t* lhs, const int8_t* rhs, int32_t words, uint32_t rhs_offsets, int32_t sums[4])
@ sums[i] += the products over 4 * words elements; words is at least 1. lhs, per word of four elements: for each row two
@ words of int16 halves, elements (0, 2) and (1, 3), offset added. rhs is read at any alignment.
@ r0 lhs | r1 rhs | r2 words left | r3 offset in both halves | r4-r7 sums | r8 r9 rhs halves | r10-r12 lr two rows of lhs
  .section .text.wick_dsp_matmul_4, "ax", %progbits
  .global wick_dsp_matmul_4
  .type wick_dsp_matmul_4, %function
  .balign 4
wick_dsp_matmul_4:
  push {r4-r11, lr}
  ldr lr, [sp, #36]
  ldm lr, {r4-r7}
1:
  ldr r8, [r1], #4
  sxtab16 r9, r3, r8
  sxtab16 r8, r3, r8, ror #8
  ldm r0!, {r10, r11, r12, lr}
  smlad r4, r10, r9, r4
  smlad r4, r11, r8, r4
  smlad r5, r12, r9, r5
  smlad r5, lr, r8, r5
  ldm r0!, {r10, r11, r12, lr}
  smlad r6, r10, r9, r6
  smlad r6, r11, r8, r6
  smlad r7, r12, r9, r7
  smlad r7, lr, r8, r7
  subs r2, #1
  bne 1b
  ldr lr, [sp, #36]
  stm lr, {r4-r7}
  pop {r4-r11, pc}
  .size wick_dsp_matmul_4, . - wick_dsp_matmul_4
