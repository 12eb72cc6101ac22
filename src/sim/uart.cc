// See uart.h.
#include "sim/uart.h"

#include <cmath>

namespace wick::sim {
namespace {

constexpr uint32_t kRxInterrupt = 1 << 4, kTxInterrupt = 1 << 5, kRxTimeout = 1 << 6;
constexpr uint32_t kTxEnable = 1 << 8, kRxEnable = 1 << 9;
// What a receiver still reads right: a tenth of the byte's ten bits would be half a bit.
constexpr double kBaudTolerance = 0.04;

}  // namespace

std::span<const RegisterName> Uart::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x00, "DR"}, {0x04, "RSR"},  {0x18, "FR"},   {0x20, "ILPR"}, {0x24, "IBRD"}, {0x28, "FBRD"}, {0x2C, "LCR_H"},
      {0x30, "CR"}, {0x34, "IFLS"}, {0x38, "IMSC"}, {0x3C, "RIS"},  {0x40, "MIS"},  {0x44, "ICR"},  {0x48, "DMACR"}};
  return kNames;
}

void Uart::reset() {
  integer_ = fraction_ = line_ = mask_ = dma_ = latched_integer_ = latched_fraction_ = 0;
  control_ = 0x300;
  levels_ = 0x12;
  sending_.clear();
  received_.clear();
  sent_at_ps_ = kNever;
  sent_interrupt_ = false;
  update_interrupt();
}

double Uart::baud() const {
  const double divisor = latched_integer_ + latched_fraction_ / 64.0;
  return divisor < 1 ? 0 : static_cast<double>(clocks_.peri_hz()) / (16 * divisor);
}

uint64_t Uart::byte_ps() const {
  const double bits = 2.0 + 5 + (line_ >> 5 & 3) + (line_ >> 3 & 1) + (line_ >> 1 & 1);
  return static_cast<uint64_t>(bits / baud() * 1e12);
}

uint32_t Uart::flags() const {
  const size_t depth = line_ & 0x10 ? kFifoBytes : 1;
  uint32_t value = 0;
  // One byte of those that are sent is in the shift register, not in the FIFO.
  if (sending_.size() <= 1) value |= 1 << 7;
  if (received_.size() >= depth) value |= 1 << 6;
  if (sending_.size() > depth) value |= 1 << 5;
  if (received_.empty()) value |= 1 << 4;
  if (!sending_.empty()) value |= 1 << 3;
  return value;
}

uint32_t Uart::raw_interrupts() const {
  constexpr uint32_t kEighths[] = {4, 8, 16, 24, 28, 28, 28, 28};
  uint32_t value = 0;
  if (received_.size() >= (line_ & 0x10 ? kEighths[levels_ >> 3 & 7] : 1)) value |= kRxInterrupt;
  if (!received_.empty() && typed_.empty()) value |= kRxTimeout;
  if (sent_interrupt_) value |= kTxInterrupt;
  return value;
}

void Uart::update_interrupt() { chip_.set_interrupt(kInterrupt, (raw_interrupts() & mask_) != 0); }

bool Uart::read(const Access&, uint32_t offset, uint32_t& value) {
  switch (offset) {
    case 0x00:
      value = received_.empty() ? 0 : received_.front();
      if (!received_.empty()) received_.pop_front();
      update_interrupt();
      return true;
    case 0x04:
      value = 0;
      return true;
    case 0x18:
      value = flags();
      return true;
    case 0x24:
      value = integer_;
      return true;
    case 0x28:
      value = fraction_;
      return true;
    case 0x2C:
      value = line_;
      return true;
    case 0x30:
      value = control_;
      return true;
    case 0x34:
      value = levels_;
      return true;
    case 0x38:
      value = mask_;
      return true;
    case 0x3C:
      value = raw_interrupts();
      return true;
    case 0x40:
      value = raw_interrupts() & mask_;
      return true;
    case 0x48:
      value = dma_;
      return true;
    default:
      return false;
  }
}

