// The USB controller as a device: its registers, its buffer memory, and what it answers to a host's packets. Knows
// single-buffered endpoints; refuses to know what is sent over them and what a host is up to.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/bus.h"
#include "sim/clocks.h"

namespace wick::sim {

class Usb {
 public:
  Usb(Chip& chip, const Clocks& clocks) : registers_(*this), memory_(*this), chip_(chip), clocks_(clocks) {}

  class Registers final : public Block {
   public:
    explicit Registers(Usb& usb) : Block("USB"), usb_(usb) {}
    std::span<const RegisterName> registers() const override;
    bool read(const Access&, uint32_t offset, uint32_t& value) override;
    bool write(const Access&, uint32_t offset, const Write& write) override;
    void reset() override { usb_.reset(); }

   private:
    Usb& usb_;
  };
  class BufferMemory final : public Block {
   public:
    explicit BufferMemory(Usb& usb) : Block("USB_DPRAM"), usb_(usb) {}
    std::span<const RegisterName> registers() const override;
    bool read(const Access& access, uint32_t offset, uint32_t& value) override;
    bool write(const Access& access, uint32_t offset, const Write& write) override;

   private:
    Usb& usb_;
  };
  Block& registers() { return registers_; }
  Block& memory() { return memory_; }

  // What a host sees and does.
  enum class Answer { kAck, kNak, kStall, kNothing };
  bool attached() const;  // the pull-up is there and the controller can work
  void bus_reset();
  void suspend();
  void set_plugged(bool plugged);
  uint32_t address() const { return address_ & 0x7F; }
  Answer setup(const std::array<uint8_t, 8>& packet);
  Answer in(unsigned endpoint, std::vector<uint8_t>* data, bool* data1);
  Answer out(unsigned endpoint, const std::vector<uint8_t>& data, bool data1);
  // True when the endpoint would answer with something other than NAK.
  bool armed(unsigned endpoint, bool in) const;
  void start_of_frame(uint32_t number);
  bool wants_frames() const { return (enabled_ & kSofBit) != 0; }
  // Called when the image has armed an endpoint, or has switched the pull-up or the controller.
  std::function<void()> on_change;

 private:
  static constexpr uint32_t kBytes = 4096;
  static constexpr unsigned kInterrupt = 14;
  static constexpr uint32_t kSofBit = 1u << 17;
  void reset();
  void set_connected(bool connected);
  uint32_t word(uint32_t offset) const;
  void set_word(uint32_t offset, uint32_t value);
  static uint32_t control_at(unsigned endpoint, bool in) { return 0x80 + 8 * endpoint + (in ? 0 : 4); }
  // Where an endpoint's data lies; 0 when it is not enabled.
  uint32_t buffer_of(unsigned endpoint, bool in) const;
  void finish_buffer(unsigned endpoint, bool in);
  void judge_arming(uint32_t offset, uint32_t before, uint32_t after);
  uint32_t raw_interrupts() const;
  void update_interrupt();

  Registers registers_;
  BufferMemory memory_;
  Chip& chip_;
  const Clocks& clocks_;
  std::array<uint8_t, kBytes> bytes_{};
  std::array<uint64_t, 32> control_written_ps_{};
  uint32_t address_ = 0, main_ = 4, sie_control_ = 0x8000, sie_status_ = 0, buffer_status_ = 0, stall_arm_ = 0;
  uint32_t muxing_ = 0, power_ = 0, enabled_ = 0, forced_ = 0, abort_ = 0, abort_done_ = 0, frame_ = 0;
  bool frame_seen_ = false, plugged_ = true, connected_changed_ = false;
};

}  // namespace wick::sim
