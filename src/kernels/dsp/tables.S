@ What a plan asks of all channels' constants at once (fast_requantize.h): every load pays for it. Cortex-M with DSP.
  .syntax unified
  .thumb

@ uint32_t wick_dsp_table_bits(const int32_t *multiplier, const int32_t *shift, const int32_t *bias, int32_t count)
@ The OR of all -1 - shift[i]; bit 31 when a multiplier is negative, bit 27 when a bias does not fit 29 bits.
@ r0 r1 r2 tables  r3 left  r4-r7 values  r12 multipliers  lr shifts. Saturation leaves a trace in the flag Q.
  .section .text.wick_dsp_table_bits, "ax", %progbits
  .global wick_dsp_table_bits
  .type wick_dsp_table_bits, %function
wick_dsp_table_bits:
  push {r4-r7, lr}
  mov r12, #0
  mov lr, #0
  msr APSR_nzcvq, lr
  subs r3, #4
  blt 2f
1:
  ldm r0!, {r4-r7}
  orr r12, r4
  orr r12, r5
  orr r12, r6
  orr r12, r7
  ldm r1!, {r4-r7}
  orn lr, lr, r4
  orn lr, lr, r5
  orn lr, lr, r6
  orn lr, lr, r7
  ldm r2!, {r4-r7}
  ssat r4, #29, r4
  ssat r5, #29, r5
  ssat r6, #29, r6
  ssat r7, #29, r7
  subs r3, #4
  bge 1b
2:
  adds r3, #4
  beq 4f
3:
  ldr r4, [r0], #4
  ldr r5, [r1], #4
  ldr r6, [r2], #4
  orr r12, r4
  orn lr, lr, r5
  ssat r6, #29, r6
  subs r3, #1
  bne 3b
4:
  mrs r3, APSR
  and r3, #0x08000000           @ Q
  and r12, #0x80000000
  orr r0, lr, r12
  orr r0, r3
  pop {r4-r7, pc}
  .size wick_dsp_table_bits, . - wick_dsp_table_bits
