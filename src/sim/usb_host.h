// The computer at the other end of the USB cable: enumerates the board as an operating system does, judges its
// descriptors, opens its serial port, and moves bytes. Knows CDC-ACM; refuses to know what the bytes mean.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/chip.h"
#include "sim/usb.h"

namespace wick::sim {

struct UsbStrings {
  std::string manufacturer, product, serial;
};

class UsbHost {
 public:
  UsbHost(Chip& chip, Usb& device);

  void plug(bool plugged);
  bool plugged() const { return plugged_; }
  // Whether a program has the port open (DTR), and whether it reads.
  void open(bool open);
  void set_reading(bool reading);
  void write(const std::vector<uint8_t>& bytes);
  std::function<void(uint8_t)> on_byte;
  std::function<void(bool open)> on_open;  // the open port is ready

  bool enumerated() const { return state_ == State::kReady; }
  bool is_open() const { return opened_; }
  bool quiet() const { return to_send_.empty() && !busy(); }
  uint16_t vendor() const { return vendor_; }
  uint16_t product() const { return product_; }
  const UsbStrings& strings() const { return strings_; }
  uint32_t baud = 115200;

  uint64_t next_event_ps() const;
  void advance(uint64_t time_ps);
  // The device has armed an endpoint or changed its pull-up.
  void device_changed();

 private:
  using Answer = Usb::Answer;
  enum class State { kAbsent, kDebouncing, kResetting, kRecovering, kEnumerating, kReady };
  enum class Stage { kNone, kSetup, kData, kStatus };
  struct Request {
    uint8_t type, request;
    uint16_t value, index, length;
    std::vector<uint8_t> data;  // of the host's data stage
    // What came, and false when the device answered with STALL.
    std::function<void(const std::vector<uint8_t>& data, bool done)> then;
  };

  bool busy() const { return stage_ != Stage::kNone || !requests_.empty(); }
  void schedule(uint64_t delay_ps);
  [[nodiscard]] bool expect(bool condition, const std::string& what);
  void complain(const std::string& what);
  void begin_reset();
  void queue(Request request);
  void get_descriptor(uint8_t kind, uint8_t index, uint16_t length, decltype(Request::then) then);
  void begin_enumeration();
  void take_configuration(const std::vector<uint8_t>& bytes);
  void ask_strings();
  void configure();
  void open_port();
  void send_setup(const Request& r);
  bool step_control();
  bool take_packet(const Request& r, bool in, const std::vector<uint8_t>& packet, bool data1);
  void end_stage();
  bool step_bulk_in();
  bool step_bulk_out();
  void step_notification();
  void take_transfer();

  Chip& chip_;
  Usb& device_;
  bool plugged_ = true, wants_open_ = true, opened_ = false, reading_ = true, second_reset_ = false;
  State state_ = State::kAbsent;
  uint64_t at_ps_ = kNever, next_frame_ps_ = kNever, suspend_at_ps_ = kNever;
  uint32_t frame_ = 0, address_ = 0;

  std::deque<Request> requests_;
  Stage stage_ = Stage::kNone;
  bool data1_ = false;
  std::vector<uint8_t> received_;
  size_t sent_ = 0;
  uint64_t stage_since_ps_ = 0;

  uint16_t vendor_ = 0, product_ = 0;
  uint8_t string_numbers_[3] = {};
  UsbStrings strings_;
  unsigned in_ = 0, out_ = 0, notify_ = 0;  // endpoints
  bool in_data1_ = false, out_data1_ = false, notify_data1_ = false;
  std::vector<uint8_t> transfer_;  // as read by the driver, not yet the program's
  std::deque<uint8_t> to_send_;
};

}  // namespace wick::sim
