@ Depthwise convolution of any kernel: one line of outputs, four channels a call.
@
@ A pixel of four channels is two words of int16 halves, channels (0, 2) and (1, 3); so is a tap's doubled weights.
@ Kernel rows come as a table of pointers to expanded lines; the taps of a row follow each other.
@ Stream: bias2 of four channels | rows x taps x two words | four times multiplier, addend, shift (fast_requantize.h).
  .syntax unified
  .thumb

@ void wick_dsp_dw_ring_line(const int32_t* const* rows, const int32_t* stream, int8_t* out, const RingLine* line)
@ line: outputs, bytes between outputs, bytes between their windows, taps in a row (1 to 16), rows
@ r0-r3 accumulators | r4 r5 pixel | r6 r7 weights | r8 taps of a row | r9 stream | r10 rows | r11 window | r12 entry
@ lr end of rows | s0 out | s1 bytes between outputs | s2 outputs left | s3 bytes between windows | s4 rows | s5 stream
  .section .text.wick_dsp_dw_ring_line, "ax", %progbits
  .global wick_dsp_dw_ring_line
  .type wick_dsp_dw_ring_line, %function
  .balign 4
wick_dsp_dw_ring_line:
  push {r4-r11, lr}
  ldm r3, {r4-r8}
  vmov s0, s1, r2, r5
  vmov s2, s3, r4, r6
  vmov s4, s5, r0, r1
  add lr, r0, r8, lsl #2
  adr r12, 3f
  rsb r7, r7, #16
  movs r4, #24                    @ bytes of a tap's code
  mla r12, r7, r4, r12
  orr r12, #1
  mov r11, #0
1:
  vmov r10, r9, s4, s5
  ldm r9!, {r0-r3}
2:
  ldr r8, [r10], #4
  add r8, r11
  bx r12
  .balign 4
3:
  .rept 16
  ldrd r4, r5, [r8], #8
  ldrd r6, r7, [r9], #8
  smlabb r0, r4, r6, r0
  smlabb r1, r5, r7, r1
  smlatt r2, r4, r6, r2
  smlatt r3, r5, r7, r3
  .endr
  cmp r10, lr
  bne.w 2b
  .irp acc, r0, r1, r2, r3
  ldm r9!, {r4, r5, r6}
  add r7, r5, \acc, asr #31
  smmlar \acc, \acc, r4, r7
  asr \acc, \acc, r6
  ssat \acc, #8, \acc
  .endr
  vmov r8, r4, s0, s1
  strb r0, [r8]
  strb r1, [r8, #1]
  strb r2, [r8, #2]
  strb r3, [r8, #3]
  add r8, r4
  vmov s0, r8
  vmov r4, r5, s2, s3
  add r11, r5
  subs r4, #1
  vmov s2, r4
  bne.w 1b
  pop {r4-r11, pc}
  .size wick_dsp_dw_ring_line, . - wick_dsp_dw_ring_line
