// See clocks.h.
#include "sim/clocks.h"

#include "sim/refusal.h"

namespace wick::sim {
namespace {

constexpr uint64_t kPllLockPs = 50'000'000;  // 50 us
constexpr uint32_t kEnable = 1u << 11, kEnabled = 1u << 28;

uint32_t source_of(uint32_t control) { return (control >> 5) & 7; }

}  // namespace

// --- XOSC

std::span<const RegisterName> Xosc::registers() const {
  static constexpr RegisterName kNames[] = {
      {0, "CTRL"}, {4, "STATUS"}, {8, "DORMANT"}, {0xC, "STARTUP"}, {0x10, "COUNT"}};
  return kNames;
}

bool Xosc::read(const Access&, uint32_t offset, uint32_t& value) {
  switch (offset) {
    case 0:
      value = control_;
      return true;
    case 4:
      value = (stable() ? 1u << 31 : 0) | (enabled() ? 1u << 12 : 0);
      return true;
    case 0xC:
      value = startup_;
      return true;
    default:
      return false;
  }
}

bool Xosc::write(const Access&, uint32_t offset, const Write& write) {
  if (offset == 0) {
    const bool was_enabled = enabled();
    control_ = write.value & 0xFFFFFF;
    const uint64_t cycles = uint64_t{256} * (startup_ & 0x3FFF);
    if (enabled() && !was_enabled) stable_at_ps_ = chip_.time_ps() + cycles * kPicosecondsPerSecond / kCrystalHz;
    chip_.reschedule();
    return true;
  }
  if (offset == 0xC) startup_ = write.value;
  return offset == 0xC;
}

// --- PLL

std::span<const RegisterName> Pll::registers() const {
  static constexpr RegisterName kNames[] = {{0, "CS"},      {4, "PWR"},     {8, "FBDIV_INT"}, {0xC, "PRIM"},
                                            {0x10, "INTR"}, {0x14, "INTE"}, {0x18, "INTF"},   {0x1C, "INTS"}};
  return kNames;
}

void Pll::reset() {
  cs_ = 1;
  power_ = 0x2D;
  feedback_ = 0;
  prim_ = 0x77000;
  if (on_change) on_change();
}

bool Pll::running() const { return (power_ & 0x21) == 0 && xosc_.stable() && feedback_ != 0; }

uint64_t Pll::vco_hz() const {
  const uint32_t divider = cs_ & 0x3F;
  return divider == 0 ? 0 : kCrystalHz / divider * feedback_;
}

uint64_t Pll::hz() const {
  if (!locked() || (power_ & 8)) return 0;
  const uint32_t first = (prim_ >> 16) & 7, second = (prim_ >> 12) & 7;
  return first == 0 || second == 0 ? 0 : vco_hz() / (first * second);
}

bool Pll::read(const Access&, uint32_t offset, uint32_t& value) {
  switch (offset) {
    case 0:
      value = cs_ | (locked() ? 1u << 31 : 0);
      return true;
    case 4:
      value = power_;
      return true;
    case 8:
      value = feedback_;
      return true;
    case 0xC:
      value = prim_;
      return true;
    default:
      return false;
  }
}

bool Pll::write(const Access&, uint32_t offset, const Write& write) {
  const bool was_running = running();
  switch (offset) {
    case 0:
      cs_ = write.value & 0x13F;
      break;
    case 4:
      power_ = write.value & 0x2D;
      break;
    case 8:
      feedback_ = write.value & 0xFFF;
      break;
    case 0xC:
      prim_ = write.value & 0x77000;
      break;
    default:
      return false;
  }
  if (running() && !was_running) {
    locked_at_ps_ = chip_.time_ps() + kPllLockPs;
    if (feedback_ < 16 || feedback_ > 320)
      chip_.stop(StopKind::kUnmodelled, std::string(name()) + " started with FBDIV " + std::to_string(feedback_) +
                                            ", which must be 16 to 320");
    else if (vco_hz() < 750'000'000 || vco_hz() > 1'600'000'000)
      chip_.stop(StopKind::kUnmodelled, std::string(name()) + " started with a VCO of " +
                                            std::to_string(vco_hz() / 1'000'000) + " MHz, which must be 750 to 1600");
  }
  chip_.reschedule();
  if (on_change) on_change();
  return true;
}

// --- CLOCKS

std::span<const RegisterName> Clocks::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x00, "GPOUT0_CTRL"},      {0x30, "REF_CTRL"},      {0x34, "REF_DIV"},      {0x38, "REF_SELECTED"},
      {0x3C, "SYS_CTRL"},         {0x40, "SYS_DIV"},       {0x44, "SYS_SELECTED"}, {0x48, "PERI_CTRL"},
      {0x4C, "PERI_DIV"},         {0x50, "PERI_SELECTED"}, {0x54, "HSTX_CTRL"},    {0x60, "USB_CTRL"},
      {0x64, "USB_DIV"},          {0x68, "USB_SELECTED"},  {0x6C, "ADC_CTRL"},     {0x84, "SYS_RESUS_CTRL"},
      {0x88, "SYS_RESUS_STATUS"}, {0x8C, "FC0_REF_KHZ"}};
  return kNames;
}

