// See thumb.h: the 16-bit encodings.
#include "sim/thumb.h"

#include <bit>

namespace wick::sim {
namespace {

using I = Instruction;

uint16_t bit(uint32_t reg) { return static_cast<uint16_t>(1u << (reg & 15)); }

void late(I& i, I::Late kind, uint32_t reg) {
  i.late_kind = kind;
  i.late = bit(reg);
}

void decode_shift_add(uint32_t op, I& i) {
  i.flags |= I::kSetsFlags;
  const uint32_t d = op & 7, m = op >> 3 & 7, kind = op >> 11 & 3;
  if (op < 0x1800) {  // LSL, LSR, ASR by a constant
    i.reads = bit(m);
    if (kind != 0 || (op >> 6 & 31) > 3) late(i, I::Late::kAlu, d);
  } else if (op < 0x2000) {
    i.reads = bit(m) | (op & 0x400 ? 0 : bit(op >> 6 & 7));
  } else if (kind != 0) {
    i.reads = bit(op >> 8 & 7);
  }
}

void decode_data(uint32_t op, I& i) {
  const uint32_t d = op & 7, m = op >> 3 & 7, which = op >> 6 & 15;
  i.flags |= I::kSetsFlags;
  i.reads = bit(d) | bit(m);
  if (which == 13) late(i, I::Late::kProduct, d);
  if (which >= 2 && which <= 4) late(i, I::Late::kAlu, d);  // shifts by a register
  if (which == 7) late(i, I::Late::kAlu, d);
}

void decode_high(uint32_t op, I& i) {
  const uint32_t d = (op & 7) | (op >> 4 & 8), m = op >> 3 & 15, which = op >> 8 & 3;
  i.reads = bit(m) | (which < 2 ? bit(d) : 0);
  if (which == 1) i.flags |= I::kSetsFlags;
  if (which == 3) i.flags |= I::kBranch | I::kFolds;  // BX, BLX
  if ((which == 0 || which == 2) && d == 15) i.flags |= I::kBranch;
  if ((which == 0 || which == 2) && d == 13) i.flags |= I::kStack;
}

void decode_load_store(uint32_t op, I& i) {
  const uint32_t t = op & 7, n = op >> 3 & 7;
  bool load = op & 0x800;
  i.reads = bit(n);
  if (op >> 12 == 5) {  // register offset
    i.reads |= bit(op >> 6 & 7);
    load = (op >> 9 & 7) >= 3;
  }
  if (load) {
    late(i, I::Late::kLoad, t);
  } else {
    i.stored = bit(t);
  }
}

void decode_stack_relative(uint32_t op, I& i) {
  i.reads = bit(13);
  if (op & 0x800) {
    late(i, I::Late::kLoad, op >> 8 & 7);
  } else {
    i.stored = bit(op >> 8 & 7);
  }
}

void decode_hint(uint32_t op, I& i) {
  i.flags |= I::kFolds;
  if ((op & 0xF) != 0) {
    i.flags |= I::kIt | I::kOnFlags;
    i.block = static_cast<uint8_t>(4 - std::countr_zero(op & 0xF));
  } else if (op == 0xBF20) {
    i.flags |= I::kWait | I::kForEvent;
  } else if (op == 0xBF30) {
    i.flags |= I::kWait;
  } else if (op == 0xBF40) {
    i.flags |= I::kSendEvent;
  }
}

void decode_miscellaneous(uint32_t op, I& i) {
  if ((op & 0xFF00) == 0xBF00) return decode_hint(op, i);
  if ((op & 0xFF80) == 0xB080) i.flags |= I::kStack;  // SUB SP
  if ((op & 0xF500) == 0xB100) {                      // CBZ, CBNZ
    i.flags |= I::kBranch;
    i.reads = bit(op & 7);
    return;
  }
  if ((op & 0xFFE8) == 0xB660) i.flags |= I::kSystem;  // CPS
  if ((op & 0xFE00) == 0xB400 || (op & 0xFE00) == 0xBC00) {
    i.flags |= I::kAligned | (op & 0x800 ? 0 : I::kStack);
    i.cycles = static_cast<uint8_t>(std::popcount(op & 0x1FF));
    i.reads = bit(13);
    if ((op & 0x900) == 0x900) i.flags |= I::kBranch;
    return;
  }
  if ((op & 0xFF00) == 0xB200 || (op & 0xFF00) == 0xBA00) i.reads = bit(op >> 3 & 7);  // extends, REV
}

void decode_narrow(uint32_t op, I& i) {
  switch (op >> 12) {
    case 0:
    case 1:
    case 2:
    case 3:
      return decode_shift_add(op, i);
    case 4:
      if (op < 0x4400) return decode_data(op, i);
      if (op < 0x4800) return decode_high(op, i);
      return late(i, I::Late::kLoad, op >> 8 & 7);
    case 5:
    case 6:
    case 7:
    case 8:
      return decode_load_store(op, i);
    case 9:
      return decode_stack_relative(op, i);
    case 10:
      i.reads = op & 0x800 ? bit(13) : 0;
      return;
    case 11:
      return decode_miscellaneous(op, i);
    case 12:
      i.flags |= I::kAligned;
      i.cycles = static_cast<uint8_t>(std::popcount(op & 0xFF));
      i.reads = bit(op >> 8 & 7);
      if ((op & 0x800) && (op & 0xFF)) late(i, I::Late::kLoad, 31 - static_cast<uint32_t>(std::countl_zero(op & 0xFF)));
      return;
    case 13:
      if ((op >> 8 & 15) < 14) i.flags |= I::kBranch | I::kFolds | I::kOnFlags;
      return;
    default:
      i.flags |= I::kBranch | I::kFolds | (op == 0xE7FE ? I::kSelf : 0);
  }
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
