// See gpio.h.
#include "sim/gpio.h"

#include <string>
#include <vector>

namespace wick::sim {
namespace {

// Names of the repeating registers, made once.
std::vector<RegisterName> numbered(const std::vector<std::pair<uint32_t, const char*>>& parts, uint32_t stride,
                                   uint32_t first, std::vector<std::string>& texts) {
  std::vector<RegisterName> names;
  texts.reserve(parts.size() * kPins);
  for (unsigned pin = 0; pin < kPins; ++pin) {
    for (const auto& [offset, suffix] : parts) {
      texts.push_back("GPIO" + std::to_string(pin) + suffix);
      names.push_back({first + stride * pin + offset, texts.back().c_str()});
    }
  }
  return names;
}

}  // namespace

std::span<const RegisterName> Gpio::Io::registers() const {
  static std::vector<std::string> texts;
  static const std::vector<RegisterName> names = numbered({{0, "_STATUS"}, {4, "_CTRL"}}, 8, 0, texts);
  return names;
}

std::span<const RegisterName> Gpio::Pads::registers() const {
  static std::vector<std::string> texts;
  static const std::vector<RegisterName> names = numbered({{0, ""}}, 4, 4, texts);
  return names;
}

bool Gpio::Io::read(const Access&, uint32_t offset, uint32_t& value) {
  const uint32_t index = offset / 8;
  if (index >= kPins) return false;
  const Pin& pin = gpio_.pins_[index];
  value = pin.control;
  if (offset % 8 == 0)
    value = (pin.level ? 1u << 9 : 0) | (pin.driven ? 1u << 13 : 0) | (gpio_.in() >> index & 1 ? 1u << 17 : 0);
  return true;
}

bool Gpio::Io::write(const Access&, uint32_t offset, const Write& write) {
  const uint32_t index = offset / 8;
  if (index >= kPins || offset % 8 == 0) return false;
  if (write.value & 0x3003F000) return false;  // overrides of output, enable and input
  gpio_.pins_[index].control = write.value & 0x1F;
  gpio_.update(index);
  return true;
}

void Gpio::Io::reset() {
  for (unsigned pin = 0; pin < kPins; ++pin) {
    gpio_.pins_[pin].control = 0x1F;
    gpio_.update(pin);
  }
}

bool Gpio::Pads::read(const Access&, uint32_t offset, uint32_t& value) {
  if (offset > 4 * kPins) return false;
  value = offset == 0 ? gpio_.voltage_ : gpio_.pins_[offset / 4 - 1].pad;
  return true;
}

bool Gpio::Pads::write(const Access&, uint32_t offset, const Write& write) {
  if (offset > 4 * kPins) return false;
  if (offset == 0) {
    gpio_.voltage_ = write.value & 1;
    return true;
  }
  gpio_.pins_[offset / 4 - 1].pad = write.value & 0x1FF;
  gpio_.update(offset / 4 - 1);
  return true;
}

void Gpio::Pads::reset() {
  for (unsigned pin = 0; pin < kPins; ++pin) {
    gpio_.pins_[pin].pad = kPadReset;
    gpio_.update(pin);
  }
}

void Gpio::set_out(uint32_t out, uint32_t enabled) {
  const uint32_t changed = (out ^ out_) | (enabled ^ out_enable_);
  out_ = out;
  out_enable_ = enabled;
  for (unsigned pin = 0; pin < kPins; ++pin) {
    if (changed >> pin & 1) update(pin);
  }
}

bool Gpio::reaches_pad(unsigned pin, Function function) const {
  const Pin& p = pins_[pin];
  return (p.control & 0x1F) == static_cast<uint32_t>(function) && !(p.pad & (kIsolated | kOutputOff));
}

bool Gpio::heard(unsigned pin, Function function) const {
  const Pin& p = pins_[pin];
  return (p.control & 0x1F) == static_cast<uint32_t>(function) && !(p.pad & kIsolated) && (p.pad & kInputOn);
}

void Gpio::update(unsigned pin) {
  Pin& p = pins_[pin];
  // An isolated pad keeps what it was when it was isolated; here that is undriven, as at power-up.
  const bool driven = reaches_pad(pin, Function::kSio) && (out_enable_ >> pin & 1);
  const bool level = driven && (out_ >> pin & 1);
  if (driven == p.driven && level == p.level) return;
  p.driven = driven;
  p.level = level;
  if (on_change) on_change(pin, driven, level);
}

uint32_t Gpio::in() const {
  uint32_t value = 0;
  for (unsigned pin = 0; pin < kPins; ++pin) {
    const Pin& p = pins_[pin];
    if ((p.pad & kIsolated) || !(p.pad & kInputOn)) continue;
    bool level = p.pad & 8;  // pulled up
    if (outside_driven_ >> pin & 1) level = outside_ >> pin & 1;
    if (p.driven) level = p.level;
    if (level) value |= 1u << pin;
  }
  return value;
}

void Gpio::set_outside(unsigned pin, bool level) {
  outside_driven_ |= 1u << pin;
  outside_ = (outside_ & ~(1u << pin)) | (level ? 1u << pin : 0);
}

}  // namespace wick::sim
