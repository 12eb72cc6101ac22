// See system_control.h.
#include "sim/system_control.h"

#include <cmath>

namespace wick::sim {
namespace {

constexpr uint32_t kDwt = 0x1000, kScs = 0xE000;
constexpr uint32_t kTickEnable = 1, kTickInterrupt = 2, kTickFromCore = 4, kTickFlag = 1u << 16;

}  // namespace

std::string fault_names(uint32_t bits) {
  static constexpr struct {
    uint32_t bit;
    const char* name;
  } kNames[] = {
      {kIaccViol, "IACCVIOL"},   {kDaccViol, "DACCVIOL"},     {kMunstkErr, "MUNSTKERR"}, {kMstkErr, "MSTKERR"},
      {kMmarValid, "MMARVALID"}, {kIbusErr, "IBUSERR"},       {kPrecisErr, "PRECISERR"}, {kStkErr, "STKERR"},
      {kBfarValid, "BFARVALID"}, {kUndefInstr, "UNDEFINSTR"}, {kInvState, "INVSTATE"},   {kInvPc, "INVPC"},
      {kNoCp, "NOCP"},           {kStkOf, "STKOF"},           {kUnaligned, "UNALIGNED"}, {kDivByZero, "DIVBYZERO"}};
  std::string text;
  for (const auto& name : kNames) {
    if (bits & name.bit) text += (text.empty() ? "" : " ") + std::string(name.name);
  }
  return text;
}

std::span<const RegisterName> SystemControl::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x0000, "ITM_STIM0"},  {0x1000, "DWT_CTRL"},   {0x1004, "DWT_CYCCNT"}, {0x1008, "DWT_CPICNT"},
      {0x2000, "FP_CTRL"},    {0xE004, "ICTR"},       {0xE008, "ACTLR"},      {0xE010, "SYST_CSR"},
      {0xE014, "SYST_RVR"},   {0xE018, "SYST_CVR"},   {0xE01C, "SYST_CALIB"}, {0xE100, "NVIC_ISER0"},
      {0xE104, "NVIC_ISER1"}, {0xE180, "NVIC_ICER0"}, {0xE184, "NVIC_ICER1"}, {0xE200, "NVIC_ISPR0"},
      {0xE204, "NVIC_ISPR1"}, {0xE280, "NVIC_ICPR0"}, {0xE284, "NVIC_ICPR1"}, {0xED00, "CPUID"},
      {0xED04, "ICSR"},       {0xED08, "VTOR"},       {0xED0C, "AIRCR"},      {0xED10, "SCR"},
      {0xED14, "CCR"},        {0xED18, "SHPR1"},      {0xED1C, "SHPR2"},      {0xED20, "SHPR3"},
      {0xED24, "SHCSR"},      {0xED28, "CFSR"},       {0xED2C, "HFSR"},       {0xED30, "DFSR"},
      {0xED34, "MMFAR"},      {0xED38, "BFAR"},       {0xED3C, "AFSR"},       {0xED88, "CPACR"},
      {0xED8C, "NSACR"},      {0xED90, "MPU_TYPE"},   {0xED94, "MPU_CTRL"},   {0xED98, "MPU_RNR"},
      {0xED9C, "MPU_RBAR"},   {0xEDA0, "MPU_RLAR"},   {0xEDC0, "MPU_MAIR0"},  {0xEDC4, "MPU_MAIR1"},
      {0xEDD0, "SAU_CTRL"},   {0xEDD4, "SAU_TYPE"},   {0xEDD8, "SAU_RNR"},    {0xEDDC, "SAU_RBAR"},
      {0xEDE0, "SAU_RLAR"},   {0xEDE4, "SFSR"},       {0xEDFC, "DEMCR"},      {0xEF00, "STIR"},
      {0xEF34, "FPCCR"},      {0xEF38, "FPCAR"},      {0xEF3C, "FPDSCR"}};
  return kNames;
}

void SystemControl::reset() {
  exceptions.reset();
  mpu.reset();
  vector_table = coprocessors = 0;
  configuration_ = 0x201;
  fault_status_ = hard_fault_ = 0;
  fp_context_ = 0xC0000004;
  debug_control_ = 0;
  dwt_control_ = 0x40000000;
  tick_control_ = 0;
  systick_at_ = kNever;
}

void SystemControl::record_fault(uint32_t bits, uint32_t address) {
  fault_status_ |= bits;
  if (bits & kMmarValid) memory_address_ = address;
  if (bits & kBfarValid) bus_address_ = address;
}

bool SystemControl::read(const Access&, uint32_t offset, uint32_t& value) {
  if (offset == kDwt) {
    value = dwt_control_;
    return true;
  }
  if (offset == kDwt + 4) {
    value = dwt_control_ & 1 ? static_cast<uint32_t>(view_.cycles() - cycle_base_) : cycle_count_;
    view_.cycle_count_read(value);
    return true;
  }
  if (offset < kScs || offset >= kScs + 0x1000) return false;
  const uint32_t local = offset - kScs;
  if (read_systick(local, value) || mpu.read(local, value)) return true;
  if (exceptions.read(local, value)) {
    if (local == 0xD04) value |= view_.current_exception();
    return true;
  }
  return read_scb(local, value);
}

