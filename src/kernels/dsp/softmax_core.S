@ Exponentials of a softmax row, bit for bit those of scalar/softmax.cc: a polynomial around -1/8 and a factor for each set
@ bit of the whole quarters. Every product is (a * b + 2^30) >> 31, that is SMMULR with one operand doubled; a constant
@ k >= 2^30 cannot be doubled, so 2k - 2^32 takes its place and SMMLAR adds the other operand once more.
  .syntax unified
  .thumb

@ int32_t wick_dsp_exp_row(const int8_t* x, int32_t count, const ExpArgs* args, int32_t* exps)
@ args: largest, least difference, shift, 2 * multiplier - 2^32. exps[i] = e^(x - largest) in Q0.31, 0 below the least
@ difference. Returns the sum of exps in Q12.19, each rounded. count is at least 1.
@ r0 x | r1 count | r2 largest | r3 exps | r4 difference, value | r5 fraction, x4, spare | r6 result | r7 quarters, reversed
@ r8 least difference | r9 shift | r10 multiplier | r11 x, doubled x | r12 sum | lr -2^28
  .section .text.wick_dsp_exp_row, "ax", %progbits
  .macro exp_factor skip, constant, again=0
  \skip 1f
  ldr r5, =\constant
  .if \again
  smmlar r6, r6, r5, r6
  .else
  smmulr r6, r6, r5
  .endif
1:
  .endm
  .global wick_dsp_exp_row
  .type wick_dsp_exp_row, %function
  .balign 4
wick_dsp_exp_row:
  push {r4-r11, lr}
  ldm r2, {r2, r8, r9, r10}
  movs r12, #0
  mov lr, #0xF0000000
2:
  ldrsb r4, [r0], #1
  movs r6, #0
  subs r4, r4, r2
  beq 5f                          @ e^0, the only value that is 0
  cmp r4, r8
  blt 6f
  lsl r4, r4, r9
  smmlar r4, r4, r10, r4          @ the value, Q5.26
  ubfx r5, r4, #0, #24
  subs r4, r5, r4
  sub r4, r4, #0x1000000          @ whole quarters
  rbit r7, r4
  add r11, lr, r5, lsl #5         @ x = 32 * (fraction - 2^24) + 2^28
  lsls r5, r11, #1
  smmulr r4, r5, r11              @ x2
  smmulr r5, r5, r4               @ x3
  lsls r6, r4, #1
  smmulr r6, r6, r4               @ x4
  adds r6, #2
  add r5, r5, r6, asr #2
  ldr r6, =1431655766             @ 2/3
  smmlar r5, r5, r6, r4           @ (x4 / 4 + x3) / 3 + x2, not negative
  adds r5, #1
  add r5, r11, r5, asr #1
  lsls r5, r5, #1
  ldr r6, =1895147668             @ e^(-1/8)
  smmlar r6, r6, r5, r6
  lsls r7, r7, #25
  exp_factor bcc, (2 * 1672461947 - 0x100000000), 1
  exp_factor bpl, (2 * 1302514674 - 0x100000000), 1
  lsls r7, r7, #2
  exp_factor bcc, (2 * 790015084)
  exp_factor bpl, (2 * 290630308)
  lsls r7, r7, #2
  exp_factor bcc, (2 * 39332535)
  exp_factor bpl, (2 * 720401)
  lsls r7, r7, #2
  exp_factor bcc, (2 * 242)
4:
  add r5, r6, #2048
  add r12, r12, r5, lsr #12
6:
  str r6, [r3], #4
  subs r1, #1
  bne 2b
  mov r0, r12
  pop {r4-r11, pc}
5:
  mvn r6, #0x80000000
  b 4b
  .pool
  .size wick_dsp_exp_row, . - wick_dsp_exp_row
