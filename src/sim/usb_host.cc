// See usb_host.h. Control transfers are queued and go one after the other; the serial port moves packets whenever the
// board has armed an endpoint, at the pace of full speed. A packet of 64 bytes does not end a transfer: the driver
// keeps it from the program until a shorter one comes or its buffer of 128 bytes is full.
#include "sim/usb_host.h"

#include <algorithm>

#include "sim/refusal.h"
#include "sim/usb_descriptors.h"

namespace wick::sim {
namespace {

constexpr uint64_t kUs = 1'000'000, kMs = 1000 * kUs;
constexpr uint64_t kDebouncePs = 100 * kMs, kResetPs = 20 * kMs, kRecoveryPs = 10 * kMs;
constexpr uint64_t kNewAddressPs = 2 * kMs;
constexpr uint64_t kTransactionPs = 53 * kUs;  // 64 bytes and what goes with them at 12 Mbit/s
constexpr uint64_t kRetryPs = 100 * kUs;
constexpr uint64_t kRequestLimitPs = 5000 * kMs;
constexpr size_t kPacket = 64, kDriverBuffer = 128;
constexpr uint8_t kAddress = 5;

}  // namespace

UsbHost::UsbHost(Chip& chip, Usb& device) : chip_(chip), device_(device) {}

void UsbHost::schedule(uint64_t delay_ps) {
  at_ps_ = chip_.time_ps() + delay_ps;
  chip_.reschedule();
}

void UsbHost::complain(const std::string& what) { chip_.stop(StopKind::kProtocol, "USB host: " + what); }

bool UsbHost::expect(bool condition, const std::string& what) {
  if (!condition) complain(what);
  return condition;
}

void UsbHost::plug(bool plugged) {
  plugged_ = plugged;
  device_.set_plugged(plugged);
  if (!plugged) {
    state_ = State::kAbsent;
    requests_.clear();
    stage_ = Stage::kNone;
    opened_ = false;
    transfer_.clear();
    at_ps_ = next_frame_ps_ = kNever;
    suspend_at_ps_ = chip_.time_ps() + 3 * kMs;  // a bus without frames
    chip_.reschedule();
  }
  device_changed();
}

void UsbHost::open(bool open) {
  wants_open_ = open;
  if (state_ == State::kReady && open != opened_) open_port();
}

void UsbHost::set_reading(bool reading) {
  reading_ = reading;
  device_changed();
}

void UsbHost::write(const std::vector<uint8_t>& bytes) {
  to_send_.insert(to_send_.end(), bytes.begin(), bytes.end());
  device_changed();
}

void UsbHost::device_changed() {
  if (!plugged_) return;
  const bool attached = device_.attached();
  if (state_ == State::kAbsent && attached) {
    state_ = State::kDebouncing;
    suspend_at_ps_ = kNever;
    schedule(kDebouncePs);
  } else if (state_ != State::kAbsent && !attached) {
    state_ = State::kAbsent;
    requests_.clear();
    stage_ = Stage::kNone;
    opened_ = false;
    at_ps_ = next_frame_ps_ = kNever;
  } else if (state_ == State::kReady && at_ps_ == kNever) {
    schedule(kTransactionPs);
  }
}

uint64_t UsbHost::next_event_ps() const {
  const uint64_t frame = device_.wants_frames() ? next_frame_ps_ : kNever;
  return std::min({at_ps_, frame, suspend_at_ps_});
}

void UsbHost::advance(uint64_t time_ps) {
  if (suspend_at_ps_ <= time_ps) {
    suspend_at_ps_ = kNever;
    device_.suspend();
  }
  while (next_frame_ps_ <= time_ps) {
    device_.start_of_frame(++frame_);
    next_frame_ps_ += kMs;
  }
  if (at_ps_ > time_ps) return;
  at_ps_ = kNever;
  switch (state_) {
    case State::kAbsent:
      return;
    case State::kDebouncing:
      second_reset_ = false;
      begin_reset();
      return;
    case State::kResetting:
      state_ = State::kRecovering;
      next_frame_ps_ = chip_.time_ps() + kMs;
      schedule(kRecoveryPs);
      return;
    case State::kRecovering:
      state_ = State::kEnumerating;
      begin_enumeration();
      return;
    case State::kEnumerating:
    case State::kReady:
      if ((busy() ? step_control() : step_bulk_out() | step_bulk_in()) && at_ps_ == kNever) schedule(kTransactionPs);
      return;
  }
}

void UsbHost::begin_reset() {
  state_ = State::kResetting;
  next_frame_ps_ = kNever;
  address_ = 0;
  device_.bus_reset();
  schedule(kResetPs);
}

// --- enumeration

void UsbHost::queue(Request request) {
  requests_.push_back(std::move(request));
  if (at_ps_ == kNever) schedule(kTransactionPs);
}

void UsbHost::get_descriptor(uint8_t kind, uint8_t index, uint16_t length, decltype(Request::then) then) {
  queue({0x80,
         6,
         static_cast<uint16_t>(kind << 8 | index),
         static_cast<uint16_t>(kind == 3 && index != 0 ? 0x409 : 0),
         length,
         {},
         std::move(then)});
}

void UsbHost::begin_enumeration() {
  if (!second_reset_) {
    get_descriptor(1, 0, 64, [this](const std::vector<uint8_t>& d, bool done) {
      if (!expect(done && d.size() >= 8, "the board does not tell its device descriptor at address 0")) return;
      second_reset_ = true;
      begin_reset();
    });
    return;
  }
  queue({0x00, 5, kAddress, 0, 0, {}, [this](const std::vector<uint8_t>&, bool done) {
           if (!expect(done, "SET_ADDRESS was refused")) return;
           address_ = kAddress;
           schedule(kNewAddressPs);
           get_descriptor(1, 0, 18, [this](const std::vector<uint8_t>& d, bool done) {
             if (!expect(device_.address() == kAddress, "the board does not have the address that it was given"))
               return;
             const std::string wrong = done ? judge_device_descriptor(d) : "refused";
             if (!expect(wrong.empty(), "device descriptor: " + wrong)) return;
             vendor_ = static_cast<uint16_t>(d[8] | d[9] << 8);
             product_ = static_cast<uint16_t>(d[10] | d[11] << 8);
             std::copy(&d[14], &d[17], string_numbers_);
           });
           // A device of full speed has no qualifier.
           get_descriptor(6, 0, 10, [this](const std::vector<uint8_t>&, bool done) {
             if (!expect(!done, "the board tells a device qualifier, which one of full speed alone must refuse"))
               return;
           });
           get_descriptor(2, 0, 9, [this](const std::vector<uint8_t>& d, bool done) {
             if (!expect(done && d.size() == 9, "configuration descriptor: 9 bytes were asked for")) return;
             get_descriptor(2, 0, static_cast<uint16_t>(d[2] | d[3] << 8),
                            [this](const std::vector<uint8_t>& all, bool done) {
                              if (expect(done, "the configuration was refused")) take_configuration(all);
                            });
           });
         }});
}

void UsbHost::take_configuration(const std::vector<uint8_t>& bytes) {
  const CdcEndpoints found = read_cdc_configuration(bytes);
  if (!expect(found.error.empty(), "configuration: " + found.error)) return;
  in_ = found.in;
  out_ = found.out;
  notify_ = found.notify;
  ask_strings();
  queue({0x00, 9, bytes[5], 0, 0, {}, [this](const std::vector<uint8_t>&, bool done) {
           if (expect(done, "SET_CONFIGURATION was refused")) configure();
         }});
}

void UsbHost::ask_strings() {
  get_descriptor(3, 0, 255, [this](const std::vector<uint8_t>& d, bool done) {
    if (!expect(done && d.size() >= 4 && d[1] == 3, "no table of string languages")) return;
  });
  std::string* const texts[] = {&strings_.manufacturer, &strings_.product, &strings_.serial};
  for (int i = 0; i < 3; ++i) {
    if (string_numbers_[i] == 0) continue;
    get_descriptor(3, string_numbers_[i], 255, [this, text = texts[i]](const std::vector<uint8_t>& d, bool done) {
      if (!expect(done && d.size() >= 2 && d[0] == d.size() && d[1] == 3, "a string descriptor is malformed")) return;
      text->clear();
      for (size_t k = 2; k + 1 < d.size(); k += 2) *text += static_cast<char>(d[k]);
    });
  }
}

void UsbHost::configure() {
  in_data1_ = out_data1_ = notify_data1_ = false;
  state_ = State::kReady;
  if (wants_open_) open_port();
}

void UsbHost::open_port() {
  if (wants_open_) {
    const std::vector<uint8_t> coding = {static_cast<uint8_t>(baud),
                                         static_cast<uint8_t>(baud >> 8),
                                         static_cast<uint8_t>(baud >> 16),
                                         static_cast<uint8_t>(baud >> 24),
                                         0,
                                         0,
                                         8};
    queue({0x21, 0x20, 0, 0, 7, coding, [this](const std::vector<uint8_t>&, bool done) {
             if (!expect(done, "SET_LINE_CODING was refused")) return;
           }});
    queue({0xA1, 0x21, 0, 0, 7, {}, [this, coding](const std::vector<uint8_t>& d, bool done) {
             if (!expect(done && d == coding, "GET_LINE_CODING does not tell what was set")) return;
           }});
  }
  queue({0x21,
         0x22,
         static_cast<uint16_t>(wants_open_ ? 3 : 0),
         0,
         0,
         {},
         [this, open = wants_open_](const auto&, bool done) {
           if (!expect(done, "SET_CONTROL_LINE_STATE was refused")) return;
           opened_ = open;
           if (on_open) on_open(open);
         }});
}

// --- transactions

void UsbHost::send_setup(const Request& r) {
  const auto low = [](uint16_t v) { return static_cast<uint8_t>(v); };
  const auto high = [](uint16_t v) { return static_cast<uint8_t>(v >> 8); };
  device_.setup(
      {r.type, r.request, low(r.value), high(r.value), low(r.index), high(r.index), low(r.length), high(r.length)});
  received_.clear();
  sent_ = 0;
  data1_ = true;
  stage_ = r.length == 0 ? Stage::kStatus : Stage::kData;
}

// One transaction of the control transfer that is under way. True: there is more to do.
bool UsbHost::step_control() {
  const uint64_t now = chip_.time_ps();
  if (stage_ == Stage::kNone) {
    stage_ = Stage::kSetup;
    stage_since_ps_ = now;
  }
  if (!expect(device_.address() == address_, "the board listens at address " + std::to_string(device_.address()) +
                                                 " (ADDR_ENDP) where " + std::to_string(address_) + " is due"))
    return false;
  const Request& r = requests_.front();
  if (stage_ == Stage::kSetup) {
    send_setup(r);
    return true;
  }
  const bool to_host = r.type & 0x80;
  const bool in = stage_ == Stage::kData ? to_host : !(to_host && r.length != 0);
  std::vector<uint8_t> packet;
  bool data1 = true;
  Answer answer = Answer::kNak;
  if (in) {
    answer = device_.in(0, &packet, &data1);
  } else {
    const auto from = r.data.begin() + static_cast<long>(sent_);
    if (stage_ == Stage::kData) packet.assign(from, from + static_cast<long>(std::min(r.data.size() - sent_, kPacket)));
    answer = device_.out(0, packet, stage_ == Stage::kStatus || data1_);
  }
  if (answer == Answer::kNak) {
    if (now - stage_since_ps_ > kRequestLimitPs) complain("request " + hex(r.request) + " was not answered within 5 s");
    at_ps_ = now + kRetryPs;
    return false;
  }
  if (answer == Answer::kStall || answer == Answer::kNothing) {
    const auto then = r.then;
    requests_.pop_front();
    stage_ = Stage::kNone;
    then({}, false);
    return true;
  }
  stage_since_ps_ = now;
  return take_packet(r, in, packet, data1);
}

bool UsbHost::take_packet(const Request& r, bool in, const std::vector<uint8_t>& packet, bool data1) {
  if (in &&
      !expect(data1 == (stage_ == Stage::kStatus || data1_),
              "endpoint 0 sent DATA" + std::to_string(data1) + " where the other is due, in request " + hex(r.request)))
    return false;
  if (stage_ == Stage::kStatus) {
    if (in && !packet.empty()) complain("a status stage with data, in request " + hex(r.request));
    end_stage();
    return true;
  }
  data1_ = !data1_;
  if (in) {
    received_.insert(received_.end(), packet.begin(), packet.end());
    if (!expect(received_.size() <= r.length, "more data than the " + std::to_string(r.length) + " bytes asked for"))
      return false;
    if (packet.size() < kPacket || received_.size() == r.length) stage_ = Stage::kStatus;
  } else {
    sent_ += packet.size();
    if (sent_ == r.data.size()) stage_ = Stage::kStatus;
  }
  return true;
}

void UsbHost::end_stage() {
  const Request done = std::move(requests_.front());
  requests_.pop_front();
  stage_ = Stage::kNone;
  // Requests that `then` adds come right after this one.
  std::deque<Request> later;
  later.swap(requests_);
  done.then(received_, true);
  requests_.insert(requests_.end(), later.begin(), later.end());
}

bool UsbHost::step_bulk_in() {
  step_notification();
  if (!opened_ || !reading_ || !device_.armed(in_, true)) return false;
  std::vector<uint8_t> packet;
  bool data1 = false;
  const Answer answer = device_.in(in_, &packet, &data1);
  if (answer != Answer::kAck) {
    if (answer == Answer::kStall) complain("the data endpoint stalls");
    return false;
  }
  if (!expect(data1 == in_data1_, "endpoint " + std::to_string(in_) + " IN sent DATA" + std::to_string(data1) +
                                      " where the other is due: the packet would be lost"))
    return false;
  in_data1_ = !in_data1_;
  transfer_.insert(transfer_.end(), packet.begin(), packet.end());
  if (packet.size() < kPacket || transfer_.size() >= kDriverBuffer) take_transfer();
  return true;
}

void UsbHost::take_transfer() {
  std::vector<uint8_t> bytes;
  bytes.swap(transfer_);
  for (uint8_t byte : bytes) {
    if (on_byte) on_byte(byte);
  }
}

bool UsbHost::step_bulk_out() {
  if (!opened_ || to_send_.empty() || !device_.armed(out_, false)) return false;
  const size_t count = std::min(to_send_.size(), kPacket);
  const std::vector<uint8_t> packet(to_send_.begin(), to_send_.begin() + static_cast<long>(count));
  const Answer answer = device_.out(out_, packet, out_data1_);
  if (answer == Answer::kStall) complain("the data endpoint stalls");
  if (answer != Answer::kAck) return false;
  out_data1_ = !out_data1_;
  to_send_.erase(to_send_.begin(), to_send_.begin() + static_cast<long>(count));
  return true;
}

void UsbHost::step_notification() {
  if (!device_.armed(notify_, true)) return;
  std::vector<uint8_t> packet;
  bool data1 = false;
  if (device_.in(notify_, &packet, &data1) != Answer::kAck) return;
  if (!expect(data1 == notify_data1_, "a notification with the wrong DATA toggle")) return;
  notify_data1_ = !notify_data1_;
}

}  // namespace wick::sim
