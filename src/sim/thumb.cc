// See thumb.h.
#include "sim/thumb.h"

#include <bit>

namespace wick::sim {
namespace {

using I = Instruction;

void decode_narrow(uint32_t op, I& i) {
  const uint32_t top = op >> 8;
  if ((op & 0xFF00) == 0xBF00) {
    if ((op & 0xF) != 0) {
      i.flags |= I::kIt;
      i.block = static_cast<uint8_t>(4 - std::countr_zero(op & 0xF));
    } else if (op == 0xBF20) {
      i.flags |= I::kWait | I::kForEvent;
    } else if (op == 0xBF30) {
      i.flags |= I::kWait;
    } else if (op == 0xBF40) {
      i.flags |= I::kSendEvent;
    }
    return;
  }
  if (op >> 12 == 0xD && ((op >> 8) & 0xF) < 0xE) i.flags |= I::kBranch;
  if (op >> 11 == 0x1C) i.flags |= I::kBranch | (op == 0xE7FE ? I::kSelf : 0);
  if (top == 0x47) i.flags |= I::kBranch;                                         // BX, BLX
  if ((op & 0xF500) == 0xB100) i.flags |= I::kBranch;                             // CBZ, CBNZ
  if ((op & 0xFF87) == 0x4487 || (op & 0xFF87) == 0x4687) i.flags |= I::kBranch;  // ADD or MOV to PC
  if ((op & 0xFF87) == 0x4485 || (op & 0xFF87) == 0x4685) i.flags |= I::kStack;   // to SP
  if ((op & 0xFF80) == 0xB080) i.flags |= I::kStack;                              // SUB SP
  if ((op & 0xFE00) == 0xB400 || (op & 0xFE00) == 0xBC00) {                       // PUSH, POP
    i.flags |= I::kAligned | (op & 0x800 ? 0 : I::kStack);
    i.cycles = static_cast<uint8_t>(std::popcount(op & 0x1FF));
    if ((op & 0x900) == 0x900) i.flags |= I::kBranch;
  }
  if (op >> 12 == 0xC) {  // LDM, STM
    i.flags |= I::kAligned;
    i.cycles = static_cast<uint8_t>(std::popcount(op & 0xFF));
  }
  if ((op & 0xFFE8) == 0xB660) i.flags |= I::kSystem;  // CPS
}

void decode_multiple(uint32_t a, uint32_t b, I& i) {
  const bool load = a & 0x10;
  if ((a & 0x40) == 0) {  // LDM, STM
    i.flags |= I::kAligned;
    i.cycles = static_cast<uint8_t>(std::popcount(b));
    if (load && (b & 0x8000)) i.flags |= I::kBranch;
    if (!load && (a & 0xF) == 13) i.flags |= I::kStack;
    return;
  }
  const bool dual = (a & 0x120) != 0 && !((a & 0xFF0) == 0x8D0 || (a & 0xFF0) == 0x8C0);
  if (dual) {  // LDRD, STRD
    i.flags |= I::kAligned;
    i.cycles = 2;
    if ((a & 0xF) == 13 && (a & 0x20)) i.flags |= I::kStack;
  } else if ((a & 0xFFF0) == 0xE8D0 && (b & 0xF0) <= 0x10) {
    i.flags |= I::kBranch;  // TBB, TBH
  }
}

void decode_branch_or_control(uint32_t a, uint32_t b, I& i) {
  if (b & 0x1000) {  // B, BL
    i.flags |= I::kBranch;
    return;
  }
  if ((b & 0x5000) == 0 && ((a >> 7) & 7) != 7) i.flags |= I::kBranch;
  if ((a & 0xFFE0) == 0xF380) i.flags |= I::kSystem | I::kStack;  // MSR
  if (a == 0xF3AF && (b & 0xFF) == 2) i.flags |= I::kWait | I::kForEvent;
  if (a == 0xF3AF && (b & 0xFF) == 3) i.flags |= I::kWait;
  if (a == 0xF3AF && (b & 0xFF) == 4) i.flags |= I::kSendEvent;
}

void decode_coprocessor(uint32_t a, uint32_t b, I& i) {
  const uint32_t coprocessor = (b >> 8) & 0xF;
  if (coprocessor != 10 && coprocessor != 11) return;
  i.flags |= I::kFp;
  if ((a & 0xFE00) == 0xEC00) {
    const bool single = (a & 0x120) == 0x100;
    if (!single && (a & 0x1E0) != 0x40) {  // VLDM, VSTM, VPUSH, VPOP
      i.flags |= I::kAligned;
      i.cycles = static_cast<uint8_t>(b & 0xFF);
      if ((a & 0x2F) == 0x2D) i.flags |= I::kStack;
    }
  }
}

void decode_wide(uint32_t a, uint32_t b, I& i) {
  const uint32_t group = a >> 9;
  if (group == 0x74) return decode_multiple(a, b, i);
  if ((a & 0xEC00) == 0xEC00) return decode_coprocessor(a, b, i);
  if ((a & 0xF800) == 0xF000 && (b & 0x8000)) return decode_branch_or_control(a, b, i);
  if ((a & 0xFFD0) == 0xFB90 && (b & 0xF0) == 0xF0) i.flags |= I::kDivide;
  if ((a & 0xFE00) == 0xF800) {
    if ((a & 0x10) && (b >> 12) == 15 && (a & 0x60) == 0x40) i.flags |= I::kBranch;  // LDR PC
    if ((a & 0x1F) == 0x0D && (b & 0x900) == 0x900) i.flags |= I::kStack;            // STR [SP, #-n]!
  }
  if (((a & 0xFBE0) == 0xF1A0 || (a & 0xFBF0) == 0xF2A0 || (a & 0xFFE0) == 0xEBA0) && (b & 0xF00) == 0xD00)
    i.flags |= I::kStack;
  if (((a & 0xFBE0) == 0xF100) && (b & 0xF00) == 0xD00) i.flags |= I::kStack;
}

}  // namespace

Instruction decode(uint16_t first, uint16_t second) {
  Instruction i;
  i.bytes = static_cast<uint8_t>(instruction_bytes(first));
  if (i.bytes == 2) {
    i.raw = first;
    i.flags = I::kNarrow;
    decode_narrow(first, i);
  } else {
    i.raw = first | static_cast<uint32_t>(second) << 16;
    decode_wide(first, second, i);
  }
  if (i.cycles == 0) i.cycles = 1;
  return i;
}

}  // namespace wick::sim
