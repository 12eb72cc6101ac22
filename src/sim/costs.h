// The one table of what things cost in cycles of clk_sys. All of it is an estimate and reports say so: Arm publishes no
// table for the Cortex-M33, the RP2350's datasheet describes its pipeline in part, and nothing here was checked
// against a board by us. Where a row comes from:
//   D  the RP2350's datasheet (section on the processor's pipeline)
//   T  measurements of an RP2350 that others have published
//   C  calculated from the flash interface's settings
//   U  unverified: a guess from related cores
#pragma once

#include <cstdint>

namespace wick::sim::costs {

inline constexpr uint32_t kInstruction = 1;  // D  an ALU operation, load, store, or multiply
inline constexpr uint32_t kLateResult = 1;   // D  the next instruction wants what comes a cycle late: a (last) loaded
                                             //    register, a product, a result through the shifter (but for
                                             //    LSL 0 to 3) or with a shifted constant
                                             // T  not of a load into an accumulator or into a store's data, and
                                             //    not along a chain of accumulators
inline constexpr uint32_t kPerRegister = 1;  // D  LDM, STM, PUSH, POP; T  LDRD, STRD, VLDM, VSTM
inline constexpr uint32_t kTaken = 1;        // D  on top of a branch's one cycle
inline constexpr uint32_t kUnalignedTarget = 1;     // D  the target is a 32-bit instruction that crosses a word
inline constexpr uint32_t kFolded = 1;              // D  saved by a 16-bit branch, IT or NOP behind a 16-bit operation,
                                                    //    unless it depends on flags that this one has just set
inline constexpr uint32_t kDivideShort = 2;         // D  a quotient of 0 or 1 bit
inline constexpr uint32_t kDivideBase = 4;          // D  and a quarter of the difference in length
inline constexpr uint32_t kFpLateResult = 1;        // T  VADD, VMUL and the like
inline constexpr uint32_t kFpMacBusy = 3;           // T  from one VFMA or VMLA to the next FPU operation
inline constexpr uint32_t kFpMacToMultiplier = 1;   // T  more, when its result goes into a multiplier
inline constexpr uint32_t kFpDivide = 14;           // U  VDIV and VSQRT
inline constexpr uint32_t kUnalignedAccess = 1;     // D  an access that crosses a word is two
inline constexpr uint32_t kPeripheralRead = 2;      // D  on top of a load from APB: at least 3 in all
inline constexpr uint32_t kPeripheralWrite = 3;     // D  on top of a store to APB: at least 4 in all
inline constexpr uint32_t kExceptionEntry = 12;     // U  vector fetch and eight registers
inline constexpr uint32_t kExceptionReturn = 12;    // U
inline constexpr uint32_t kExceptionFpFrame = 17;   // U  seventeen registers more
inline constexpr uint32_t kCacheBytes = 16 * 1024;  // D  XIP cache: 2 ways, lines of 8 bytes, a hit costs nothing more
inline constexpr uint32_t kCacheWays = 2;           // D
inline constexpr uint32_t kCacheLineBytes = 8;      // D
// C  A missed line costs the serial clocks of a read times QMI's divider; with what the boot ROM leaves (quad read EBh,
//    divider 3) that is 36 x 3 = 108, and 16 x 3 = 48 when the line follows the last one that was read.

}  // namespace wick::sim::costs
