// See usb.h. All state is changed with the USB interrupt held off or in it. Waiting loops serve the controller
// themselves, so they also work in a fault handler.
#include "pico2/usb.h"

#include "pico2/registers.h"
#include "pico2/time.h"
#include "pico2/usb_descriptors.h"

namespace wick::pico2 {
namespace {

enum : uint32_t {
  kAddress = kUsb,
  kMainControl = kUsb + 0x40,
  kSieControl = kUsb + 0x4C,
  kSieStatus = kUsb + 0x50,
  kBufferStatus = kUsb + 0x58,
  kStallArm = kUsb + 0x68,
  kMuxing = kUsb + 0x74,
  kPower = kUsb + 0x78,
  kInterruptEnable = kUsb + 0x90,
  kInterruptStatus = kUsb + 0x98,
};
enum Interrupt : uint32_t {
  kOnBuffer = 1u << 4,
  kOnBusReset = 1u << 12,
  kOnSuspend = 1u << 14,
  kOnResume = 1u << 15,
  kOnSetup = 1u << 16,
};
// Bits of SIE_STATUS that stand for interrupts, cleared by writing them.
enum : uint32_t { kSuspended = 1u << 4, kResumed = 1u << 11, kSetupReceived = 1u << 17, kBusReset = 1u << 19 };

// Buffers in the controller's memory, and an endpoint's place in its tables: IN of endpoint n is 2n, OUT 2n + 1.
enum Endpoint : uint32_t { kControlIn = 0, kControlOut = 1, kNotify = 2, kInput = 4, kOutput = 5 };  // bits, too
constexpr uint32_t kControlBuffer = 0x100, kNotifyBuffer = 0x180, kSendBuffer = 0x1C0, kReceiveBuffer = 0x200;
constexpr uint32_t kFull = 1u << 15, kData1 = 1u << 13, kStall = 1u << 11, kAvailable = 1u << 10, kLength = 0x3FF;

constexpr uint32_t kUsbInterrupt = 14;
constexpr uint32_t kQueueBytes = 1024;
constexpr uint32_t kPatienceMicroseconds = 100'000;

struct Setup {
  uint8_t type, request;
  uint16_t value, index, length;
};

// What the control endpoint still has to send, what comes in for it, and what happens when its status stage is over.
struct Control {
  const uint8_t* data;
  uint32_t left;
  bool closing_packet;  // the host asked for more than there is, and the last packet is full
  uint32_t data_bit;
  uint8_t new_address;
  bool takes_line_coding;
};

Control control;
uint8_t reply[64];
uint8_t line_coding[7] = {0x00, 0xC2, 0x01, 0x00, 0, 0, 8};  // 115200 8N1, as good as any
volatile bool configured, asleep, port_open, stuck;
uint32_t send_bit, receive_bit;
bool sending, sent_full_packet;
uint8_t queue[kQueueBytes];  // waits to be sent: from `taken` to `added`
volatile uint32_t added, taken;
volatile uint32_t received_length, received_at;

volatile uint8_t* usb_bytes(uint32_t offset) { return reinterpret_cast<volatile uint8_t*>(kUsbRam + offset); }

// AVAILABLE follows when the controller, on its slower clock, has seen the rest.
void arm(uint32_t endpoint, uint32_t word) {
  volatile uint32_t& buffer = reg(kUsbRam + 0x80 + 4 * endpoint);
  buffer = word;
  __asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop");
  buffer = word | kAvailable;
}

// --- control endpoint ------------------------------------------------------------------------------------------

void send_control_packet() {
  const uint32_t bytes = control.left < kControlPacket ? control.left : kControlPacket;
  for (uint32_t i = 0; i < bytes; ++i) usb_bytes(kControlBuffer)[i] = control.data[i];
  control.data += bytes;
  control.left -= bytes;
  arm(kControlIn, kFull | control.data_bit | bytes);
  control.data_bit ^= kData1;
}

void send_control(const uint8_t* data, uint32_t bytes, uint32_t asked) {
  control.data = data;
  control.left = bytes < asked ? bytes : asked;
  control.closing_packet = bytes < asked && bytes % kControlPacket == 0;
  arm(kControlOut, kData1 | kControlPacket);  // the host's status stage; it may also cut the data short
  send_control_packet();
}

void acknowledge() {
  control.left = 0;
  control.closing_packet = false;
  arm(kControlIn, kFull | kData1);
}

void refuse() {
  reg(kStallArm) = 3;
  reg(kUsbRam + 0x80) = kStall;
  reg(kUsbRam + 0x84) = kStall;
}

uint32_t string_descriptor(uint32_t index) {
  if (index > 3) return 0;
  uint32_t bytes = 2;
  if (index == 0) {  // the languages there are: English
    reply[bytes++] = 0x09;
    reply[bytes++] = 0x04;
  } else {
    for (const char* c = kStrings[index - 1]; *c != '\0'; ++c) {
      reply[bytes++] = static_cast<uint8_t>(*c);
      reply[bytes++] = 0;
    }
  }
  reply[0] = static_cast<uint8_t>(bytes);
  reply[1] = 3;
  return bytes;
}

void describe(const Setup& setup) {
  const uint32_t kind = setup.value >> 8;
  if (kind == 1) return send_control(kDeviceDescriptor, sizeof(kDeviceDescriptor), setup.length);
  if (kind == 2) return send_control(kConfigurationDescriptor, sizeof(kConfigurationDescriptor), setup.length);
  const uint32_t bytes = kind == 3 ? string_descriptor(setup.value & 0xFF) : 0;
  if (bytes == 0) return refuse();
  send_control(reply, bytes, setup.length);
}

void reset_data_endpoints() {
  send_bit = receive_bit = 0;
  sending = sent_full_packet = false;
  taken = added;  // meant for whoever listened before
  received_length = 0;
  received_at = 0;
  stuck = false;
}

void configure(bool on) {
  reset_data_endpoints();
  configured = on;
  port_open = false;
  constexpr uint32_t kEnable = 1u << 31, kInterruptPerBuffer = 1u << 29, kBulk = 2u << 26, kInterruptType = 3u << 26;
  const uint32_t enable = on ? kEnable | kInterruptPerBuffer : 0;
  reg(kUsbRam + 4 * kNotify) = enable | kInterruptType | kNotifyBuffer;
  reg(kUsbRam + 4 * kInput) = enable | kBulk | kSendBuffer;
  reg(kUsbRam + 4 * kOutput) = enable | kBulk | kReceiveBuffer;
  for (uint32_t endpoint = kNotify; endpoint <= kOutput; ++endpoint) reg(kUsbRam + 0x80 + 4 * endpoint) = 0;
  if (on) arm(kOutput, kBulkPacket);
}

void clear_halt(uint32_t endpoint) {
  if (endpoint == kDataIn) {
    send_bit = 0;
    sending = false;  // what was armed goes with the old toggle: it is given up
    reg(kUsbRam + 0x80 + 4 * kInput) = 0;
  }
  if (endpoint == kDataOut) {
    receive_bit = 0;
    if (received_length == 0) arm(kOutput, kBulkPacket);
  }
  acknowledge();
}

void handle_setup() {
  const Setup setup = {*usb_bytes(0), *usb_bytes(1), static_cast<uint16_t>(*usb_bytes(2) | *usb_bytes(3) << 8),
                       static_cast<uint16_t>(*usb_bytes(4) | *usb_bytes(5) << 8),
                       static_cast<uint16_t>(*usb_bytes(6) | *usb_bytes(7) << 8)};
  control.data_bit = kData1;
  control.takes_line_coding = false;
  control.new_address = 0;
  switch (setup.type << 8 | setup.request) {
    case 0x0005:  // SET_ADDRESS: holds from the end of the status stage on
      control.new_address = static_cast<uint8_t>(setup.value & 0x7F);
      return acknowledge();
    case 0x8006:
      return describe(setup);
    case 0x0009:
      configure(setup.value != 0);
      return acknowledge();
    case 0x8008:
      reply[0] = configured ? 1 : 0;
      return send_control(reply, 1, setup.length);
    case 0x8000:
    case 0x8100:
    case 0x8200:  // status of device, interface, endpoint: nothing to tell
      reply[0] = reply[1] = 0;
      return send_control(reply, 2, setup.length);
    case 0x0201:
      return clear_halt(setup.index);
    case 0x2120:  // SET_LINE_CODING: 7 bytes follow
      control.takes_line_coding = true;
      return arm(kControlOut, kData1 | kControlPacket);
    case 0xA121:
      return send_control(line_coding, sizeof(line_coding), setup.length);
    case 0x2122:  // SET_CONTROL_LINE_STATE: bit 0 is DTR
      port_open = (setup.value & 1) != 0;
      stuck = false;
      return acknowledge();
    default:
      return refuse();
  }
}

void control_sent() {
  if (control.new_address != 0) {
    reg(kAddress) = control.new_address;
    control.new_address = 0;
  } else if (control.left > 0) {
    send_control_packet();
  } else if (control.closing_packet) {
    control.closing_packet = false;
    arm(kControlIn, kFull | control.data_bit);
  }
}

void control_received() {
  if (!control.takes_line_coding) return;
  control.takes_line_coding = false;
  for (uint32_t i = 0; i < sizeof(line_coding); ++i) line_coding[i] = usb_bytes(kControlBuffer)[i];
  acknowledge();
}

// --- data endpoints --------------------------------------------------------------------------------------------

void send_more() {
  if (!configured || sending) return;
  uint32_t bytes = added - taken;
  if (bytes == 0 && !sent_full_packet) return;
  if (bytes > kBulkPacket) bytes = kBulkPacket;
  for (uint32_t i = 0; i < bytes; ++i) usb_bytes(kSendBuffer)[i] = queue[(taken + i) % kQueueBytes];
  taken = taken + bytes;
  sending = true;
  sent_full_packet = bytes == kBulkPacket;  // then an empty packet says that no more comes
  arm(kInput, kFull | send_bit | bytes);
  send_bit ^= kData1;
}

void handle_buffers() {
  const uint32_t done = reg(kBufferStatus);
  reg(kBufferStatus) = done;
  if ((done & 1u << kControlIn) != 0) control_sent();
  if ((done & 1u << kControlOut) != 0) control_received();
  if ((done & 1u << kInput) != 0) {
    sending = false;
    stuck = false;
  }
  if ((done & 1u << kOutput) != 0 && configured) {
    received_at = 0;
    received_length = reg(kUsbRam + 0x80 + 4 * kOutput) & kLength;
    receive_bit ^= kData1;
    if (received_length == 0) arm(kOutput, receive_bit | kBulkPacket);
  }
}

void handle_bus_reset() {
  reg(kAddress) = 0;
  control = {};
  configure(false);
  asleep = false;
}

void serve() {
  const uint32_t why = reg(kInterruptStatus);
  // Cleared before they are handled: what comes meanwhile raises the interrupt again.
  if ((why & kOnBusReset) != 0) {
    reg(kSieStatus) = kBusReset;
    handle_bus_reset();
  }
  if ((why & kOnSuspend) != 0) {
    reg(kSieStatus) = kSuspended;
    asleep = true;
  }
  if ((why & kOnResume) != 0) {
    reg(kSieStatus) = kResumed;
    asleep = false;
  }
  // What ended before a new request came belongs to the old one.
  if ((why & kOnBuffer) != 0) {
    asleep = false;
    handle_buffers();
  }
  if ((why & kOnSetup) != 0) {
    reg(kSieStatus) = kSetupReceived;
    asleep = false;
    handle_setup();
  }
  send_more();
}

class InterruptsOff {
 public:
  InterruptsOff() { __asm volatile("mrs %0, primask\n cpsid i" : "=r"(before_)::"memory"); }
  ~InterruptsOff() { __asm volatile("msr primask, %0" ::"r"(before_) : "memory"); }
  InterruptsOff(const InterruptsOff&) = delete;
  InterruptsOff& operator=(const InterruptsOff&) = delete;

