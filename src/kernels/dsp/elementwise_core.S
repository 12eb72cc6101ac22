@ Addition and multiplication of INT8 operands, requantized as fast_requantize.h has it. Knows no shapes and no activation
@ bounds.
  .syntax unified
  .thumb

@ One operand's rescaled, doubled values come from a table, the other's are a shift.
@ void wick_dsp_add(const int8_t* a, const int8_t* b, int8_t* out, const AddArgs* args)
@ args: table (by b's byte, unsigned), multiplier, addend, shift, count (at least 1)
@ r0 a | r1 b | r2 out | r3 groups of 8 | r4 table | r5 multiplier | r6 addend | r7 shift | r8 count | r9 r10 spare
  .section .text.wick_dsp_add, "ax", %progbits
  .macro add_one
  ldrsb r9, [r0], #1
  ldrb r10, [r1], #1
  ldr r10, [r4, r10, lsl #2]
  add r9, r10, r9, lsl #20
  add r10, r6, r9, asr #31
  smmlar r9, r9, r5, r10
  asr r9, r9, r7
  ssat r9, #8, r9
  strb r9, [r2], #1
  .endm
  .global wick_dsp_add
  .type wick_dsp_add, %function
  .balign 4
wick_dsp_add:
  push {r4-r10}
  ldm r3, {r4-r8}
  lsrs r3, r8, #3
  beq 2f
1:
  .rept 8
  add_one
  .endr
  subs r3, #1
  bne 1b
2:
  ands r8, r8, #7
  beq 4f
3:
  add_one
  subs r8, #1
  bne 3b
4:
  pop {r4-r10}
  bx lr
  .size wick_dsp_add, . - wick_dsp_add

@ void wick_dsp_mul(const int8_t* a, const int8_t* b, int8_t* out, const MulArgs* args)
@ args: -a_zero_point and -2 * b_zero_point in both halves, multiplier, addend, shift, count (at least 1)
@ Four products at a time, b doubled: halves of lanes 0 and 2, and 1 and 3.
@ r0 a | r1 b | r2 out | r3 count | r4 r5 zero points | r6 multiplier | r7 addend | r8 shift | r9-r12 lr spare
  .section .text.wick_dsp_mul, "ax", %progbits
  .macro mul_finish x
  add lr, r7, \x, asr #31
  smmlar \x, \x, r6, lr
  asr \x, \x, r8
  ssat \x, #8, \x
  strb \x, [r2], #1
  .endm
  .global wick_dsp_mul
  .type wick_dsp_mul, %function
  .balign 4
wick_dsp_mul:
  push {r4-r11, lr}
  ldm r3, {r4-r9}
  mov r3, r9
  subs r3, #4
  blo 2f
1:
  ldr r9, [r0], #4
  ldr r10, [r1], #4
  sxtab16 r11, r4, r9
  sxtab16 r9, r4, r9, ror #8
  sxtab16 r12, r5, r10
  sxtab16 r12, r12, r10
  sxtab16 lr, r5, r10, ror #8
  sxtab16 lr, lr, r10, ror #8
  smulbb r10, r11, r12
  smultt r11, r11, r12
  smulbb r12, r9, lr
  smultt r9, r9, lr
  mul_finish r10
  mul_finish r12
  mul_finish r11
  mul_finish r9
  subs r3, #4
  bhs 1b
2:
  adds r3, #4
  beq 4f
3:
  ldrsb r9, [r0], #1
  ldrsb r10, [r1], #1
  add r9, r4                      @ only the low halves count
  add r10, r5, r10, lsl #1
  smulbb r9, r9, r10
  mul_finish r9
  subs r3, #1
  bne 3b
4:
  pop {r4-r11, pc}
  .size wick_dsp_mul, . - wick_dsp_mul
