// See usb.h.
#include "sim/usb.h"

#include <algorithm>
#include <cstring>

#include "sim/refusal.h"

namespace wick::sim {
namespace {

// Buffer control.
constexpr uint32_t kFull = 1 << 15, kData1 = 1 << 13, kStallBit = 1 << 11, kAvailable = 1 << 10, kLength = 0x3FF;
// SIE_STATUS.
constexpr uint32_t kSequenceError = 1u << 31, kBusReset = 1 << 19, kComplete = 1 << 18, kSetupReceived = 1 << 17,
                   kConnected = 1 << 16, kSuspended = 1 << 4, kVbus = 1;
constexpr uint32_t kClearable = 0xFF0E0810 | kSuspended;
// Interrupts.
constexpr uint32_t kOnBuffer = 1 << 4, kOnReset = 1 << 12, kOnConnect = 1 << 13, kOnSuspend = 1 << 14,
                   kOnResume = 1 << 15, kOnSetup = 1 << 16;
constexpr uint32_t kPullUp = 1 << 16;
constexpr uint64_t kUsbCyclePs = 20'833;

}  // namespace

std::span<const RegisterName> Usb::Registers::registers() const {
  static constexpr RegisterName kNames[] = {{0x00, "ADDR_ENDP"},
                                            {0x40, "MAIN_CTRL"},
                                            {0x44, "SOF_WR"},
                                            {0x48, "SOF_RD"},
                                            {0x4C, "SIE_CTRL"},
                                            {0x50, "SIE_STATUS"},
                                            {0x54, "INT_EP_CTRL"},
                                            {0x58, "BUFF_STATUS"},
                                            {0x5C, "BUFF_CPU_SHOULD_HANDLE"},
                                            {0x60, "EP_ABORT"},
                                            {0x64, "EP_ABORT_DONE"},
                                            {0x68, "EP_STALL_ARM"},
                                            {0x6C, "NAK_POLL"},
                                            {0x70, "EP_STATUS_STALL_NAK"},
                                            {0x74, "USB_MUXING"},
                                            {0x78, "USB_PWR"},
                                            {0x7C, "USBPHY_DIRECT"},
                                            {0x80, "USBPHY_DIRECT_OVERRIDE"},
                                            {0x84, "USBPHY_TRIM"},
                                            {0x88, "LINESTATE_TUNING"},
                                            {0x8C, "INTR"},
                                            {0x90, "INTE"},
                                            {0x94, "INTF"},
                                            {0x98, "INTS"},
                                            {0x100, "SOF_TIMESTAMP_RAW"},
                                            {0x108, "SM_STATE"},
                                            {0x10C, "EP_TX_ERROR"},
                                            {0x110, "EP_RX_ERROR"},
                                            {0x114, "DEV_SM_WATCHDOG"}};
  return kNames;
}

std::span<const RegisterName> Usb::BufferMemory::registers() const {
  static constexpr RegisterName kNames[] = {
      {0x00, "SETUP_LOW"}, {0x04, "SETUP_HIGH"}, {0x80, "EP0_IN_BUFFER_CONTROL"}, {0x84, "EP0_OUT_BUFFER_CONTROL"}};
  return kNames;
}

void Usb::reset() {
  address_ = sie_status_ = buffer_status_ = stall_arm_ = muxing_ = power_ = enabled_ = forced_ = abort_ = abort_done_ =
      0;
  main_ = 4;
  sie_control_ = 0x8000;
  update_interrupt();
  if (on_change) on_change();
}

bool Usb::attached() const {
  const bool controller = (main_ & 1) && !(main_ & 2) && !(main_ & 4);
  const bool wired = (muxing_ & 9) == 9;
  const bool powered = (power_ & 8) ? (power_ & 4) != 0 : plugged_;
  return (sie_control_ & kPullUp) && controller && wired && powered && clocks_.usb_hz() == 48'000'000;
}

uint32_t Usb::word(uint32_t offset) const {
  uint32_t value;
  std::memcpy(&value, bytes_.data() + offset, 4);
  return value;
}

void Usb::set_word(uint32_t offset, uint32_t value) { std::memcpy(bytes_.data() + offset, &value, 4); }

uint32_t Usb::raw_interrupts() const {
  return (buffer_status_ ? kOnBuffer : 0) | (sie_status_ & kBusReset ? kOnReset : 0) |
         (sie_status_ & kSetupReceived ? kOnSetup : 0) | (sie_status_ & kSuspended ? kOnSuspend : 0) |
         (connected_changed_ ? kOnConnect : 0) | (frame_seen_ ? kSofBit : 0);
}

void Usb::update_interrupt() { chip_.set_interrupt(kInterrupt, ((raw_interrupts() & enabled_) | forced_) != 0); }

bool Usb::Registers::read(const Access&, uint32_t offset, uint32_t& value) {
  Usb& u = usb_;
  switch (offset) {
    case 0x00:
      value = u.address_;
      return true;
    case 0x40:
      value = u.main_;
      return true;
    case 0x48:
      value = u.frame_;
      u.frame_seen_ = false;
      u.update_interrupt();
      return true;
    case 0x4C:
      value = u.sie_control_;
      return true;
    case 0x50: {
      const bool powered = (u.power_ & 8) ? (u.power_ & 4) != 0 : u.plugged_;
      value = u.sie_status_ | (powered ? kVbus : 0);
      return true;
    }
    case 0x58:
      value = u.buffer_status_;
      return true;
    case 0x60:
      value = u.abort_;
      return true;
    case 0x64:
      value = u.abort_done_;
      return true;
    case 0x68:
      value = u.stall_arm_;
      return true;
    case 0x74:
      value = u.muxing_;
      return true;
    case 0x78:
      value = u.power_;
      return true;
    case 0x8C:
      value = u.raw_interrupts();
      return true;
    case 0x90:
      value = u.enabled_;
      return true;
    case 0x94:
      value = u.forced_;
      return true;
    case 0x98:
      value = (u.raw_interrupts() & u.enabled_) | u.forced_;
      return true;
    default:
      return false;
  }
}

bool Usb::Registers::write(const Access&, uint32_t offset, const Write& write) {
  Usb& u = usb_;
  switch (offset) {
    case 0x00:
      u.address_ = write.value & 0x7F;
      break;
    case 0x40:
      if (write.value & 2) return false;  // host mode
      u.main_ = write.value & 5;
      break;
    case 0x4C:
      if (write.value & ~(0x20000000u | kPullUp | 0x8000u | 0x1000u)) return false;
      u.sie_control_ = write.value;
      if ((write.value & kPullUp) && u.clocks_.usb_hz() != 48'000'000)
        u.chip_.warn("USB's pull-up is on with clk_usb at " + std::to_string(u.clocks_.usb_hz()) +
                     " Hz instead of 48 MHz: no host will see the board");
      break;
    case 0x50:
      u.sie_status_ &= ~(write.raw & kClearable);
      if (write.raw & kConnected) u.connected_changed_ = false;
      break;
    case 0x58:
      u.buffer_status_ &= ~write.raw;
      break;
    case 0x60:
      u.abort_ = write.value;
      u.abort_done_ |= write.value;
      break;
    case 0x64:
      u.abort_done_ &= ~write.raw;
      break;
    case 0x68:
      u.stall_arm_ = write.value & 3;
      break;
    case 0x74:
      u.muxing_ = write.value;
      break;
    case 0x78:
      u.power_ = write.value;
      break;
    case 0x90:
      if (write.value & ~(kOnBuffer | kOnReset | kOnConnect | kOnSuspend | kOnResume | kOnSetup | kSofBit))
        return false;
      u.enabled_ = write.value;
      break;
    case 0x94:
      u.forced_ = write.value;
      break;
    default:
      return false;
  }
  u.update_interrupt();
  if (u.on_change) u.on_change();
  return true;
}

bool Usb::BufferMemory::read(const Access& access, uint32_t offset, uint32_t& value) {
  if (offset + access.bytes > kBytes) return false;
  value = 0;
  std::memcpy(&value, usb_.bytes_.data() + offset, access.bytes);
  return true;
}

bool Usb::BufferMemory::write(const Access& access, uint32_t offset, const Write& write) {
  if (offset + access.bytes > kBytes) return false;
  const uint32_t aligned = offset & ~3u;
  const uint32_t before = usb_.word(aligned);
  std::memcpy(usb_.bytes_.data() + offset, &write.value, access.bytes);
  if (aligned >= 0x80 && aligned < 0x100) usb_.judge_arming(aligned, before, usb_.word(aligned));
  return true;
}

// The controller reads buffer control in its own clock: what goes with AVAILABLE must have been there before it.
void Usb::judge_arming(uint32_t offset, uint32_t before, uint32_t after) {
  if (after >> 16 & kAvailable) {
    chip_.stop(StopKind::kUnmodelled, "the second buffer of a USB endpoint is used, which is not modelled");
    return;
  }
  uint64_t& written_ps = control_written_ps_[(offset - 0x80) / 4];
  if ((after & kAvailable) && !(before & kAvailable)) {
    const std::string name = "USB endpoint " + std::to_string((offset - 0x80) / 8) + (offset & 4 ? " OUT" : " IN");
    if ((before ^ after) & ~kAvailable)
      chip_.warn(name + ": AVAILABLE is set together with other bits: the controller may take it with old ones");
    else if (chip_.time_ps() < written_ps + kUsbCyclePs)
      chip_.warn(name + ": AVAILABLE is set less than a cycle of clk_usb after the other bits");
    if (on_change) on_change();
  }
  written_ps = chip_.time_ps();
}

uint32_t Usb::buffer_of(unsigned endpoint, bool in) const {
  if (endpoint == 0) return 0x100;
  const uint32_t control = word(8 * endpoint + (in ? 0 : 4));
  if (!(control >> 31)) return 0;
  if (control >> 30 & 1)
    chip_.stop(StopKind::kUnmodelled, "a double-buffered USB endpoint is used, which is not modelled");
  return control & 0xFFC0;
}

bool Usb::armed(unsigned endpoint, bool in) const {
  if (endpoint != 0 && !(word(8 * endpoint + (in ? 0 : 4)) >> 31)) return false;
  const uint32_t control = word(control_at(endpoint, in));
  const bool stalls = (control & kStallBit) && (endpoint != 0 || (stall_arm_ >> (in ? 0 : 1) & 1));
  return stalls || ((control & kAvailable) && ((control & kFull) != 0) == in);
}

void Usb::finish_buffer(unsigned endpoint, bool in) {
  const bool wanted = endpoint == 0 ? (sie_control_ >> 29 & 1) : (word(8 * endpoint + (in ? 0 : 4)) >> 29 & 1);
  if (wanted) buffer_status_ |= 1u << (2 * endpoint + (in ? 0 : 1));
  sie_status_ |= kComplete;
  update_interrupt();
}

void Usb::bus_reset() {
  address_ = 0;
  sie_status_ = (sie_status_ & ~kSuspended) | kBusReset;
  set_connected(true);
  update_interrupt();
}

void Usb::suspend() {
  sie_status_ |= kSuspended;
  update_interrupt();
}

void Usb::set_plugged(bool plugged) {
  plugged_ = plugged;
  if (!plugged) set_connected(false);
}

void Usb::set_connected(bool connected) {
  if (connected == ((sie_status_ & kConnected) != 0)) return;
  sie_status_ ^= kConnected;
  connected_changed_ = true;
  update_interrupt();
}

void Usb::start_of_frame(uint32_t number) {
  frame_ = number & 0x7FF;
  frame_seen_ = true;
  update_interrupt();
}

Usb::Answer Usb::setup(const std::array<uint8_t, 8>& packet) {
  std::copy(packet.begin(), packet.end(), bytes_.begin());
  stall_arm_ = 0;
  sie_status_ |= kSetupReceived;
  update_interrupt();
  return Answer::kAck;
}

Usb::Answer Usb::in(unsigned endpoint, std::vector<uint8_t>* data, bool* data1) {
  const uint32_t buffer = buffer_of(endpoint, true);
  if (buffer == 0) return Answer::kNothing;
  if (!armed(endpoint, true)) return Answer::kNak;
  const uint32_t at = control_at(endpoint, true), control = word(at);
  if (control & kStallBit) return Answer::kStall;
  const uint32_t length = control & kLength;
  if (length > 64 || buffer + length > kBytes) {
    chip_.stop(StopKind::kProtocol, "a USB packet of " + std::to_string(length) + " bytes, full speed allows 64");
    return Answer::kNothing;
  }
  data->assign(bytes_.begin() + buffer, bytes_.begin() + buffer + length);
  *data1 = (control & kData1) != 0;
  set_word(at, control & ~(kAvailable | kFull));
  finish_buffer(endpoint, true);
  return Answer::kAck;
}

Usb::Answer Usb::out(unsigned endpoint, const std::vector<uint8_t>& data, bool data1) {
  const uint32_t buffer = buffer_of(endpoint, false);
  if (buffer == 0) return Answer::kNothing;
  if (!armed(endpoint, false)) return Answer::kNak;
  const uint32_t at = control_at(endpoint, false), control = word(at);
  if (control & kStallBit) return Answer::kStall;
  if (data.size() > (control & kLength))
    chip_.warn("USB endpoint " + std::to_string(endpoint) + " OUT was armed for " + std::to_string(control & kLength) +
               " bytes and gets " + std::to_string(data.size()));
  if (((control & kData1) != 0) != data1) {
    sie_status_ |= kSequenceError;
    chip_.stop(StopKind::kProtocol, "USB endpoint " + std::to_string(endpoint) + " OUT expects DATA" +
                                        std::to_string(data1 ? 0 : 1) + ", the host sends DATA" +
                                        std::to_string(data1 ? 1 : 0) + ": the packet would be dropped");
    return Answer::kNothing;
  }
  std::copy(data.begin(), data.end(), bytes_.begin() + buffer);
  set_word(at, (control & ~(kAvailable | kLength)) | kFull | static_cast<uint32_t>(data.size()));
  finish_buffer(endpoint, false);
  return Answer::kAck;
}

}  // namespace wick::sim