bool Uart::write(const Access&, uint32_t offset, const Write& write) {
  switch (offset) {
    case 0x00:
      send(static_cast<uint8_t>(write.raw));
      break;
    case 0x04:
      break;
    case 0x24:
      integer_ = write.value & 0xFFFF;
      break;
    case 0x28:
      fraction_ = write.value & 0x3F;
      break;
    case 0x2C:
      line_ = write.value & 0xFF;
      latched_integer_ = integer_;
      latched_fraction_ = fraction_;
      break;
    case 0x30:
      if (write.value & 0x80) return false;  // loop back
      control_ = write.value & 0xFF87;
      if ((control_ & 1) && baud() == 0)
        chip_.stop(StopKind::kUnmodelled,
                   clocks_.peri_hz() == 0
                       ? "UART0 was enabled without clk_peri (CLOCKS.PERI_CTRL)"
                       : "UART0 was enabled without a baud rate (LCR_H, written last, takes IBRD and FBRD over)");
      break;
    case 0x34:
      levels_ = write.value & 0x3F;
      break;
    case 0x38:
      mask_ = write.value & 0x7FF;
      break;
    case 0x44:
      if (write.raw & kTxInterrupt) sent_interrupt_ = false;
      break;
    case 0x48:
      if (write.value != 0) return false;
      break;
    default:
      return false;
  }
  update_interrupt();
  return true;
}

void Uart::send(uint8_t byte) {
  if (!enabled(kTxEnable)) {
    chip_.warn("bytes were written to UART0 while it was off (CR) and are lost");
    return;
  }
  if (sending_.size() > (line_ & 0x10 ? kFifoBytes : 1)) {
    chip_.warn("bytes were written to UART0 while its FIFO was full (FR.TXFF) and are lost");
    return;
  }
  if (sending_.empty()) {
    sent_at_ps_ = chip_.time_ps() + byte_ps();
    chip_.reschedule();
  }
  sending_.push_back(byte);
}

void Uart::deliver(uint8_t byte) {
  if (!gpio_.reaches_pad(kTxPin, Function::kUart)) {
    chip_.warn("UART0 sends, but GPIO0 is not its output (IO_BANK0 FUNCSEL 2, PADS_BANK0 ISO and OD clear)");
    return;
  }
  const double error = std::abs(baud() / terminal_baud - 1);
  if (error > kBaudTolerance) {
    chip_.warn("UART0 sends at " + std::to_string(static_cast<long>(baud())) + " baud, the terminal reads at " +
               std::to_string(terminal_baud));
    byte = '?';
  }
  if (on_byte) on_byte(byte);
}

void Uart::type(uint8_t byte) {
  if (typed_.empty()) typed_at_ps_ = chip_.time_ps() + 10 * kPicosecondsPerSecond / terminal_baud;
  typed_.push_back(byte);
  chip_.reschedule();
}

uint64_t Uart::next_event_ps() const { return std::min(sent_at_ps_, typed_at_ps_); }

void Uart::advance(uint64_t time_ps) {
  while (sent_at_ps_ <= time_ps) {
    const uint8_t byte = sending_.front();
    sending_.pop_front();
    deliver(byte);
    sent_at_ps_ = sending_.empty() || baud() == 0 ? kNever : sent_at_ps_ + byte_ps();
    if (sending_.size() <= 16) sent_interrupt_ = true;
  }
  while (typed_at_ps_ <= time_ps) {
    const uint8_t byte = typed_.front();
    typed_.pop_front();
    typed_at_ps_ = typed_.empty() ? kNever : typed_at_ps_ + 10 * kPicosecondsPerSecond / terminal_baud;
    if (!enabled(kRxEnable) || !gpio_.heard(kRxPin, Function::kUart)) {
      chip_.warn("bytes came in on GPIO1 while UART0 could not hear them and are lost");
    } else if (received_.size() >= (line_ & 0x10 ? kFifoBytes : 1)) {
      chip_.warn("bytes came in faster than UART0 was read and are lost");
    } else {
      received_.push_back(byte);
    }
  }
  update_interrupt();
}

}  // namespace wick::sim
