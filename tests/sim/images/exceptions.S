// SVC with the FPU in use: registers survive a handler that spoils them; then SysTick, and an interrupt that waits
// until PRIMASK lets it through.
#include "common.inc"
#define TICKS_SEEN 0x20010000
.thumb_func
.global sv_call
sv_call:
  vmov.f32 s0, #7.0
  vmov.f32 s15, #7.0
  movs r0, #0
  movs r1, #0
  movs r2, #0
  movs r3, #0
  mov r12, r0
  tst lr, #0x10  // a frame with the FPU's registers?
  ite eq
  moveq r4, #'F'
  movne r4, #'n'
  bx lr

.thumb_func
.global sys_tick
sys_tick:
  ldr r0, =TICKS_SEEN
  ldr r1, [r0]
  adds r1, #1
  str r1, [r0]
  bx lr

.thumb_func
.global timer0_0
timer0_0:
  poke TIMER0+0x44, 0
  movs r5, #'!'
  bx lr

.thumb_func
.global main
main:
  push {r4, r5, r6, lr}
  ldr r0, =0xe000ed88
  ldr r1, [r0]
  orr r1, #0xf00000
  str r1, [r0]
  dsb
  isb
  vmov.f32 s0, #2.0
  vmov.f32 s15, #3.0
  movs r0, #1
  movs r1, #2
  movs r2, #3
  movs r3, #4
  mov r12, r3
  mov r6, sp
  svc #0
  cmp r6, sp
  bne 7f
  add r0, r1
  add r0, r2
  add r0, r3
  add r0, r12
  cmp r0, #14
  bne 7f
  vadd.f32 s0, s15
  vcvt.u32.f32 s0, s0
  vmov r0, s0
  cmp r0, #5
  bne 7f
  mov r0, r4
  bl putc
  // SysTick every 1000 cycles, ten times.
  poke TICKS_SEEN, 0
  poke 0xe000e014, 999
  poke 0xe000e018, 0
  poke 0xe000e010, 7
1:
  ldr r0, =TICKS_SEEN
  ldr r0, [r0]
  cmp r0, #10
  blo 1b
  poke 0xe000e010, 0
  say 't'
  // A forced interrupt with PRIMASK set comes when it is cleared.
  cpsid i
  poke 0xe000e100, 1
  movs r5, #'-'
  poke TIMER0+0x44, 1
  nop
  mov r0, r5
  bl putc
  cpsie i
  mov r0, r5
  bl putc
  pop {r4, r5, r6, pc}
7:
  say 'X'
  pop {r4, r5, r6, pc}
.ltorg