uint64_t Clocks::aux_hz(uint32_t source) const {
  switch (source) {
    case 0:
      return pll_sys_.hz();
    case 1:
      return pll_usb_.hz();
    case 2:
      return kRoscHz;
    case 3:
      return xosc_.stable() ? kCrystalHz : 0;
    default:
      return 0;
  }
}

uint64_t Clocks::ref_hz() const {
  const uint32_t divider = (ref_div_ >> 16) & 0xFF;
  uint64_t hz = 0;
  if ((ref_ctrl_ & 3) == 0) hz = kRoscHz;
  if ((ref_ctrl_ & 3) == 1) hz = source_of(ref_ctrl_) == 0 ? pll_usb_.hz() : 0;
  if ((ref_ctrl_ & 3) == 2) hz = xosc_.stable() ? kCrystalHz : 0;
  return hz / (divider == 0 ? 256 : divider);
}

uint64_t Clocks::sys_hz() const {
  const uint32_t divider = sys_div_ >> 16;
  const uint64_t hz = sys_ctrl_ & 1 ? aux_hz(source_of(sys_ctrl_)) : ref_hz();
  return hz / (divider == 0 ? 65536 : divider);
}

uint64_t Clocks::peri_hz() const {
  if (!(peri_ctrl_ & kEnable)) return 0;
  const uint32_t divider = (peri_div_ >> 16) & 3, source = source_of(peri_ctrl_);
  uint64_t hz = 0;
  if (source == 0) hz = sys_hz();
  if (source == 1) hz = pll_sys_.hz();
  if (source == 2) hz = pll_usb_.hz();
  if (source == 3) hz = kRoscHz;
  if (source == 4) hz = xosc_.stable() ? kCrystalHz : 0;
  return hz / (divider == 0 ? 4 : divider);
}

uint64_t Clocks::usb_hz() const {
  if (!(usb_ctrl_ & kEnable)) return 0;
  const uint32_t divider = (usb_div_ >> 16) & 0xF, source = source_of(usb_ctrl_);
  uint64_t hz = 0;
  if (source == 0) hz = pll_usb_.hz();
  if (source == 1) hz = pll_sys_.hz();
  if (source == 2) hz = kRoscHz;
  if (source == 3) hz = xosc_.stable() ? kCrystalHz : 0;
  return hz / (divider == 0 ? 16 : divider);
}

void Clocks::check_alive() {
  if (ref_hz() == 0) chip_.stop(StopKind::kUnmodelled, "clk_ref has lost its source: the chip would hang");
  if (sys_hz() == 0) chip_.stop(StopKind::kUnmodelled, "clk_sys has lost its source: the chip would hang");
  if (sys_hz() > 150'000'000)
    chip_.warn("clk_sys runs at " + std::to_string(sys_hz() / 1'000'000) + " MHz, the RP2350 is specified for 150");
}

bool Clocks::read(const Access&, uint32_t offset, uint32_t& value) {
  const auto status = [](uint32_t control) { return control | (control & kEnable ? kEnabled : 0); };
  switch (offset) {
    case 0x30:
      value = ref_ctrl_;
      return true;
    case 0x34:
      value = ref_div_;
      return true;
    case 0x38:
      value = 1u << (ref_ctrl_ & 3);
      return true;
    case 0x3C:
      value = sys_ctrl_;
      return true;
    case 0x40:
      value = sys_div_;
      return true;
    case 0x44:
      value = 1u << (sys_ctrl_ & 1);
      return true;
    case 0x48:
      value = status(peri_ctrl_);
      return true;
    case 0x4C:
      value = peri_div_;
      return true;
    case 0x50:
    case 0x68:
      value = 1;
      return true;
    case 0x60:
      value = status(usb_ctrl_);
      return true;
    case 0x64:
      value = usb_div_;
      return true;
    case 0x84:
      value = resus_ctrl_;
      return true;
    default:
      return false;
  }
}

bool Clocks::write(const Access&, uint32_t offset, const Write& write) {
  switch (offset) {
    case 0x30:
      ref_ctrl_ = write.value & 0x63;
      break;
    case 0x34:
      ref_div_ = write.value;
      break;
    case 0x3C:
      if ((sys_ctrl_ & write.value & 1) && source_of(sys_ctrl_ ^ write.value) != 0)
        chip_.stop(StopKind::kUnmodelled, "CLOCKS.SYS_CTRL: AUXSRC changed while clk_sys runs from it: it may glitch");
      sys_ctrl_ = write.value & 0xE1;
      break;
    case 0x40:
      sys_div_ = write.value;
      break;
    case 0x48:
      peri_ctrl_ = write.value & 0xCE0;
      break;
    case 0x4C:
      peri_div_ = write.value;
      break;
    case 0x60:
      usb_ctrl_ = write.value & 0x130CE0;
      break;
    case 0x64:
      usb_div_ = write.value;
      break;
    case 0x84:
      resus_ctrl_ = write.value;
      break;
    default:
      return false;
  }
  if (on_change) on_change();
  return true;
}

}  // namespace wick::sim
