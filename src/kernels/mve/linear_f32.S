// Float matrix-vector core: four rows of weights against one row of activations, any depth. Each output is the sum of
// four partial sums, one per lane; lanes are added (0 + 1) + (2 + 3), then the bias.
//
// void wick_mve_linear_f32(const LinearF32* arguments)    (linear.h)
//   [0] x  [4] weights  [8] depth  [12] bias  [16] y  [20] quads; bias steps by four floats, or is four zeros that
//   [24] bias_step (bytes) = 0 keeps in place. All word-aligned.
//
// Register map
//   r0 x  r1 r2 r3 r4 rows of weights  r5 depth  r6 bias  r7 y  r8 quads left  r9 row bytes  r10 x's start
//   r11 bias_step  r12 scratch  lr loop    q0-q3 sums of the four rows  q4 x  q5 q6 weights
  .syntax unified
  .thumb

.macro BLOCK
  vldrw.u32 q4, [r0], #16
  vldrw.u32 q5, [r1], #16
  vfma.f32 q0, q4, q5
  vldrw.u32 q6, [r2], #16
  vfma.f32 q1, q4, q6
  vldrw.u32 q5, [r3], #16
  vfma.f32 q2, q4, q5
  vldrw.u32 q6, [r4], #16
  vfma.f32 q3, q4, q6
.endm
.macro LANES a, b, c, d, bias
  vadd.f32 \a, \a, \b
  vadd.f32 \c, \c, \d
  vadd.f32 \a, \a, \c
  vadd.f32 \a, \a, \bias
.endm
  .section .text.wick_mve_linear_f32, "ax", %progbits
  .global wick_mve_linear_f32
  .type wick_mve_linear_f32, %function
  .p2align 2
wick_mve_linear_f32:
  push {r4-r11, lr}
  vpush {d8-d13}
  ldrd r10, r1, [r0]
  ldrd r5, r6, [r0, #8]
  ldrd r7, r8, [r0, #16]
  ldr r11, [r0, #24]
  lsls r9, r5, #2
1:
  add r2, r1, r9
  add r3, r2, r9
  add r4, r3, r9
  mov r0, r10
  vmov.i32 q0, #0
  vmov.i32 q1, #0
  vmov.i32 q2, #0
  vmov.i32 q3, #0
  lsr r12, r5, #4
  wls lr, r12, 3f
2:
  BLOCK
  BLOCK
  BLOCK
  BLOCK
  le lr, 2b
3:
  ubfx r12, r5, #2, #2
  wls lr, r12, 5f
4:
  BLOCK
  le lr, 4b
5:
  ands r12, r5, #3
  beq 6f
  vctp.32 r12
  vpstttt
  vldrwt.u32 q4, [r0]
  vldrwt.u32 q5, [r1]
  vfmat.f32 q0, q4, q5
  vldrwt.u32 q6, [r2]
  vpstttt
  vfmat.f32 q1, q4, q6
  vldrwt.u32 q5, [r3]
  vfmat.f32 q2, q4, q5
  vldrwt.u32 q6, [r4]
  vpst
  vfmat.f32 q3, q4, q6
  add r4, r4, r12, lsl #2
6:
  vldrw.u32 q4, [r6]
  mov r1, r4
  LANES s0, s1, s2, s3, s16
  LANES s4, s5, s6, s7, s17
  LANES s8, s9, s10, s11, s18
  LANES s12, s13, s14, s15, s19
  add r6, r6, r11
  vstr s0, [r7]
  vstr s4, [r7, #4]
  vstr s8, [r7, #8]
  vstr s12, [r7, #12]
  adds r7, #16
  subs r8, #1
  bne 1b
  vpop {d8-d13}
  pop {r4-r11, pc}
  .size wick_mve_linear_f32, .-wick_mve_linear_f32
