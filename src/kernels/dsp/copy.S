@ Byte copies at any alignment. Armv7E-M or Armv8-M Mainline (LDR and STR may be unaligned).
  .syntax unified
  .thumb

@ void wick_dsp_copy(int8_t *to, const int8_t *from, int32_t bytes)
@ r0 to  r1 from  r2 bytes left  r3-r9 r12 data
  .section .text.wick_dsp_copy, "ax", %progbits
  .global wick_dsp_copy
  .type wick_dsp_copy, %function
wick_dsp_copy:
  orr r3, r0, r1
  lsls r3, #30
  bne 3f
  subs r2, #32
  blt 2f
  push {r4-r9}
1:
  ldm r1!, {r3-r9, r12}
  stm r0!, {r3-r9, r12}
  subs r2, #32
  bge 1b
  pop {r4-r9}
2:
  adds r2, #32
3:
  subs r2, #8
  blt 5f
4:
  ldr r3, [r1], #4
  ldr r12, [r1], #4
  str r3, [r0], #4
  str r12, [r0], #4
  subs r2, #8
  bge 4b
5:
  adds r2, #8
  beq 7f
6:
  ldrb r3, [r1], #1
  strb r3, [r0], #1
  subs r2, #1
  bne 6b
7:
  bx lr
  .size wick_dsp_copy, . - wick_dsp_copy
