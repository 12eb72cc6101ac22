// SIO: pins at once, the mailboxes between the cores, spinlocks; and what core 1's boot ROM does with its mailbox until
// it is launched. Knows both cores' ends; refuses to know cores.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "sim/boot.h"
#include "sim/bus.h"
#include "sim/gpio.h"

namespace wick::sim {

class Sio final : public Block {
 public:
  Sio(Chip& chip, Gpio& gpio) : Block("SIO"), chip_(chip), gpio_(gpio) {}
  std::span<const RegisterName> registers() const override;
  bool read(const Access& access, uint32_t offset, uint32_t& value) override;
  bool write(const Access& access, uint32_t offset, const Write& write) override;

  // Core 1 goes into reset, or comes out of it and waits in its boot ROM.
  void hold_core1(bool held);
  std::function<void(const Entry&)> on_launch;
  std::function<void(int core, bool raised)> on_mailbox_interrupt;
  std::function<void(int core)> on_event;  // something that ends a WFE of that core

 private:
  static constexpr size_t kMailboxWords = 4;
  enum class Core1 { kHeld, kInRom, kLaunched };
  struct Mailbox {
    std::deque<uint32_t> words;  // to this core
    bool overflowed = false;     // this core wrote into a full one
    bool underflowed = false;    // this core read from an empty one
  };
  void send(int from, uint32_t word);
  void boot_rom_receives(uint32_t word);
  void update_interrupts();
  bool write_gpio(uint32_t offset, uint32_t value);

  Chip& chip_;
  Gpio& gpio_;
  // The boot ROM of core 1 has said hello before the image starts.
  Mailbox mailboxes_[2] = {{{0}, false, false}, {}};
  uint32_t locks_ = 0;
  Core1 core1_ = Core1::kInRom;
  uint32_t launch_[6] = {};
  unsigned launch_words_ = 0;
};

}  // namespace wick::sim
