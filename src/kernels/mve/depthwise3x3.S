// Depthwise 3x3, one output per VMLADAV. Input channels lie as planes whose rows are so short (5 or 6 bytes) that a
// 3x3 window spans at most 15 bytes; weights lie in 16 bytes with zeros between their rows. Knows one block of up to
// eight channels of one strip of columns; refuses to know padding.
//
// struct Depthwise3x3 (depthwise3x3.h), all calls get its address in r0:
//   [0] planes  [4] weights  [8] parameters  [12] out  [16] offsets  [20] out_offset  [24] channels  [28] units
//   [32] plane bytes  [36] out bytes per unit  [40] tail
// weights = 32 bytes per channel, taps from byte 1 (stride 1) or 2 (stride 2) on, so that reading from byte 0 gives
// the window one (two) columns further right: one load of activations serves two outputs.
// parameters = {bias, multiplier, shift <= -1} per channel. offsets = 2 x 8 halves: where eight results go, in the
// order 0 4 1 5 2 6 3 7.
//
// Register map
//   r0 r2 r4 r6 r8 r10 r12 lr   eight results     r1 plane   r3 out   r5 bias   r7 multiplier   r9 shift   r11 offset
//   q0 weights  q1 weights for the neighbour  q2 activations  q3-q5 temporaries  q6 q7 offsets
#include "kernels/mve/tile.inc"
  .syntax unified
  .thumb

// Eight results -> eight bytes at r3 + \offsets.
.macro STORE8 offsets
  vmov q3[2], q3[0], r0, r4
  vmov q3[3], q3[1], r2, r6
  vmov q4[2], q4[0], r8, r12
  vmov q4[3], q4[1], r10, lr
  vadd.i32 q3, q3, r5
  vadd.i32 q4, q4, r5
  SCALE q5, q3, r7
  SCALE q3, q4, r7
  vrshl.s32 q5, r9
  vrshl.s32 q3, r9
  vqmovnb.s32 q5, q5
  vqmovnt.s32 q5, q3
  vqadd.s16 q5, q5, r11
  vqmovnb.s16 q5, q5
  vstrb.16 q5, [r3, \offsets]
.endm

