// Core 1 is launched by the boot ROM's protocol, answers words through the mailbox, and takes turns with core 0 at an
// exclusive counter.
#include "common.inc"
#define COUNTER 0x20010000
#define TURNS 1000
.thumb_func
.global main
main:
  push {lr}
  poke COUNTER, 0
again:
  movs r4, #0
1:
  ldr r5, =sequence
  ldr r6, [r5, r4, lsl #2]
  cmp r6, #0
  bne 3f
2:  // before a zero: what still lies in the mailbox goes
  ldr r0, =SIO
  ldr r1, [r0, #0x50]
  tst r1, #1
  beq 4f
  ldr r1, [r0, #0x58]
  b 2b
4:
  sev
3:
  mov r0, r6
  bl give
  bl take
  cmp r0, r6
  bne again
  adds r4, #1
  cmp r4, #6
  bne 1b
  ldr r0, =0x12345678
  bl give
  bl take
  bl put_hex
  bl count
  bl take  // core 1 has counted, too
  ldr r0, =COUNTER
  ldr r0, [r0]
  bl put_hex
  pop {pc}

.thumb_func
give:
  ldr r1, =SIO
1:
  ldr r2, [r1, #0x50]
  tst r2, #2
  beq 1b
  str r0, [r1, #0x54]
  sev
  bx lr

.thumb_func
take:
  ldr r1, =SIO
1:
  ldr r2, [r1, #0x50]
  tst r2, #1
  bne 2f
  wfe
  b 1b
2:
  ldr r0, [r1, #0x58]
  bx lr

.thumb_func
count:
  ldr r0, =COUNTER
  ldr r1, =TURNS
1:
  ldrex r2, [r0]
  adds r2, #1
  strex r3, r2, [r0]
  cmp r3, #0
  bne 1b
  subs r1, #1
  bne 1b
  dmb
  bx lr

.thumb_func
.global second
second:
  ldr r0, =SIO
  ldr r4, [r0]  // CPUID: 1
  bl take
  adds r0, r4
  bl give
  bl count
  movs r0, #0
  bl give
1:
  wfi
  b 1b
.align 2
sequence:
  .word 0, 0, 1, vectors, 0x20006000, second
.ltorg