 private:
  uint32_t before_;
};

void serve_now() {
  const InterruptsOff off;
  serve();
}

// True when there is room for a byte before patience ends.
bool wait_for_room() {
  const uint32_t start = microseconds();
  while (added - taken == kQueueBytes) {
    serve_now();
    if (!usb_has_listener()) return false;
    if (microseconds() - start > kPatienceMicroseconds) {
      stuck = true;
      return false;
    }
  }
  return true;
}

}  // namespace

void start_usb() {
  restart(kUsbBlock);
  for (uint32_t i = 0; i < 4096; i += 4) reg(kUsbRam + i) = 0;
  reg(kMuxing) = 1u << 3 | 1u << 0;  // the controller has the pins
  reg(kPower) = 1u << 3 | 1u << 2;   // power on the bus is taken for granted
  reg(kMainControl) = 1;             // on, as a device, its pins connected
  reg(kSieControl) = 1u << 29;       // tell of every control buffer
  reg(kInterruptEnable) = kOnBuffer | kOnBusReset | kOnSuspend | kOnResume | kOnSetup;
  reg(0xE000E100) = 1u << kUsbInterrupt;
  set_bits(kSieControl, 1u << 16);  // the pull-up: here we are
}

bool usb_has_listener() { return configured && port_open && !asleep && !stuck; }

void write_usb(const void* bytes, size_t count) {
  const uint8_t* from = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < count; ++i) {
    if (!usb_has_listener() || !wait_for_room()) return;
    queue[added % kQueueBytes] = from[i];
    added = added + 1;
  }
  serve_now();
}

void serve_usb() {
  serve_now();
  reg(0xE000E280) = 1u << kUsbInterrupt;  // no longer pending
}

void drain_usb() {
  const uint32_t start = microseconds();
  while (usb_has_listener() && (sending || added != taken) && microseconds() - start < kPatienceMicroseconds) {
    serve_now();
  }
}

bool read_usb(uint8_t* byte) {
  if (received_at == received_length) return false;
  const InterruptsOff off;
  if (received_at == received_length) return false;
  *byte = usb_bytes(kReceiveBuffer)[received_at];
  received_at = received_at + 1;
  if (received_at == received_length) {
    received_at = 0;
    received_length = 0;
    arm(kOutput, receive_bit | kBulkPacket);
  }
  return true;
}

}  // namespace wick::pico2

extern "C" void usb_interrupt() { wick::pico2::serve(); }