// Output i of a run along rows of five outputs, six bytes a row. A window in an odd column shares the load before it.
.macro RUN_OUTPUT i, register, origin
 .if ((\i) % 5) % 2 == 1
  vmladav.s8 \register, q2, q1
 .else
  vldrb.u8 q2, [r1, #(((\i) / 5) * 6 + (\i) % 5 - \origin)]
  vmladav.s8 \register, q2, q0
 .endif
.endm
// Output i of a strip: four columns of two rows (stride 1, six bytes a row), or two columns of four (stride 2, two
// rows of five bytes a row of outputs).
.macro STRIP_OUTPUT i, register, base
 .if (\i) % 2 == 1
  vmladav.s8 \register, q2, q1
 .else
  .if STRIDE == 2
   vldrb.u8 q2, [r1, #(((\i) / 2) * 10)]
  .else
   vldrb.u8 q2, [r1, #(((\i) / 4) * 6 + (\i) % 4)]
  .endif
  vmladav.s8 \register, q2, q0
 .endif
.endm
.macro EIGHT kind, i, origin, offsets
  \kind \i + 0, r0, \origin
  \kind \i + 1, r2, \origin
  \kind \i + 2, r4, \origin
  \kind \i + 3, r6, \origin
  \kind \i + 4, r8, \origin
  \kind \i + 5, r10, \origin
  \kind \i + 6, r12, \origin
  \kind \i + 7, lr, \origin
  STORE8 \offsets
.endm

  .set FRAME, 28
// Frame: [0] units left  [4] out bytes per unit  [8] plane  [12] weights  [16] parameters  [20] out  [24] arguments
.macro BEGIN name
  .section .text.\name, "ax", %progbits
  .global \name
  .type \name, %function
  .p2align 2
\name:
  push {r4-r11, lr}
  vpush {d8-d15}
  sub sp, #FRAME
  str r0, [sp, #24]
  ldrd r2, r3, [r0]
  strd r2, r3, [sp, #8]
  ldrd r2, r3, [r0, #8]
  strd r2, r3, [sp, #16]
  ldrd r4, r11, [r0, #16]
  vldrw.u32 q6, [r4]
  vldrw.u32 q7, [r4, #16]
  ldr r4, [r0, #36]
  str r4, [sp, #4]
1:
  ldr r0, [sp, #24]
  ldrd r2, r4, [r0, #28]
  str r2, [sp]
  ldrd r1, r2, [sp, #8]
  add r4, r4, r1
  vldrb.u8 q1, [r2], #32
  vldrb.u8 q0, [r2, #(STRIDE - 32)]
  strd r4, r2, [sp, #8]
  ldrd r2, r3, [sp, #16]
  ldm r2!, {r5, r7, r9}
  adds r4, r3, #1
  strd r2, r4, [sp, #16]
.endm
// Next channel: `channels` counts down in the arguments.
.macro END name
  ldr r0, [sp, #24]
  ldr r2, [r0, #24]
  subs r2, #1
  str r2, [r0, #24]
  bne 1b
  add sp, #FRAME
  vpop {d8-d15}
  pop {r4-r11, pc}
  .size \name, .-\name
.endm

// Whole rows of five outputs: a unit is eight rows. With a tail, the last eight outputs follow: height = 8 * units + 1.
.macro RUN name
  .set STRIDE, 1
  BEGIN \name
2:
  EIGHT RUN_OUTPUT, 0, 0, q6
  EIGHT RUN_OUTPUT, 8, 0, q7
  ldrd r0, r2, [sp]
  add r3, r3, r2
  EIGHT RUN_OUTPUT, 16, 0, q6
  EIGHT RUN_OUTPUT, 24, 0, q7
  ldrd r0, r2, [sp]
  add r3, r3, r2
  EIGHT RUN_OUTPUT, 32, 0, q6
  ldrd r0, r2, [sp]
  add r3, r3, r2, lsr #1
  adds r1, #48
  subs r0, #1
  str r0, [sp]
  bne 2b
  ldr r0, [sp, #24]
  ldr r4, [r0, #40]
  cbz r4, 3f
  sub r3, r3, r4
  EIGHT RUN_OUTPUT, 37, 48, q6
3:
  END \name
.endm

// Strips of any height: a unit is four rows of outputs.
.macro STRIP name, stride
  .set STRIDE, \stride
  BEGIN \name
2:
  EIGHT STRIP_OUTPUT, 0, 0, q6
 .if STRIDE == 1
  EIGHT STRIP_OUTPUT, 8, 0, q7
  adds r1, #24
 .else
  adds r1, #40
 .endif
  ldrd r0, r2, [sp]
  add r3, r3, r2
  subs r0, #1
  str r0, [sp]
  bne 2b
  END \name
.endm

  .set RELU, 0
  RUN wick_mve_depthwise3x3_run
  STRIP wick_mve_depthwise3x3_strip, 1
  STRIP wick_mve_depthwise3x3_strip_s2, 2
  .set RELU, 1
  RUN wick_mve_depthwise3x3_run_relu

// Turns `columns` (1 to 6) neighbouring pixels of eight channels, row after row, into bytes of eight planes.
//
// struct ToPlanes, address in r0: [0] from  [4] to  [8] rows  [12] columns  [16] channels (bytes to the next pixel)
//   [20] bytes from the end of a row's columns to the next row  [24] plane bytes  [28] plane row bytes
// Reads eight bytes per pixel.
.macro PIXEL offsets
  vldrb.u16 q0, [r0]
  add r0, r0, r2
  vstrb.16 q0, [r1, \offsets]
.endm
.macro ROWS columns
  .p2align 2
1:
  PIXEL q1
 .if \columns > 1
  PIXEL q2
 .endif
 .if \columns > 2
  PIXEL q3
 .endif
 .if \columns > 3
  PIXEL q4
 .endif
 .if \columns > 4
  PIXEL q5
 .endif
 .if \columns > 5
  PIXEL q6
 .endif
  add r0, r0, r3
  add r1, r1, r4
  le lr, 1b
  b 9f
.endm
  .section .text.wick_mve_to_planes, "ax", %progbits
  .global wick_mve_to_planes
  .type wick_mve_to_planes, %function
  .p2align 2
wick_mve_to_planes:
  push {r4-r7, lr}
  vpush {d8-d13}
  ldrd r6, r4, [r0, #24]
  movs r2, #0
  vidup.u16 q1, r2, #1
  vmul.i16 q1, q1, r6
  movs r2, #1
  vadd.i16 q2, q1, r2
  vadd.i16 q3, q2, r2
  vadd.i16 q4, q3, r2
  vadd.i16 q5, q4, r2
  vadd.i16 q6, q5, r2
  ldrd r5, r6, [r0, #8]
  ldrd r2, r3, [r0, #16]
  ldrd r0, r1, [r0]
  dls lr, r5
  cmp r6, #2
  blt 11f
  beq 12f
  cmp r6, #4
  blt 13f
  beq 14f
  cmp r6, #6
  blt 15f
  ROWS 6
15:
  ROWS 5
14:
  ROWS 4
13:
  ROWS 3
12:
  ROWS 2
11:
  ROWS 1
9:
  vpop {d8-d13}
  pop {r4-r7, pc}
  .size wick_mve_to_planes, .-wick_mve_to_planes