bool SystemControl::read_scb(uint32_t offset, uint32_t& value) {
  switch (offset) {
    case 0x004:
      value = kInterrupts / 32;
      return true;
    case 0x008:
      value = 0;
      return true;
    case 0xD00:
      value = 0x411FD210;
      return true;
    case 0xD08:
      value = vector_table;
      return true;
    case 0xD10:
      value = sleep_;
      return true;
    case 0xD14:
      value = configuration_;
      return true;
    case 0xD28:
      value = fault_status_;
      return true;
    case 0xD2C:
      value = hard_fault_;
      return true;
    case 0xD30:
    case 0xD3C:
    case 0xDE4:  // SFSR: no security faults here
      value = 0;
      return true;
    case 0xD34:
      value = memory_address_;
      return true;
    case 0xD38:
      value = bus_address_;
      return true;
    case 0xD88:
      value = coprocessors;
      return true;
    case 0xDD0:
      value = 1;  // SAU: on, with one region over the ROM
      return true;
    case 0xDD4:
      value = 8;
      return true;
    case 0xDFC:
      value = debug_control_;
      return true;
    case 0xF34:
      value = fp_context_;
      return true;
    case 0xF38:
      value = fp_context_address_;
      return true;
    case 0xF3C:
      value = fp_default_;
      return true;
    default:
      return false;
  }
}

bool SystemControl::write(const Access& access, uint32_t offset, const Write& write) {
  const uint32_t aligned = offset & ~3u;
  if (aligned >= kScs && aligned < kScs + 0x1000) return write_scs(access, offset - kScs, write.value);
  if (access.bytes != 4) return false;
  if (offset == kDwt) {
    if (write.value & 0x0FFFFFFE) return false;  // events and samples
    const bool on = (write.value & 1) && (debug_control_ >> 24 & 1);
    const bool was_on = dwt_control_ & 1;
    if (was_on && !on) cycle_count_ = static_cast<uint32_t>(view_.cycles() - cycle_base_);
    if (!was_on && on) cycle_base_ = view_.cycles() - cycle_count_;
    dwt_control_ = 0x40000000 | (on ? 1 : 0);
    return true;
  }
  if (offset == kDwt + 4) {
    cycle_count_ = write.value;
    cycle_base_ = view_.cycles() - write.value;
    return true;
  }
  return false;
}

bool SystemControl::write_scs(const Access& access, uint32_t offset, uint32_t value) {
  if (exceptions.write(offset & ~3u, value, access.bytes, offset & 3)) {
    if (offset == 0xD0C && (value & 0xFFFF0004) == 0x05FA0004) view_.reset_requested();
    view_.exceptions_changed();
    return true;
  }
  if (access.bytes != 4) return false;
  return write_systick(offset, value) || mpu.write(offset, value) || write_scb(offset, value);
}

bool SystemControl::write_scb(uint32_t offset, uint32_t value) {
  switch (offset) {
    case 0x008:
      return true;
    case 0xD08:
      vector_table = value & ~0x7Fu;
      return true;
    case 0xD10:
      sleep_ = value & 0x1E;
      return true;
    case 0xD14:
      if (value & 8) return false;  // UNALIGN_TRP
      configuration_ = value | 0x201;
      return true;
    case 0xD28:
      fault_status_ &= ~value;
      return true;
    case 0xD2C:
      hard_fault_ &= ~value;
      return true;
    case 0xD30:
    case 0xD3C:
    case 0xDE4:
      return true;
    case 0xD34:
      memory_address_ = value;
      return true;
    case 0xD38:
      bus_address_ = value;
      return true;
    case 0xD88:
      coprocessors = value;
      return true;
    case 0xDFC:
      debug_control_ = value & 0x01000000;
      return true;
    case 0xF00:
      if (value >= kInterrupts) return false;
      exceptions.pend(kFirstInterrupt + value);
      view_.exceptions_changed();
      return true;
    case 0xF34:
      fp_context_ = value & ~1u;
      return true;
    case 0xF38:
      fp_context_address_ = value;
      return true;
    case 0xF3C:
      fp_default_ = value;
      return true;
    default:
      return false;
  }
}

double SystemControl::systick_period() const {
  if (tick_control_ & kTickFromCore) return 1;
  const double hz = view_.systick_reference_hz();
  return hz == 0 ? 0 : static_cast<double>(view_.sys_hz()) / hz;
}

bool SystemControl::read_systick(uint32_t offset, uint32_t& value) {
  if (offset == 0x10) {
    value = tick_control_;
    tick_control_ &= ~kTickFlag;
  } else if (offset == 0x14) {
    value = tick_reload_;
  } else if (offset == 0x18) {
    const double period = systick_period();
    value = systick_at_ == kNever || period == 0
                ? 0
                : static_cast<uint32_t>(static_cast<double>(systick_at_ - view_.cycles()) / period) & 0xFFFFFF;
  } else {
    return false;
  }
  return true;
}

bool SystemControl::write_systick(uint32_t offset, uint32_t value) {
  if (offset == 0x10) {
    tick_control_ = (tick_control_ & kTickFlag) | (value & 7);
  } else if (offset == 0x14) {
    tick_reload_ = value & 0xFFFFFF;
  } else if (offset == 0x18) {
    tick_control_ &= ~kTickFlag;
    systick_at_ = kNever;  // starts anew
  } else {
    return false;
  }
  const bool runs = (tick_control_ & kTickEnable) && tick_reload_ != 0 && systick_period() > 0;
  if (!runs) systick_at_ = kNever;
  if (runs && systick_at_ == kNever)
    systick_at_ = view_.cycles() + static_cast<uint64_t>((tick_reload_ + 1) * systick_period());
  view_.exceptions_changed();
  return true;
}

void SystemControl::advance(uint64_t cycle) {
  while (systick_at_ <= cycle) {
    tick_control_ |= kTickFlag;
    if (tick_control_ & kTickInterrupt) exceptions.pend(kSysTick);
    systick_at_ += static_cast<uint64_t>((tick_reload_ + 1) * systick_period());
  }
}

}  // namespace wick::sim
