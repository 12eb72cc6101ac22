// See resets.h.
#include "sim/resets.h"

namespace wick::sim {

std::span<const RegisterName> Resets::registers() const {
  static constexpr RegisterName kNames[] = {{0, "RESET"}, {4, "WDSEL"}, {8, "RESET_DONE"}};
  return kNames;
}

bool Resets::read(const Access&, uint32_t offset, uint32_t& value) {
  if (offset == 0) value = bus_.held();
  if (offset == 4) value = watchdog_select_;
  if (offset == 8) value = ~bus_.held() & kAll;
  return offset <= 8;
}

bool Resets::write(const Access&, uint32_t offset, const Write& write) {
  if (offset == 0) bus_.set_held(write.value & kAll);
  if (offset == 4) watchdog_select_ = write.value & kAll;
  return offset <= 4;
}

std::span<const RegisterName> Psm::registers() const {
  static constexpr RegisterName kNames[] = {{0, "FRCE_ON"}, {4, "FRCE_OFF"}, {8, "WDSEL"}, {0xC, "DONE"}};
  return kNames;
}

bool Psm::read(const Access&, uint32_t offset, uint32_t& value) {
  const uint32_t values[] = {force_on_, force_off_, watchdog_select_, kAll & ~force_off_};
  if (offset > 0xC) return false;
  value = values[offset / 4];
  return true;
}

bool Psm::write(const Access&, uint32_t offset, const Write& write) {
  const uint32_t value = write.value & kAll;
  if (offset == 0) force_on_ = value;
  if (offset == 8) watchdog_select_ = value;
  if (offset == 4) {
    if (value & ~kProc1) return false;  // would take away what the image runs on
    const uint32_t changed = force_off_ ^ value;
    force_off_ = value;
    if ((changed & kProc1) && on_core1) on_core1((value & kProc1) != 0);
  }
  return offset <= 8;
}

std::span<const RegisterName> Watchdog::registers() const {
  static constexpr RegisterName kNames[] = {{0, "CTRL"},        {4, "LOAD"},        {8, "REASON"},
                                            {0xC, "SCRATCH0"},  {0x10, "SCRATCH1"}, {0x14, "SCRATCH2"},
                                            {0x18, "SCRATCH3"}, {0x1C, "SCRATCH4"}, {0x20, "SCRATCH5"},
                                            {0x24, "SCRATCH6"}, {0x28, "SCRATCH7"}};
  return kNames;
}

bool Watchdog::read(const Access&, uint32_t offset, uint32_t& value) {
  if (offset == 0) {
    const uint64_t left = deadline_ps_ == kNever ? load_ : (deadline_ps_ - chip_.time_ps()) / 1'000'000;
    value = control_ | (static_cast<uint32_t>(left) & 0xFFFFFF);
  } else if (offset == 8) {
    value = 0;
  } else if (offset >= 0xC && offset <= 0x28) {
    value = scratch_[(offset - 0xC) / 4];
  } else {
    return false;
  }
  return true;
}

void Watchdog::feed() {
  deadline_ps_ = control_ & kEnable ? chip_.time_ps() + uint64_t{load_} * 1'000'000 : kNever;
  chip_.reschedule();
}

bool Watchdog::write(const Access&, uint32_t offset, const Write& write) {
  if (offset == 0) {
    if (write.value & kTrigger) chip_.stop(StopKind::kCaller, "the image asked the watchdog for a reset");
    control_ = write.value & (kEnable | 0x7000000);
    feed();
  } else if (offset == 4) {
    load_ = write.value & 0xFFFFFF;
    feed();
  } else if (offset >= 0xC && offset <= 0x28) {
    scratch_[(offset - 0xC) / 4] = write.value;
  } else {
    return false;
  }
  return true;
}

void Watchdog::advance(uint64_t time_ps) {
  if (time_ps < deadline_ps_) return;
  deadline_ps_ = kNever;
  chip_.stop(StopKind::kCaller, "the watchdog was not fed and reset the chip");
}

std::span<const RegisterName> SysInfo::registers() const {
  static constexpr RegisterName kNames[] = {
      {0, "CHIP_ID"}, {4, "PACKAGE_SEL"}, {8, "PLATFORM"}, {0x14, "GITREF_RP2350"}};
  return kNames;
}

bool SysInfo::read(const Access&, uint32_t offset, uint32_t& value) {
  constexpr uint32_t kChipIdA2 = 0x20004927;
  if (offset == 0) value = kChipIdA2;
  if (offset == 4) value = 0;  // RP2350A's package has the bit clear
  if (offset == 8) value = 2;  // silicon
  return offset <= 8;
}

Storage::Storage(const char* name, std::vector<Register> registers) : Block(name), registers_(std::move(registers)) {
  for (const Register& r : registers_) names_.push_back(r.name);
}

bool Storage::read(const Access&, uint32_t offset, uint32_t& value) {
  for (const Register& r : registers_) {
    if (r.name.offset != offset) continue;
    value = r.value;
    return true;
  }
  return false;
}

uint32_t Storage::value(uint32_t offset) {
  uint32_t value = 0;
  read({}, offset, value);
  return value;
}

bool Storage::write(const Access&, uint32_t offset, const Write& write) {
  for (Register& r : registers_) {
    if (r.name.offset != offset) continue;
    r.value = write.value;
    if (on_write) on_write();
    return true;
  }
  return false;
}

}  // namespace wick::sim
