// See bus.h.
#include "sim/bus.h"

#include "sim/refusal.h"

namespace wick::sim {
namespace {

struct Place {
  uint32_t base, bytes;
  const char* name;
};
constexpr Place kUnmodelled[] = {
    {0x00000000, 0x8000, "boot ROM"},  {0x10000000, 0x10000000, "flash (XIP)"},
    {0x40008000, 0x4000, "SYSCFG"},    {0x40060000, 0x4000, "ADC/ACCESSCTRL"},
    {0x40078000, 0x4000, "UART1"},     {0x40080000, 0x8000, "SPI0"},
    {0x40088000, 0x8000, "SPI1"},      {0x40090000, 0x8000, "I2C0"},
    {0x40098000, 0x8000, "I2C1"},      {0x400a0000, 0x8000, "ADC"},
    {0x400a8000, 0x8000, "PWM"},       {0x400b8000, 0x8000, "TIMER1"},
    {0x400c0000, 0x8000, "HSTX"},      {0x40030000, 0x8000, "IO_QSPI"},
    {0x40040000, 0x8000, "PADS_QSPI"}, {0x40068000, 0x8000, "BUSCTRL"},
    {0x400f0000, 0x8000, "TRNG"},      {0x400f8000, 0x8000, "SHA256"},
    {0x40100000, 0x8000, "POWMAN"},    {0x40120000, 0x8000, "OTP"},
    {0x40140000, 0x8000, "CORESIGHT"}, {0x40158000, 0x8000, "GLITCH_DETECTOR"},
    {0x40160000, 0x8000, "TBMAN"},     {0x50000000, 0x4000, "DMA"},
    {0x50200000, 0x4000, "PIO0"},      {0x50300000, 0x4000, "PIO1"},
    {0x50400000, 0x4000, "PIO2"},      {0x50500000, 0x1000, "XIP_AUX"},
    {0x50600000, 0x1000, "HSTX_FIFO"}, {0xd0020000, 0x1000, "SIO_NONSEC"},
    {0xe0000000, 0x100000, "PPB"},
};

uint32_t replicate(uint32_t value, uint32_t bytes) {
  if (bytes == 1) return (value & 0xFF) * 0x01010101u;
  if (bytes == 2) return (value & 0xFFFF) * 0x00010001u;
  return value;
}

}  // namespace

const char* unmodelled_block(uint32_t address) {
  for (const Place& place : kUnmodelled) {
    if (address - place.base < place.bytes) return place.name;
  }
  return nullptr;
}

void Bus::set_held(uint32_t bits) {
  for (const Window& window : windows_) {
    if (window.reset_bit < 0) continue;
    const uint32_t bit = 1u << window.reset_bit;
    if ((bits & ~held_) & bit) window.block->reset();
  }
  held_ = bits;
}

std::string Bus::describe(uint32_t address) const {
  for (const Window& window : windows_) {
    uint32_t offset = address - window.base;
    if (offset >= window.bytes) continue;
    const char* alias = "";
    if (window.kind == Kind::kRegisters) {
      constexpr const char* kAliases[] = {"", ", XOR alias", ", SET alias", ", CLR alias"};
      alias = kAliases[(offset >> 12) & 3];
      offset &= 0xFFF;
    }
    std::string name = std::string(window.block->name()) + "+" + hex(offset);
    for (const RegisterName& r : window.block->registers()) {
      if (r.offset == (offset & ~3u)) name = std::string(window.block->name()) + "." + r.name;
    }
    return name + " (" + hex(address) + alias + ")";
  }
  const char* place = unmodelled_block(address);
  return place == nullptr ? hex(address) : std::string(place) + " (" + hex(address) + ")";
}

bool Bus::usable(const Window& window, uint32_t offset, const char* what) {
  if (window.reset_bit < 0 || !(held_ & (1u << window.reset_bit))) return true;
  chip_.stop(StopKind::kUnmodelled, std::string(what) + " " + describe(window.base + offset) +
                                        ", which is held in reset (RESETS bit " + std::to_string(window.reset_bit) +
                                        ")");
  return false;
}

uint32_t Bus::read(const Access& access, const Window& window, uint32_t offset) {
  if (!usable(window, offset, "read of")) return 0;
  const uint32_t local = window.kind == Kind::kRegisters ? offset & 0xFFF : offset;
  const uint32_t at = window.kind == Kind::kBytes ? local : local & ~3u;
  uint32_t value = 0;
  if (!window.block->read(access, at, value)) {
    chip_.stop(StopKind::kUnmodelled, "read of " + describe(window.base + offset) + ", which is not modelled");
    return 0;
  }
  if (window.kind == Kind::kBytes) return value;
  const uint32_t shifted = value >> (8 * (offset & 3));
  return access.bytes == 1 ? shifted & 0xFF : access.bytes == 2 ? shifted & 0xFFFF : shifted;
}

void Bus::write(const Access& access, const Window& window, uint32_t offset, uint32_t value) {
  if (!usable(window, offset, "write to")) return;
  bool done = false;
  if (window.kind == Kind::kBytes || window.kind == Kind::kPrivate) {
    done = window.block->write(access, offset, {value, value});
  } else if (window.kind == Kind::kPlain) {
    if (access.bytes == 4) done = window.block->write(access, offset, {value, value});
  } else {
    const uint32_t at = offset & 0xFFC;
    const uint32_t raw = replicate(value, access.bytes);
    const uint32_t alias = (offset >> 12) & 3;
    uint32_t old = 0;
    done = alias == 0 || window.block->read(access, at, old);
    const uint32_t results[] = {raw, old ^ raw, old | raw, old & ~raw};
    done = done && window.block->write(access, at, {results[alias], raw});
  }
  if (done) return;
  const std::string size = access.bytes == 4 ? "" : " of " + std::to_string(access.bytes) + " bytes";
  chip_.stop(StopKind::kUnmodelled, "write" + size + " of " + hex(value) + " to " + describe(window.base + offset) +
                                        ", which is not modelled");
}

}  // namespace wick::sim
