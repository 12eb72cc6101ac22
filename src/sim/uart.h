// UART0, a PL011, and the wire to a terminal. Knows the FIFOs, the baud rate that follows from clk_peri, and that bytes
// only get out through a pad; refuses to know who listens.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "sim/bus.h"
#include "sim/clocks.h"
#include "sim/gpio.h"

namespace wick::sim {

class Uart final : public Block {
 public:
  Uart(Chip& chip, const Clocks& clocks, const Gpio& gpio)
      : Block("UART0"), chip_(chip), clocks_(clocks), gpio_(gpio) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access&, uint32_t offset, uint32_t& value) override;
  bool write(const Access&, uint32_t offset, const Write& write) override;
  void reset() override;
  uint64_t next_event_ps() const override;
  void advance(uint64_t time_ps) override;

  std::function<void(uint8_t)> on_byte;  // what the terminal reads
  void type(uint8_t byte);               // what is sent to the board
  bool quiet() const { return sending_.empty() && typed_.empty(); }
  uint32_t terminal_baud = 115200;

 private:
  static constexpr size_t kFifoBytes = 32;
  static constexpr unsigned kInterrupt = 33, kTxPin = 0, kRxPin = 1;
  double baud() const;
  uint64_t byte_ps() const;
  bool enabled(uint32_t what) const { return (control_ & 1) && (control_ & what); }
  void send(uint8_t byte);
  void deliver(uint8_t byte);
  void update_interrupt();
  uint32_t flags() const;
  uint32_t raw_interrupts() const;

  Chip& chip_;
  const Clocks& clocks_;
  const Gpio& gpio_;
  uint32_t integer_ = 0, fraction_ = 0, line_ = 0, control_ = 0x300, levels_ = 0x12, mask_ = 0, dma_ = 0;
  uint32_t latched_integer_ = 0, latched_fraction_ = 0;
  std::deque<uint8_t> sending_;  // the first is on the wire
  uint64_t sent_at_ps_ = kNever;
  std::deque<uint8_t> typed_, received_;
  uint64_t typed_at_ps_ = kNever;
  bool sent_interrupt_ = false;
};

}  // namespace wick::sim
