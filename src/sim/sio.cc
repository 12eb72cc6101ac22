// See sio.h. The words that launch core 1 are 0, 0, 1, vector table, stack pointer, entry; each is answered by the same
// word, and a wrong one starts the sequence anew.
#include "sim/sio.h"

namespace wick::sim {

std::span<const RegisterName> Sio::registers() const {
  static constexpr RegisterName kNames[] = {{0x000, "CPUID"},
                                            {0x004, "GPIO_IN"},
                                            {0x008, "GPIO_HI_IN"},
                                            {0x010, "GPIO_OUT"},
                                            {0x014, "GPIO_HI_OUT"},
                                            {0x018, "GPIO_OUT_SET"},
                                            {0x01C, "GPIO_HI_OUT_SET"},
                                            {0x020, "GPIO_OUT_CLR"},
                                            {0x024, "GPIO_HI_OUT_CLR"},
                                            {0x028, "GPIO_OUT_XOR"},
                                            {0x02C, "GPIO_HI_OUT_XOR"},
                                            {0x030, "GPIO_OE"},
                                            {0x034, "GPIO_HI_OE"},
                                            {0x038, "GPIO_OE_SET"},
                                            {0x03C, "GPIO_HI_OE_SET"},
                                            {0x040, "GPIO_OE_CLR"},
                                            {0x044, "GPIO_HI_OE_CLR"},
                                            {0x048, "GPIO_OE_XOR"},
                                            {0x04C, "GPIO_HI_OE_XOR"},
                                            {0x050, "FIFO_ST"},
                                            {0x054, "FIFO_WR"},
                                            {0x058, "FIFO_RD"},
                                            {0x05C, "SPINLOCK_ST"},
                                            {0x180, "DOORBELL_OUT_SET"},
                                            {0x184, "DOORBELL_OUT_CLR"},
                                            {0x188, "DOORBELL_IN_SET"},
                                            {0x18C, "DOORBELL_IN_CLR"},
                                            {0x1A0, "MTIME_CTRL"}};
  return kNames;
}

bool Sio::read(const Access& access, uint32_t offset, uint32_t& value) {
  Mailbox& own = mailboxes_[access.core];
  const Mailbox& other = mailboxes_[1 - access.core];
  switch (offset) {
    case 0x00:
      value = static_cast<uint32_t>(access.core);
      return true;
    case 0x04:
      value = gpio_.in();
      return true;
    case 0x10:
      value = gpio_.out();
      return true;
    case 0x30:
      value = gpio_.enabled();
      return true;
    case 0x50:
      value = (own.words.empty() ? 0 : 1) | (other.words.size() < kMailboxWords ? 2 : 0) | (own.overflowed ? 4 : 0) |
              (own.underflowed ? 8 : 0);
      return true;
    case 0x58:
      value = own.words.empty() ? 0 : own.words.front();
      if (own.words.empty()) {
        own.underflowed = true;
      } else {
        own.words.pop_front();
      }
      update_interrupts();
      return true;
    case 0x5C:
      value = locks_;
      return true;
    default:
      break;
  }
  if (offset < 0x100 || offset > 0x17C) return false;
  const uint32_t lock = 1u << (offset - 0x100) / 4;
  value = locks_ & lock ? 0 : lock;
  locks_ |= lock;
  return true;
}

bool Sio::write_gpio(uint32_t offset, uint32_t value) {
  const uint32_t out = gpio_.out(), enabled = gpio_.enabled();
  switch (offset) {
    case 0x10:
      gpio_.set_out(value, enabled);
      return true;
    case 0x18:
      gpio_.set_out(out | value, enabled);
      return true;
    case 0x20:
      gpio_.set_out(out & ~value, enabled);
      return true;
    case 0x28:
      gpio_.set_out(out ^ value, enabled);
      return true;
    case 0x30:
      gpio_.set_out(out, value);
      return true;
    case 0x38:
      gpio_.set_out(out, enabled | value);
      return true;
    case 0x40:
      gpio_.set_out(out, enabled & ~value);
      return true;
    case 0x48:
      gpio_.set_out(out, enabled ^ value);
      return true;
    default:
      return false;
  }
}

bool Sio::write(const Access& access, uint32_t offset, const Write& write) {
  if (write_gpio(offset, write.value)) return true;
  Mailbox& own = mailboxes_[access.core];
  if (offset == 0x50) {
    own.overflowed = own.underflowed = false;
    update_interrupts();
    return true;
  }
  if (offset == 0x54) {
    send(access.core, write.value);
    return true;
  }
  if (offset >= 0x100 && offset <= 0x17C) {
    locks_ &= ~(1u << (offset - 0x100) / 4);
    return true;
  }
  return false;
}

void Sio::send(int from, uint32_t word) {
  if (from == 0 && core1_ == Core1::kInRom) {
    boot_rom_receives(word);
    return;
  }
  Mailbox& to = mailboxes_[1 - from];
  if (to.words.size() < kMailboxWords) {
    to.words.push_back(word);
  } else {
    mailboxes_[from].overflowed = true;
  }
  update_interrupts();
  on_event(1 - from);
}

void Sio::boot_rom_receives(uint32_t word) {
  constexpr uint32_t kFixed[] = {0, 0, 1};
  launch_[launch_words_] = word;
  if (launch_words_ < 3 && word != kFixed[launch_words_]) {
    launch_words_ = word == 0 ? 1 : 0;
  } else {
    ++launch_words_;
  }
  if (mailboxes_[0].words.size() < kMailboxWords) mailboxes_[0].words.push_back(word);
  update_interrupts();
  on_event(0);
  if (launch_words_ < 6) return;
  launch_words_ = 0;
  core1_ = Core1::kLaunched;
  on_launch(Entry{launch_[3], launch_[5], launch_[4], 0});
}

void Sio::hold_core1(bool held) {
  mailboxes_[1] = {};
  launch_words_ = 0;
  if (held) {
    core1_ = Core1::kHeld;
    return;
  }
  core1_ = Core1::kInRom;
  if (mailboxes_[0].words.size() < kMailboxWords) mailboxes_[0].words.push_back(0);
  update_interrupts();
  on_event(0);
}

void Sio::update_interrupts() {
  for (int core = 0; core < 2; ++core) {
    const Mailbox& m = mailboxes_[core];
    on_mailbox_interrupt(core, !m.words.empty() || m.overflowed || m.underflowed);
  }
}

}  // namespace wick::sim
